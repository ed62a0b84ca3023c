"use strict";
// The page's only script: tooltips of the charts, and the explorer of trials. What comes from a model or a document
// enters the page as text nodes, never as markup.
(() => {
  const SHOWN = 100;
  const index = JSON.parse(document.getElementById("index").textContent);
  const columns = ["family", "scenario", "model", "outcome"];
  const selects = Object.fromEntries(columns.map((name) => [name, document.getElementById(`filter-${name}`)]));
  const list = document.getElementById("trials");
  const more = document.getElementById("more");
  const opened = new Map();
  let matching = [];

  const element = (tag, className, ...children) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };

  // Characters that do not show, or that change how others show: controls, direction, zero width, lone surrogates.
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const visible = (text) => {
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(UNSEEN)) {
      parts.push(text.slice(end, match.index));
      parts.push(element("span", "unseen", `\\u${match[0].charCodeAt(0).toString(16).padStart(4, "0")}`));
      end = match.index + match[0].length;
    }
    return [...parts, text.slice(end)];
  };

  // ---- filters and the list

  const fill = (select, names) => names.forEach((name, place) => select.append(new Option(name, String(place))));
  const wanted = () => columns.map((name) => selects[name].value);
  const matches = (trial, chosen) =>
    chosen.every((value, place) => {
      if (value === "") return true;
      if (value === "not-correct") return index.names.outcome[trial[place]] !== "correct";
      return trial[place] === Number(value);
    });

  const summaryOf = (trial) => {
    const [family, scenario, model, outcome] = columns.map((name, place) => index.names[name][trial[place]]);
    const [name, expected, returned] = trial.slice(columns.length);
    const answer = [];
    if (returned !== null) answer.push("returned ", ...visible(returned));
    if (expected !== null && returned !== expected) answer.push(answer.length ? ", expected " : "expected ", ...visible(expected));
    return element(
      "summary", "",
      element("span", `outcome ${outcome}`, outcome),
      element("span", "mono", `${scenario}${name}`),
      element("span", "soft", family, ...(index.names.model.length > 1 ? [", ", ...visible(model)] : [])),
      element("span", "mono", ...answer),
    );
  };

  const show = (from) => {
    const shown = document.createDocumentFragment();
    for (const place of matching.slice(from, from + SHOWN)) {
      const item = element("details", "trial", summaryOf(index.trials[place]));
      item.dataset.place = place;
      item.addEventListener("toggle", () => open(item, place), { once: true });
      shown.append(item);
    }
    list.append(shown);
    more.hidden = from + SHOWN >= matching.length;
    more.textContent = `Show ${Math.min(SHOWN, matching.length - from - SHOWN)} more`;
  };

  const filter = () => {
    const chosen = wanted();
    matching = [];
    index.trials.forEach((trial, place) => matches(trial, chosen) && matching.push(place));
    list.replaceChildren();
    document.getElementById("count").textContent =
      `${matching.length.toLocaleString("en")} of ${index.trials.length.toLocaleString("en")} trials`;
    show(0);
  };

  // ---- one trial

  const chunk = (number) => {
    if (!opened.has(number)) {
      const packed = Uint8Array.from(atob(document.getElementById(`chunk-${number}`).textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      opened.set(number, new Response(stream).json());
    }
    return opened.get(number);
  };

  const marked = (text, quotes) => {
    const spots = [];
    for (const quote of quotes) {
      const start = text.indexOf(quote.text);
      if (start >= 0) spots.push([start, start + quote.text.length, quote]);
    }
    spots.sort((a, b) => a[0] - b[0]);
    const parts = [];
    let end = 0;
    for (const [from, to, quote] of spots) {
      if (from < end) continue;
      const place = quote.in_needle ? "needle" : quote.in_record ? "record" : "nowhere";
      const says = { needle: "in the right section", record: "elsewhere in the record", nowhere: "not in the record" }[place];
      const mark = element("mark", place, ...visible(text.slice(from, to)));
      mark.title = says;
      parts.push(...visible(text.slice(end, from)), mark);
      end = to;
    }
    return [...parts, ...visible(text.slice(end))];
  };

  // The needle and the right answer are green, what was asked is yellow, the place of a wrong answer is red.
  const KINDS = {
    needle: "needle", record: "needle", "right answer": "needle", instruction: "record", question: "record", answers: "record",
  };
  // What is marked within the part that the title names, or beside others, says what it is.
  const piece = ([name, text], names) => {
    if (!name) return visible(text);
    const mark = element("mark", KINDS[name] ?? "nowhere", ...visible(text));
    if (name === "answers" || (names.length === 1 && names[0] === name)) return [mark];
    const end = text.endsWith("\n") ? "\n" : "";
    mark.replaceChildren(...visible(text.slice(0, text.length - end.length)));
    return [mark, element("span", "says", name), end];
  };
  const titled = (title, ...children) => [element("h3", "", title), element("pre", "", ...children)];

  const open = async (item, place) => {
    const details = (await chunk(Math.floor(place / index.chunk)))[place % index.chunk];
    const facts = element("dl", "facts small");
    for (const [name, value] of Object.entries(details.facts)) {
      facts.append(element("div", "", element("dt", "", name), element("dd", "", ...visible(value))));
    }
    const body = element("div", "");
    for (const sentence of details.why) body.append(element("p", "", ...visible(sentence)));
    body.append(facts);
    if (details.reply !== undefined) {
      const quotes = details.quotes ?? [];
      body.append(...titled("Reply", ...marked(details.reply, quotes)));
      if (quotes.length) {
        body.append(element("p", "soft", "Quotes: ", element("mark", "needle", "in the right section"), " ",
          element("mark", "record", "elsewhere in the record"), " ", element("mark", "nowhere", "not in the record")));
      }
    }
    for (const { names, line, pieces } of details.excerpts) {
      const title = element("span", "", ...visible(names.join(", ")), ` (line ${line} of the prompt)`);
      body.append(...titled(title, ...pieces.flatMap((part) => piece(part, names))));
    }
    if (details.command) body.append(...titled("Measure it again (with --ctx-record all: ask anew)", ...visible(details.command)));
    item.append(body);
  };

  // ---- tooltips of the charts

  const tip = document.getElementById("tip");
  document.addEventListener("pointerover", (event) => {
    const mark = event.target.closest?.("svg [role='graphics-symbol'][aria-label]");
    const isMark = mark && !/axis|legend|title/.test(mark.getAttribute("aria-roledescription"));
    tip.hidden = !isMark;
    if (!isMark) return;
    tip.textContent = mark.getAttribute("aria-label");
    tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8)}px`;
  });

  // ---- contents and folds

  const links = [...document.querySelectorAll("nav a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  const unfold = ({ hash }) => {
    const fold = document.getElementById(decodeURIComponent(hash.slice(1)))?.closest("details.fold");
    if (fold) fold.open = true;
  };
  let current = null;
  const mark = () => {
    const line = window.innerHeight / 3;
    const link = links[targets.findLastIndex((target) => target.getBoundingClientRect().top < line)] ?? null;
    if (link === current) return;
    current?.removeAttribute("aria-current");
    current = link;
    current?.setAttribute("aria-current", "true");
    current?.closest("ul").scrollTo({ left: current.offsetLeft - 48 });
  };
  window.addEventListener("hashchange", () => unfold(location));
  window.addEventListener("scroll", mark, { passive: true });
  links.forEach((link) => link.addEventListener("click", () => unfold(link)));
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.fold:not([open]), section details.numbers:not([open])")];
    folded.forEach((fold) => { fold.open = true; });
  });
  window.addEventListener("afterprint", () => folded.forEach((fold) => { fold.open = false; }));
  unfold(location);
  mark();

  columns.forEach((name) => fill(selects[name], index.names[name]));
  if (index.names.outcome.some((name) => name !== "correct")) selects.outcome.value = "not-correct";
  columns.forEach((name) => selects[name].addEventListener("change", filter));
  more.addEventListener("click", () => show(list.children.length));
  filter();
  document.documentElement.dataset.ready = "true";
})();
