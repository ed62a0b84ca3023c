"use strict";
// The page's only script: tooltips of the charts, tables that sort, and the explorer of trials. What comes from a model or a document
// enters the page as text nodes, never as markup.
(() => {
  const SHOWN = 100;
  const index = JSON.parse(document.getElementById("index").textContent);
  const columns = Object.keys(index.names);
  const at = Object.fromEntries(columns.map((name, place) => [name, place]));
  const selects = Object.fromEntries(["test", "cell", "model", "outcome"].map((name) =>
    [name, document.getElementById(`filter-${name}`)]));
  const groups = document.getElementById("changes");
  const search = document.getElementById("filter-text");
  const list = document.getElementById("trials");
  const more = document.getElementById("more");
  const one = document.getElementById("one");
  const opened = new Map();
  let matching = [];
  let change = "";  // the group of changes that is shown; empty for all
  let linked = null;  // the place of the only trial that is shown, named by the page's address
  let asked = 0;  // counts the filterings: a search in the replies may end after a later one began

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
  const named = (trial, column) => index.names[column][trial[at[column]]];
  const matches = (trial) => {
    if (change !== "" && trial[at.change] !== Number(change)) return false;
    return Object.entries(selects).every(([name, { value }]) => {
      if (value === "") return true;
      if (value === "not-correct") return named(trial, "outcome") !== "correct";
      return trial[at[name]] === Number(value);
    });
  };

  // A check of a test is named TEST.CHECK, and is no trial.
  const tally = (found) => {
    const checks = found.filter((trial) => index.tests[trial[at.test]].includes(".")).length;
    return { trials: found.length - checks, checks };
  };

  // What an address calls a trial: its test, cell and number, and its model if there are several.
  const idOf = (trial) => {
    const parts = [index.tests[trial[at.test]], named(trial, "cell"), trial[columns.length].slice(1)];
    if (index.names.model.length > 1) parts.push(named(trial, "model"));
    return parts.map(encodeURIComponent).join("/");
  };

  const summaryOf = (trial) => {
    const [name, expected, returned] = trial.slice(columns.length);
    const outcome = named(trial, "outcome");
    const answer = [];
    if (returned !== null) answer.push("returned ", ...visible(returned));
    if (expected !== null && returned !== expected) answer.push(answer.length ? ", expected " : "expected ", ...visible(expected));
    const model = index.names.model.length > 1 ? [", ", ...visible(named(trial, "model"))] : [];
    return element(
      "summary", "",
      element("span", `outcome ${outcome}`, outcome),
      ...(groups ? [element("span", "change", named(trial, "change"))] : []),
      element("span", "mono", `${named(trial, "cell")}${name}`),
      element("span", "soft", named(trial, "test"), ...model),
      element("span", "mono", ...answer),
    );
  };

  const show = (from) => {
    const shown = document.createDocumentFragment();
    for (const place of matching.slice(from, from + SHOWN)) {
      const item = element("details", "trial", summaryOf(index.trials[place]));
      item.dataset.place = place;
      item.addEventListener("toggle", () => open(item, place), { once: true });
      item.addEventListener("toggle", () => {
        if (item.open) history.replaceState(null, "", `#trial=${idOf(index.trials[place])}`);
      });
      shown.append(item);
    }
    list.append(shown);
    more.hidden = from + SHOWN >= matching.length;
    more.textContent = `Show ${Math.min(SHOWN, matching.length - from - SHOWN)} more`;
  };

  const textOf = (place, details) => {
    const { before } = details;
    const excerpts = details.excerpts.flatMap(({ pieces }) => pieces.map(([, text]) => text));
    const answers = [details, ...(before ? [before] : [])].flatMap((answer) => [answer.reply, answer.returned, ...answer.why]);
    const trial = index.trials[place];
    return [named(trial, "cell"), named(trial, "model"), details.expected, ...answers, ...excerpts].join("\n").toLowerCase();
  };

  const detailsOf = async (place) => (await chunk(Math.floor(place / index.chunk)))[place % index.chunk];

  const filter = async () => {
    const turn = ++asked;
    const wanted = search.value.trim().toLowerCase();
    let found = [];
    if (linked !== null) found = [linked];
    else index.trials.forEach((trial, place) => matches(trial) && found.push(place));
    if (wanted && linked === null) {
      const texts = await Promise.all(found.map(async (place) => textOf(place, await detailsOf(place))));
      if (turn !== asked) return;
      found = found.filter((_, number) => texts[number].includes(wanted));
    }
    matching = found;
    one.hidden = linked === null;
    list.replaceChildren();
    const here = tally(matching.map((place) => index.trials[place]));
    const all = tally(index.trials);
    document.getElementById("count").textContent =
      `${here.trials.toLocaleString("en")} of ${all.trials.toLocaleString("en")} trials` +
      (all.checks ? `, ${here.checks.toLocaleString("en")} of ${all.checks.toLocaleString("en")} checks` : "");
    show(0);
  };
  const refilter = () => { linked = null; filter(); };

  // ---- the groups of changes

  const press = (value) => {
    change = value;
    groups.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", button.value === value));
  };
  if (groups) {
    const of = (place) => index.trials.filter((trial) => trial[at.change] === place);
    const counts = index.names.change.map((_, place) => tally(of(place)).trials);
    const button = (value, name, number) => {
      const made = element("button", `group ${name.replaceAll(" ", "-")}`, `${name} ${number.toLocaleString("en")}`);
      made.type = "button";
      made.value = value;
      made.addEventListener("click", () => { press(value); refilter(); });
      groups.append(made);
    };
    button("", "all", tally(index.trials).trials);
    index.names.change.forEach((name, place) => (place < 4 || of(place).length) && button(String(place), name, counts[place]));
    press(String(Math.max(0, counts.findIndex((_, place) => of(place).length > 0))));
  }

  // ---- addresses: #trial=TEST/CELL/NUMBER shows one trial, #trials=TEST/CELL those of a cell

  // Programs that pass an address on may encode it again, or decode it.
  const decoded = (part) => { try { return decodeURIComponent(part); } catch { return part; } };
  const follow = () => {
    const [kind, value = ""] = location.hash.slice(1).split("=");
    if (kind === "trial") {
      const place = index.trials.findIndex((trial) => decoded(idOf(trial)) === decoded(value));
      if (place < 0) return false;
      linked = place;
      filter();
      list.firstElementChild.open = true;
    } else if (kind === "trials") {
      const [test, cell] = value.split("/").map(decoded);
      const places = { test: index.tests.indexOf(test), cell: index.names.cell.indexOf(cell) };
      if (places.test < 0 || places.cell < 0) return false;
      Object.entries(selects).forEach(([name, select]) => { select.value = name in places ? String(places[name]) : ""; });
      search.value = "";
      if (groups) press("");
      refilter();
    } else return false;
    document.getElementById("explorer").scrollIntoView();
    return true;
  };

  // ---- downloads of what is shown

  const save = (name, type, text) => {
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  };
  const records = () => Promise.all(matching.map(async (place) => {
    const trial = index.trials[place];
    const { before, ...details } = await detailsOf(place);
    return {
      id: idOf(trial), test: index.tests[trial[at.test]], cell: named(trial, "cell"),
      trial: trial[columns.length].slice(1), model: named(trial, "model"),
      ...(groups ? { change: named(trial, "change"), outcome_before: before?.outcome ?? null } : {}),
      outcome: named(trial, "outcome"), expected: details.expected,
      ...(groups ? { returned_before: before?.returned ?? null } : {}),
      returned: details.returned,
      ...(groups ? { reply_before: before?.reply ?? null } : {}),
      reply: details.reply ?? null, why: details.why.join(" "),
    };
  }));
  // A spreadsheet takes what begins with these for a formula: an apostrophe makes it text.
  const cell = (value) => {
    const text = value === null ? "" : String(value);
    return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  document.getElementById("download-csv").addEventListener("click", async () => {
    const rows = await records();
    const names = Object.keys(rows[0] ?? { id: null });
    const lines = [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => line.map(cell).join(","));
    save("trials.csv", "text/csv", `${lines.join("\r\n")}\r\n`);
  });
  document.getElementById("download-json").addEventListener("click", async () => {
    save("trials.json", "application/json", JSON.stringify(await records(), null, 1));
  });

  // ---- one trial

  // The details of a run's page lie beside it, as scripts: a page that was opened from disk may load no other file.
  const arriving = new Map();
  window.longctx = (number, text) => arriving.get(number)?.(text);
  const beside = (number) => new Promise((resolve, reject) => {
    arriving.set(number, resolve);
    const script = element("script", "");
    script.src = `details/${number}.js`;
    script.addEventListener("error", () => reject(new Error("details/ is not beside this page")));
    document.head.append(script);
  });
  const chunk = (number) => {
    if (!opened.has(number)) {
      const inPage = document.getElementById(`chunk-${number}`);
      opened.set(number, (inPage ? Promise.resolve(inPage.textContent) : beside(number)).then((text) => {
        const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
      }));
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
      const says = quote.says ??
        { needle: "in the right section", record: "elsewhere in the record", nowhere: "not in the record" }[place];
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

  // The right answer, and another that was read from a reply, where they are words of their own in it.
  const answersIn = (reply, { expected }, { returned }) => {
    if (expected === null) return [];
    const parts = [[expected, true, "the right answer"], [returned === expected ? null : returned, false, "the answer given"]];
    return parts.flatMap(([text, in_needle, says]) => {
      if (!text) return [];
      const found = reply.split(text);
      const alone = found.length > 1 && !/[\p{L}\p{N}]$/u.test(found[0]) && !/^[\p{L}\p{N}]/u.test(found[1]);
      return alone ? [{ text, in_needle, in_record: false, says }] : [];
    });
  };
  const factsOf = ({ facts }) => {
    const shown = element("dl", "facts small");
    for (const [name, value] of Object.entries(facts)) {
      shown.append(element("div", "", element("dt", "", name), element("dd", "", ...visible(value))));
    }
    return shown;
  };
  // One run's answer. side: its title where two are side by side.
  const answerOf = (answer, details, side) => {
    const parts = answer.why.map((sentence) => element("p", "", ...visible(sentence)));
    if (answer.reply !== undefined) {
      const quotes = answer.quotes ?? [];
      const marks = quotes.length || !side ? quotes : answersIn(answer.reply, details, answer);
      parts.push(...titled("Reply", ...marked(answer.reply, marks)));
      if (quotes.length) {
        parts.push(element("p", "soft", "Quotes: ", element("mark", "needle", "in the right section"), " ",
          element("mark", "record", "elsewhere in the record"), " ", element("mark", "nowhere", "not in the record")));
      }
    } else if (side) parts.push(element("p", "soft", "The text of this reply was not kept (longctx baseline save --with-replies keeps it)."));
    if (!side) return [...parts.slice(0, answer.why.length), factsOf(answer), ...parts.slice(answer.why.length)];
    const head = element("h3", "", `${side}: `, element("span", `outcome ${answer.outcome}`, answer.outcome), ", ", ...visible(answer.subject));
    return [element("section", "", head, ...parts, factsOf(answer))];
  };

  const open = async (item, place) => {
    const body = element("div", "");
    let details;
    try {
      details = await detailsOf(place);
    } catch {
      item.append(element("p", "soft", "What was asked and answered is in the folder details/, which is not beside this page."));
      return;
    }
    if (details.before) {
      if (details.expected !== null) body.append(element("p", "soft", "Expected: ", element("mark", "needle", ...visible(details.expected))));
      body.append(element("div", "sides", ...answerOf(details.before, details, "Before"), ...answerOf(details, details, "After")));
    } else body.append(...answerOf(details, details, ""));
    for (const { names, line, pieces } of details.excerpts) {
      const title = element("span", "", ...visible(names.join(", ")), ` (line ${line} of the prompt)`);
      body.append(...titled(title, ...pieces.flatMap((part) => piece(part, names))));
    }
    if (details.command) body.append(...titled("Measure it again (with --ctx-record all: ask again)", ...visible(details.command)));
    const link = element("a", "", "Link to this trial");
    link.href = `#trial=${idOf(index.trials[place])}`;
    body.append(element("p", "soft", link));
    item.append(body);
  };

  // ---- tooltips of the charts

  const tip = document.getElementById("tip");
  document.addEventListener("pointerover", (event) => {
    const mark = event.target.closest?.("svg [role='img']");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.getAttribute("aria-label");
    tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8)}px`;
  });

  // ---- tables that sort by a column: by the number that a cell begins with, then by its text; empty cells come last

  const keyOf = (cell) => {
    const text = cell.textContent.trim();
    const number = /^[-+−$]{0,2}[\d,]*\.?\d+/.exec(text)?.[0].replace("−", "-").replace(/[^-\d.]/g, "");
    return { text, number: number === undefined ? Infinity : Number(number), empty: text === "" || text === "-" };
  };
  const sort = (head) => {
    const descending = head.getAttribute("aria-sort") === "ascending";
    const table = head.closest("table");
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row.cells[head.cellIndex]), row]);
    const order = (a, b) => a.number === b.number ? a.text.localeCompare(b.text, "en", { numeric: true }) : a.number - b.number;
    rows.sort(([a], [b]) => a.empty - b.empty || (descending ? order(b, a) : order(a, b)));
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const head of document.querySelectorAll("thead th:not(.text)")) {
    if (head.closest("table").tBodies[0].rows.length < 2) continue;
    const button = element("button", "", ...head.childNodes);
    button.type = "button";
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }

  // ---- contents and folds

  const links = [...document.querySelectorAll("nav a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  const menu = document.querySelector("nav details.menu");
  const wide = window.matchMedia("(min-width: 105rem)");
  const unroll = () => { if (menu) menu.open = wide.matches; };
  wide.addEventListener("change", unroll);
  unroll();
  const unfold = ({ hash }) => {
    const fold = document.getElementById(hash.slice(1))?.closest("details.fold");
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
  window.addEventListener("hashchange", () => { if (!follow()) unfold(location); });
  window.addEventListener("scroll", mark, { passive: true });
  links.forEach((link) => link.addEventListener("click", () => { unroll(); unfold(link); }));
  unfold(location);
  mark();

  Object.entries(selects).forEach(([name, select]) => fill(select, index.names[name]));
  if (!groups && index.names.outcome.some((name) => name !== "correct")) selects.outcome.value = "not-correct";
  Object.values(selects).forEach((select) => select.addEventListener("change", refilter));
  search.addEventListener("input", refilter);
  document.getElementById("all").addEventListener("click", refilter);
  more.addEventListener("click", () => show(list.children.length));
  if (!follow()) filter();
  document.documentElement.dataset.ready = "true";
})();
