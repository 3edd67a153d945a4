// The source beside the stages. A line that is pointed at lights up wherever it went.
import { keepSource } from "./address.js";
import { assistant } from "./assist.js";
import { costColumns, countsByLine } from "./costs.js";
import { lightsOf, lineList, linkedClass } from "./lines.js";
import { instructionHelp } from "./instructions.js";
import { withSplitters } from "./panes.js";
import { counted, highlighted, make } from "./text.js";
import { liveRegisters } from "./registers.js";
import { jumpToLine, lightLine, listen, state, texts } from "./state.js";
import { editKey } from "./typing.js";

/** A text of `texts()` as lines that are linked to the kernel's. `live` has the live registers of each line. */
export function textView({ name, text, lines, language }, label, live = null) {
  const view = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": label });
  const mostLive = live ? live.reduce((most, count) => Math.max(most, count), 1) : 0;
  const shown = text.replace(/\n$/, "").split("\n");
  const list = lineList(view, view);
  const lineOf = (index) => lines[index] ?? 0;
  list.fill(shown, (index) =>
    make(
      "div",
      {
        class: linkedClass(lineOf(index)),
        "data-line": lineOf(index) || null,
        title: instructionHelp(shown[index], name),
      },
      make("span", { class: "number" }, String(index + 1)),
      live ? liveGauge(live[index], mostLive) : null,
      make("span", {}, highlighted(shown[index], language)),
    ),
  );
  followPointer(view);
  view.addEventListener("keydown", (event) => moveBetweenLines(event, list, lines));
  const light = lightsOf(view, list, lineOf);
  listen("line", view, () => light(shown.length));
  return view;
}

/** How many registers are live at a line. */
const liveGauge = (count, most) => gauge(count, most, counted(count, "live register"), count ? String(count) : "");

/** A number on a bar. */
function gauge(count, most, title, text) {
  const bar = make("span", { class: "gauge" });
  bar.style.width = `${(100 * count) / (most || 1)}%`;
  return make("span", { class: "live", title }, bar, text);
}

const lineOfRow = (event) => Number(event.target.closest(".line")?.dataset.line ?? 0);

/** Lights the line under the pointer, unless a click has pinned one. */
export function followPointer(view, lineOf = lineOfRow) {
  view.addEventListener("mousemove", (event) => {
    const line = state.isPinned ? state.line : lineOf(event);
    if (line !== state.line) lightLine(line);
  });
  view.addEventListener("click", (event) => pin(lineOf(event)));
}

/** A click keeps a line lit until the next click. */
function pin(line) {
  state.isPinned = line !== 0 && !(state.isPinned && state.line === line);
  lightLine(line);
}

/** Up and down go from one linked line to the next. */
function moveBetweenLines(event, list, lines) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const linked = [...lines.keys()].filter((index) => lines[index]);
  if (linked.length === 0) return;
  event.preventDefault();
  const step = event.key === "ArrowDown" ? 1 : -1;
  const at = linked.findIndex((index) => lines[index] === state.line);
  const next = linked[at < 0 ? 0 : Math.min(Math.max(at + step, 0), linked.length - 1)];
  state.isPinned = true;
  lightLine(lines[next]);
  list.row(next).scrollIntoView({ block: "nearest" });
}

/** The box of a letter of an element in the window; that behind the last one has no width. */
function boxOfLetter(element, number) {
  const range = document.createRange(),
    walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let rest = number,
    last = element;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (rest < node.length) {
      range.setStart(node, rest);
      range.setEnd(node, rest + 1);
      return range.getBoundingClientRect();
    }
    rest -= node.length;
    last = node;
  }
  range.selectNodeContents(last);
  range.collapse(false);
  const end = range.getBoundingClientRect(),
    row = element.parentElement.getBoundingClientRect();
  return new DOMRect(end.height ? end.left : element.getBoundingClientRect().left, row.top, 0, row.height);
}

/** The lines of the source in `editor`, with what is known of each. */
function sourceRows(editor, lines) {
  const list = lineList(editor, lines);
  const light = lightsOf(editor, list, (index) => index + 1);
  let shown = [],
    wrong = null,
    costs = null,
    products = new Set();
  const rowOf = (index) =>
    make(
      "div",
      {
        class: `${linkedClass(index + 1)}${products.has(index + 1) ? " product" : ""}`,
        "data-line": String(index + 1),
      },
      make("span", { class: "number" }, String(index + 1)),
      costs?.(index + 1),
      make("span", { class: "content" }, highlighted(shown[index], "python")),
    );
  const markError = () => {
    if (wrong !== null) list.remake(wrong);
    const { line, column } = state.error ?? {};
    wrong = line && line <= shown.length ? line - 1 : null;
    if (wrong === null) return;
    const row = list.row(wrong);
    row.classList.add("wrong");
    underline(row.querySelector(".content"), column);
  };
  const rows = {
    fill(text) {
      shown = text.split("\n");
      list.fill(shown, rowOf);
      light(shown.length);
      markError();
    },
    showCosts() {
      const before = costs;
      costs = lineCosts();
      if (!before && !costs) return;
      editor.classList.toggle("costed", costs !== null);
      shown.forEach((_, index) => list.remake(index));
      markError();
    },
    /** Which lines became something. */
    showProducts() {
      products = new Set(texts().flatMap((text) => text.lines));
      shown.forEach((_, index) => list.shownRow(index)?.classList.toggle("product", products.has(index + 1)));
    },
    /** The line at this height of the window, or 0. */
    lineAt(y) {
      const line = 1 + Math.floor((y - lines.getBoundingClientRect().top) / list.height());
      return line <= shown.length ? line : 0;
    },
    /** The box of a letter in the window; both are counted from 0. */
    boxOf: (line, character) => boxOfLetter(list.row(line).querySelector(".content"), character),
    /** The word at a place of the window as {line, begin}, both counted from 0; null where there is none. */
    placeAt(x, y) {
      const line = rows.lineAt(y) - 1;
      if (line < 0) return null;
      const word = [...shown[line].matchAll(/\w+/g)].find(
        ({ 0: text, index }) => rows.boxOf(line, index).left <= x && x < rows.boxOf(line, index + text.length).left,
      );
      return word ? { line, begin: word.index } : null;
    },
  };
  listen("line", editor, () => light(shown.length));
  listen("error", editor, markError);
  listen("data", editor, rows.showProducts);
  return rows;
}

/** The field that takes clicks and keys, above the rows. `changed` is called with each new text. */
function editField(rows, changed) {
  const area = make("textarea", { spellcheck: "false", "aria-label": "kernel's source", autocomplete: "off" });
  area.value = state.source;
  area.addEventListener("input", () => changed(area.value));
  area.addEventListener("keyup", () => lightLine(area.value.slice(0, area.selectionStart).split("\n").length));
  followPointer(area, (event) => rows.lineAt(event.clientY));
  return area;
}

function sourceColumn(onEdit, askText) {
  const lines = make("div", { class: "lines" });
  const sheet = make("div", { class: "sheet" }, lines); // as large as the text, not as the part of it that is visible
  const editor = make("div", { class: "editor" }, sheet);
  const section = make("section", { class: "column", "aria-label": "source" });
  const rows = sourceRows(editor, lines);
  const title = make(
    "div",
    { class: "title" },
    make("strong", {}, "source"),
    make("span", { class: "grow" }, state.data?.path ?? ""),
    costChoice(rows.showCosts),
    colorSwitch(),
  );
  if (state.editable) {
    const discard = make(
      "button",
      { type: "button", id: "discard", title: "the text of the file again" },
      "discard changes",
    );
    discard.hidden = state.source === state.original;
    const area = editField(rows, (text) => {
      state.source = text;
      discard.hidden = text === state.original;
      keepSource();
      rows.fill(text);
      onEdit();
    });
    discard.addEventListener("click", () => {
      area.value = state.original;
      area.dispatchEvent(new InputEvent("input"));
    });
    title.append(discard);
    sheet.append(area);
    const help = assistant(area, rows, askText);
    area.addEventListener("keydown", (event) => help.key(event) || editKey(event, area));
    editor.addEventListener("scroll", help.close);
    section.append(...help.elements);
  } else {
    followPointer(lines);
  }
  rows.fill(state.source);
  if (state.data) rows.showProducts();
  rows.showCosts();
  section.prepend(title, editor);
  return section;
}

/** Whether each line of the kernel, and what it became, has a color. */
function colorSwitch() {
  const box = make("input", { type: "checkbox", id: "colors", checked: document.body.classList.contains("colored") });
  box.addEventListener("change", () => document.body.classList.toggle("colored", box.checked));
  return make("label", { title: "a color for each line and what it became" }, box, "colors");
}

/** Draws a wave from the column to the end of the word. */
function underline(content, column) {
  const text = content.textContent;
  const start = Math.max((column || 1) - 1, 0);
  const word = /^[\w.]+|^./.exec(text.slice(start))?.[0] ?? "";
  content.replaceChildren(text.slice(0, start), make("span", { class: "wavy" }, word), text.slice(start + word.length));
}

/** What the last launch on the simulator says of a line, as a function that makes its gauge; null where nothing shall stand there. */
function lineCosts() {
  const [name, find, format] = costColumns.find(([title]) => title === state.cost) ?? [];
  if (!find || !state.data?.memory) return null;
  const byLine = countsByLine(state.data.memory);
  const most = Math.max(...[...byLine].map(([line, counts]) => (line ? find(counts) : 0)));
  return (line) => {
    const count = byLine.has(line) ? find(byLine.get(line)) : 0;
    return gauge(count, most, `${name} of all programs: ${format(count)}`, count ? format(count) : "");
  };
}

/** Which count of a launch stands beside the lines; nothing before there was a launch. */
function costChoice(show) {
  const select = make(
    "select",
    { id: "cost", "aria-label": "count beside the lines" },
    make("option", { value: "" }, "no counts"),
    costColumns.map(([name]) => make("option", { value: name, selected: name === state.cost }, name)),
  );
  select.addEventListener("change", () => {
    state.cost = select.value;
    show();
  });
  const showChoice = () => {
    select.hidden = !state.data?.memory;
    show();
  };
  listen("memory", select, showChoice);
  listen("data", select, showChoice);
  select.hidden = !state.data?.memory;
  return select;
}

function stageColumn(name, initial) {
  const select = make("select", { "aria-label": name });
  const holder = make("div", { class: "column" });
  const show = () => {
    const all = texts();
    const chosen = all.find((text) => text.name === select.value) ?? all[Math.min(initial, all.length - 1)];
    select.replaceChildren(
      ...all.map((text) => make("option", { value: text.name, selected: text === chosen }, text.name)),
    );
    if (!chosen) return;
    const count = chosen.text.replace(/\n$/, "").split("\n").length;
    const scrolled = holder.querySelector(".text")?.scrollTop ?? 0;
    const live = state.showsLive ? liveRegisters(chosen.text, chosen.name) : null;
    const view = textView(chosen, `${name}: ${chosen.name}`, live);
    holder.replaceChildren(
      make(
        "div",
        { class: "title" },
        select,
        make("span", { class: "grow" }, counted(count, "line")),
        liveSwitch(chosen.name, show),
      ),
      view,
    );
    view.scrollTop = scrolled;
  };
  select.addEventListener("change", show);
  listen("data", holder, show);
  listen("assembled", holder, () => {
    // machine code may be another text now; the one that is shown is the same
    const known = [...select.options].map((option) => option.value);
    select.append(
      ...texts()
        .filter((text) => !known.includes(text.name))
        .map((text) => make("option", { value: text.name }, text.name)),
    );
  });
  show();
  return holder;
}

/** For texts whose registers are understood: whether their number stands before each line. */
function liveSwitch(name, show) {
  if (!["ptx", "amdgcn"].includes(name)) return "";
  const box = make("input", { type: "checkbox", class: "live-switch", checked: state.showsLive });
  box.addEventListener("change", () => {
    state.showsLive = box.checked;
    show();
  });
  return make("label", { title: "how many registers hold a value that is read later" }, box, "live registers");
}

export function codeView(onEdit, askText) {
  const columns = [sourceColumn(onEdit, askText)];
  if (state.data) {
    const last = texts().findLastIndex((text) => text.name !== "sass");
    columns.push(stageColumn("first stage", Math.min(1, last)), stageColumn("second stage", last));
  }
  return make("div", { class: "columns" }, withSplitters(columns));
}

/** Shows a line of the kernel beside what became of it. The way back of the browser leads to where one was. */
export function showPlace(line) {
  jumpToLine(line);
  location.hash = "code";
}

/** A button that shows a place of the kernel. */
export function placeButton(place) {
  return make("button", { class: "place", type: "button", click: () => showPlace(place.line) }, `line ${place.line}`);
}
