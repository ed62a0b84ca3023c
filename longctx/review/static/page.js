"use strict";
// The review's page. What comes from a model or a document enters it as text, never as markup.
(() => {
  const token = location.pathname.split("/")[1];
  const at = (id) => document.getElementById(id);
  const element = (tag, className, ...children) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };
  const FILTERS = ["all", "undecided", "kept", "edited", "dropped", "with findings"];
  const KEYS = [
    ["k", "keep the question"], ["d", "drop it"], ["e", "edit it"], ["u", "undo: nobody has decided"],
    ["n or →", "next question"], ["p or ←", "previous question"], ["f", "next filter"],
    ["Ctrl Enter", "save an edit"], ["Esc", "cancel it"], ["q", "end the review"], ["?", "these keys"],
  ];

  let all = []; // every question in a line
  let listed = []; // the ids that the filter shows
  let current = null; // the question on the page
  let busy = false;

  const say = (sentence) => { at("says").textContent = sentence; };
  const call = async (path, body) => {
    const headers = { "Content-Type": "application/json", "X-Longctx-Token": token };
    const options = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
    let reply;
    try {
      reply = await fetch(path, options);
    } catch {
      throw new Error("The review has ended, or its server is gone. Everything decided so far is in the file.");
    }
    const content = await reply.json();
    if (!reply.ok) throw new Error(content.error);
    return content;
  };
  // One thing at a time: a key pressed while the file is written would decide about a question not yet seen.
  const doing = async (work) => {
    if (busy) return;
    busy = true;
    try {
      say("");
      await work();
    } catch (error) {
      say(error.message);
    }
    busy = false;
  };

  // ---- what is shown

  const matches = (line) => {
    const wanted = at("filter").value;
    return wanted === "all" || (wanted === "with findings" ? line.findings.length > 0 : line.state === wanted);
  };
  const list = () => { listed = all.filter(matches).map((line) => line.id); };

  const count = () => {
    const of = (state) => all.filter((line) => line.state === state).length;
    const decided = all.length - of("undecided");
    at("progress").max = all.length;
    at("progress").value = decided;
    const doubtful = all.filter((line) => line.findings.length).length;
    at("counts").textContent =
      `${decided} of ${all.length} decided: ${of("kept")} kept, ${of("edited")} edited, ${of("dropped")} dropped; ${doubtful} with findings`;
  };

  const answerElement = (answer) => element("li", answer.right ? "right" : "",
    element("p", "", answer.shown), element("p", "soft", `${answer.right ? "right" : "wrong"}; ${answer.place}`));
  const partElement = (part) => {
    if (!part.answer) return part.text;
    const mark = element("mark", part.answer, part.text);
    mark.title = `the ${part.answer} answer`;
    return mark;
  };

  const show = (question) => {
    current = question;
    at("form").hidden = true;
    at("shown").hidden = false;
    at("section-title").textContent = question.title || question.section;
    at("section-about").textContent = `${question.section}, ${question.tokens.toLocaleString("en")} tokens`;
    at("record").replaceChildren(...question.parts.map(partElement));
    at("question-id").textContent = question.id;
    at("state").textContent = question.by ? `${question.state} by ${question.by} on ${question.on}` : question.state;
    at("question").textContent = question.question.shown;
    at("answers").replaceChildren(...question.answers.map(answerElement));
    at("findings").replaceChildren(...question.findings.map((finding) => element("li", "", finding)));
    const place = listed.indexOf(question.id);
    at("position").textContent = place < 0 ? `not among the ${listed.length}` : `${place + 1} of ${listed.length}`;
    history.replaceState(null, "", `#${encodeURIComponent(question.id)}`);
    const spot = at("record").querySelector("mark.right");
    at("record").scrollTop = spot ? spot.offsetTop - at("record").offsetTop - at("record").clientHeight / 3 : 0;
  };
  const open = async (id) => show(await call(`question?id=${encodeURIComponent(id)}`));

  const go = (step) => {
    const place = listed.indexOf(current.id);
    const next = place < 0 ? listed[0] : listed[place + step];
    if (next === undefined) say(step > 0 ? "This is the last one shown." : "This is the first one shown.");
    else return open(next);
  };
  const filter = () => {
    list();
    if (!listed.length) {
      at("position").textContent = "0 of 0";
      say(`No question is ${at("filter").value}.`);
    } else return open(listed.includes(current.id) ? current.id : listed[0]);
  };

  // ---- decisions

  const decide = async (decision, words = {}) => {
    const place = listed.indexOf(current.id);
    const line = await call("decide", { id: current.id, decision, ...words });
    all = all.map((earlier) => (earlier.id === line.id ? line : earlier));
    count();
    list();
    const stays = decision === "edit" || decision === "undo";
    const next = stays ? line.id : listed[listed[place] === line.id ? place + 1 : Math.max(place, 0)];
    await open(next ?? line.id);
    if (next === undefined) say("This was the last one shown.");
  };

  const edit = () => {
    at("edit-question").value = current.question.raw;
    at("edit-answers").replaceChildren(...current.answers.map((answer, place) => {
      const choice = element("input");
      Object.assign(choice, { type: "radio", name: "right", value: String(place), checked: answer.right });
      choice.setAttribute("aria-label", `Answer ${place + 1} is right`);
      const text = element("textarea");
      Object.assign(text, { rows: 2, value: answer.raw });
      text.setAttribute("aria-label", `Answer ${place + 1}`);
      return element("div", "answer", choice, text);
    }));
    at("shown").hidden = true;
    at("form").hidden = false;
    at("edit-question").focus();
  };
  const cancel = () => {
    at("form").hidden = true;
    at("shown").hidden = false;
  };
  const save = () => {
    const line = (text) => text.replace(/[\r\n]+/g, " ").trim();
    const answers = [...at("edit-answers").querySelectorAll("textarea")].map((text) => line(text.value));
    const right = Number(at("edit-answers").querySelector("input:checked").value);
    const wrong = answers.filter((_, place) => place !== right);
    return decide("edit", { question: line(at("edit-question").value), right: answers[right], wrong });
  };
  const end = async () => {
    await call("end", {});
    document.body.replaceChildren(element("main", "", element("h1", "", "The review has ended."),
      element("p", "", "Everything decided is in the file. This page may be closed.")));
  };

  // ---- keys and buttons

  const PRESSED = {
    k: () => decide("keep"), d: () => decide("drop"), u: () => decide("undo"), e: edit, q: end,
    n: () => go(1), ArrowRight: () => go(1), p: () => go(-1), ArrowLeft: () => go(-1),
    f: () => { at("filter").selectedIndex = (at("filter").selectedIndex + 1) % FILTERS.length; return filter(); },
    "?": () => at("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (!at("form")?.hidden) {
      if (event.key === "Escape") cancel();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) doing(save);
      return;
    }
    const typing = event.target.closest("select, textarea, dialog[open]") || event.ctrlKey || event.metaKey || event.altKey;
    const work = Object.hasOwn(PRESSED, event.key) && PRESSED[event.key];
    if (!work || typing || event.repeat || (event.key.length === 1 && event.key !== "?" && !at("letters").checked)) return;
    event.preventDefault();
    doing(work);
  });
  document.querySelectorAll("[data-decision]").forEach((button) =>
    button.addEventListener("click", () => doing(() => decide(button.dataset.decision))));
  const clicks = { next: "n", previous: "p", edit: "e", end: "q", "help-open": "?" };
  for (const [id, key] of Object.entries(clicks)) at(id).addEventListener("click", () => doing(PRESSED[key]));
  at("cancel").addEventListener("click", cancel);
  at("form").addEventListener("submit", (event) => { event.preventDefault(); doing(save); });
  at("filter").addEventListener("change", () => doing(filter));
  at("filter").append(...FILTERS.map((name) => new Option(name)));
  at("keys").append(...KEYS.map(([key, what]) => element("tr", "", element("th", "", element("kbd", "", key)), element("td", "", what))));

  doing(async () => {
    const set = await call("questions");
    all = set.questions;
    at("file").textContent = set.file;
    at("of-set").replaceChildren(...set.of_set.map((finding) => element("li", "", finding)));
    count();
    list();
    const wanted = decodeURIComponent(location.hash.slice(1));
    const first = all.find((line) => line.id === wanted) ?? all.find((line) => line.state === "undecided") ?? all[0];
    await open(first.id);
  }).then(() => { document.documentElement.dataset.ready = "true"; });
})();
