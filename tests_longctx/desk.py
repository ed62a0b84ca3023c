"""Product code that test_functions.py tests: it knows the SDK, and nothing of longctx."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing the SDK takes a second, which only those who call it need to spend
    import anthropic

SYSTEM = "You work at the desk of a ferry company. Answer from the handbook, in a few words."


def answer_from(client: anthropic.Anthropic, document: str, question: str) -> str:
    """Return the answer to a question about a document, streamed as the desk shows it."""
    with client.messages.stream(
        model="claude-haiku-4-5",
        max_tokens=32,
        system=SYSTEM,
        messages=[{"role": "user", "content": f"<handbook>\n{document}</handbook>\n\n{question}"}],
    ) as stream:
        return stream.get_final_text()
