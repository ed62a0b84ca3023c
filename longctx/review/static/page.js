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
  let current = null; // the question on the desk
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
    const found = await reply.json();
    if (!reply.ok) throw new Error(found.error);
    return found;
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
    const found = all.filter((line) => line.findings.length).length;
    at("counts").textContent =
      `${decided} of ${all.length} decided: ${of("kept")} kept, ${of("edited")} edited, ${of("dropped")} dropped; ${found} with findings`;
  };

  const answer = (one) => element("li", one.right ? "right" : "",
    element("p", "", one.shown), element("p", "soft", `${one.right ? "right" : "wrong"}; ${one.stands}`));
  const part = (one) => {
    if (!one.answer) return one.text;
    const mark = element("mark", one.answer, one.text);
    mark.title = `the ${one.answer} answer`;
    return mark;
  };

  const lay = (found) => {
    current = found;
    at("form").hidden = true;
    at("shown").hidden = false;
    at("section-title").textContent = found.title || found.section;
    at("section-about").textContent = `${found.section}, ${found.tokens.toLocaleString("en")} tokens`;
    at("record").replaceChildren(...found.parts.map(part));
    at("question-id").textContent = found.id;
    at("state").textContent = found.by ? `${found.state} by ${found.by} on ${found.on}` : found.state;
    at("question").textContent = found.question.shown;
    at("answers").replaceChildren(...found.answers.map(answer));
    at("findings").replaceChildren(...found.findings.map((one) => element("li", "", one)));
    const place = listed.indexOf(found.id);
    at("position").textContent = place < 0 ? `not among the ${listed.length}` : `${place + 1} of ${listed.length}`;
    history.replaceState(null, "", `#${encodeURIComponent(found.id)}`);
    const spot = at("record").querySelector("mark.right");
    at("record").scrollTop = spot ? spot.offsetTop - at("record").offsetTop - at("record").clientHeight / 3 : 0;
  };
  const open = async (id) => lay(await call(`question?id=${encodeURIComponent(id)}`));

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
    all = all.map((one) => (one.id === line.id ? line : one));
    count();
    list();
    const stays = decision === "edit" || decision === "undo";
    const next = stays ? line.id : listed[listed[place] === line.id ? place + 1 : Math.max(place, 0)];
    await open(next ?? line.id);
    if (next === undefined) say("This was the last one shown.");
  };

  const edit = () => {
    at("edit-question").value = current.question.raw;
    at("edit-answers").replaceChildren(...current.answers.map((one, place) => {
      const choice = element("input");
      Object.assign(choice, { type: "radio", name: "right", value: String(place), checked: one.right });
      choice.setAttribute("aria-label", `Answer ${place + 1} is right`);
      const text = element("textarea");
      Object.assign(text, { rows: 2, value: one.raw });
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
    const answers = [...at("edit-answers").querySelectorAll("textarea")].map((one) => line(one.value));
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
    const typing = event.target.closest("select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey;
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
    const found = await call("questions");
    all = found.questions;
    at("file").textContent = found.file;
    at("of-set").replaceChildren(...found.of_set.map((one) => element("li", "", one)));
    count();
    list();
    const wanted = decodeURIComponent(location.hash.slice(1));
    const first = all.find((line) => line.id === wanted) ?? all.find((line) => line.state === "undecided") ?? all[0];
    await open(first.id);
  }).then(() => { document.documentElement.dataset.ready = "true"; });
})();
