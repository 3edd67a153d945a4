// Columns whose widths can be changed.
import { state } from "./state.js";
import { make } from "./text.js";

const step = 40; // pixels, of an arrow key
const least = 0.1; // of both columns together

/** A bar between the column with this number and the next one. The pointer and the arrow keys move it. */
function splitter(columns, number) {
  const pair = [columns[number], columns[number + 1]];
  const bar = make("div", {
    class: "splitter",
    role: "separator",
    tabindex: "0",
    "aria-orientation": "vertical",
    "aria-label": `border behind column ${number + 1}`,
  });
  const show = () => {
    const [left, right] = [state.shares[number], state.shares[number + 1]];
    pair[0].style.flexGrow = left;
    pair[1].style.flexGrow = right;
    bar.setAttribute("aria-valuenow", String(Math.round((100 * left) / (left + right))));
  };
  const move = (pixels) => {
    const [left, right] = pair.map((column) => column.offsetWidth);
    const both = state.shares[number] + state.shares[number + 1];
    const share = Math.min(Math.max((left + pixels) / (left + right), least), 1 - least);
    state.shares[number] = both * share;
    state.shares[number + 1] = both * (1 - share);
    show();
  };
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) move(event.clientX - bar.getBoundingClientRect().left);
  });
  bar.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -step, ArrowRight: step }[event.key];
    if (!way) return;
    event.preventDefault();
    move(way);
  });
  show();
  return bar;
}

/** The columns with bars between them. */
export const withSplitters = (columns) =>
  columns.flatMap((column, number) => (number + 1 < columns.length ? [column, splitter(columns, number)] : [column]));
