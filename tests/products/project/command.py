"""A command-line program."""

import sys

import openai

turn = {"role": "user", "content": sys.argv[1]}
print(openai.OpenAI().chat.completions.create(model="gpt-5-mini", messages=[turn]).choices[0].message.content)  # noqa: T201
