from pydantic import BaseModel


class Quote(BaseModel):
    berth: int
    fee: int


def chat(client, first, second):
    turns = [{"role": "user", "content": first}]
    said = client.chat.completions.create(model="gpt-x", max_tokens=40, messages=turns).choices[0].message
    turns += [{"role": "assistant", "content": said.content}, {"role": "user", "content": second}]
    return client.chat.completions.create(model="gpt-x", max_tokens=40, messages=turns).choices[0].message.content


def quoted(client, text):
    with client.chat.completions.stream(
        model="gpt-x", max_tokens=60, messages=[{"role": "user", "content": text}], response_format=Quote
    ) as stream:
        return stream.get_final_completion().choices[0].message.parsed
