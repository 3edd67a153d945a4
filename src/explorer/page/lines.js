// Long texts. Only lines near the visible part are elements of their own. The others are plain text, many lines in one
// element, so that a text of any length appears at once, and the browser still finds its words.
import { state } from "./state.js";
import { counted, make } from "./text.js";

const partLines = 100; // in one element
const longText = 400; // shorter texts are shown whole
const hues = 6; // of the kernel's lines, where these have colors

/** Lines in `holder`, which scrolls in `view`. They all have the same height. */
export function lineList(view, holder) {
  const parts = []; // {element, text, rows}
  let makeRow = null;
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) showPart(parts.findIndex((part) => part.element === target));
    },
    { root: view, rootMargin: "800px 0px" },
  );
  const showPart = (index) => {
    const part = parts[index];
    if (!part || part.rows) return;
    near.unobserve(part.element);
    part.rows = part.text
      .slice(0, -1)
      .split("\n")
      .map((_, at) => makeRow(index * partLines + at));
    part.element.className = "";
    part.element.replaceChildren(...part.rows);
  };
  const hideRows = (part) => {
    part.rows = null;
    part.element.className = "plain";
    part.element.textContent = part.text;
    near.observe(part.element);
  };
  return {
    /** Parts whose text is as before stay as they are. */
    fill(lines, makeRowAt) {
      makeRow = makeRowAt;
      const count = Math.ceil(lines.length / partLines);
      for (const { element } of parts.splice(count)) element.remove();
      for (let index = 0; index < count; index++) {
        const text = `${lines.slice(index * partLines, (index + 1) * partLines).join("\n")}\n`;
        const part = (parts[index] ??= { element: holder.appendChild(make("div")), text: null, rows: null });
        if (part.text === text) continue;
        const isShown = part.rows || index === 0 || lines.length <= longText;
        part.text = text;
        hideRows(part);
        if (isShown) showPart(index);
      }
    },
    row(index) {
      showPart(Math.floor(index / partLines));
      return this.shownRow(index);
    },
    /** Null while it is plain text. */
    shownRow: (index) => parts[Math.floor(index / partLines)]?.rows?.[index % partLines] ?? null,
    /** Makes the row again, because something else than its text has changed. */
    remake(index) {
      const row = this.shownRow(index);
      if (!row) return;
      const made = makeRow(index);
      parts[Math.floor(index / partLines)].rows[index % partLines] = made;
      row.replaceWith(made);
    },
    height: () => parts[0].element.offsetHeight / parts[0].text.split("\n").slice(1).length,
  };
}

/** Rows, each as its text and a function that makes it, in an element that scrolls. */
export function showRows(view, rows) {
  lineList(view, view).fill(
    rows.map(([text]) => text),
    (index) => rows[index][1](),
  );
}

/** A row that stands for lines that are left out. */
export function skippedRow(count) {
  const text = counted(count, "equal line");
  return [text, () => make("div", { class: "line skipped" }, make("span", { class: "number" }, "⋯"), text)];
}

/** Returns a function that lights the lines which belong to the kernel's line, and scrolls to the first unless one is visible. Under the pointer, nothing moves by itself. */
export function lightsOf(view, list, lineOf) {
  let lit = [];
  return (count) => {
    for (const index of lit) list.shownRow(index)?.classList.remove("light");
    lit = [];
    if (state.line === 0) return;
    for (let index = 0; index < count; index++) if (lineOf(index) === state.line) lit.push(index);
    for (const index of lit) list.shownRow(index)?.classList.add("light");
    const height = list.height(),
      top = view.scrollTop,
      shown = view.clientHeight;
    const isVisible = lit.some((index) => (index + 1) * height > top && index * height < top + shown);
    if (lit.length > 0 && !isVisible && (state.isJump || !view.matches(":hover")))
      view.scrollTop = lit[0] * height - shown / 3;
  };
}

/** The class of a line that belongs to a line of the kernel. */
export const linkedClass = (source) =>
  source ? `line linked hue-${source % hues}${source === state.line ? " light" : ""}` : "line";
