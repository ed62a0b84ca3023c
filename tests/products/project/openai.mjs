import OpenAI from "openai";

const messages = [{ role: "user", content: process.argv[2] }];
const reply = await new OpenAI().chat.completions.create({ model: "gpt-5-mini", messages });
console.log(reply.choices[0].message.content);
