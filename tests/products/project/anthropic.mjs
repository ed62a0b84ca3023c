import Anthropic from "@anthropic-ai/sdk";

const messages = [{ role: "user", content: process.argv[2] }];
const stream = new Anthropic().messages.stream({ model: "claude-haiku-4-5", max_tokens: 50, messages });
console.log(await stream.finalText());
