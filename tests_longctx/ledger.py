"""A strategy of one's own: the last turns in full, and of earlier ones what the user said and the tools returned."""

LAST = 4


def strategy(messages, ask):
    """Return the newest turns after a ledger of the older ones. It asks nothing, so it costs no request."""
    start = next(
        (place for place in range(len(messages) - LAST, 0, -1) if not _texts(messages[place], "tool_result")), 0
    )
    if not start:
        return messages
    lines = [
        line
        for message in messages[:start]
        if message["role"] == "user"
        for line in _texts(message, "tool_result") or _texts(message, "text")
        if not line.endswith("?")
    ]
    ledger = "Ledger of earlier turns:\n" + "\n".join(lines)
    return [{"role": "user", "content": ledger}, *messages[start:]]


def _texts(message, kind):
    content = message["content"]
    if isinstance(content, str):
        return [content] if kind == "text" else []
    texts = (block.get("text", block.get("content")) for block in content if block["type"] == kind)
    return [text for text in texts if isinstance(text, str)]
