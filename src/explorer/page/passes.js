// Every pass with its time and what it changed.
import { followPointer, textView } from "./code.js";
import { difference, withoutNumbers } from "./diff.js";
import { showRows, skippedRow } from "./lines.js";
import { state } from "./state.js";
import { duration, highlighted, make } from "./text.js";

const context = 3; // lines around a change that are shown

/** The text before and after a pass; without a change, both are the same. */
function aroundPass(index) {
  const passes = state.data.passes;
  let before = null,
    after = null;
  for (let i = 0; i <= index; i++)
    if (passes[i].after) {
      before = after;
      after = passes[i].after;
    }
  if (!passes[index].after) before = after;
  return { before: before ?? { text: "", lines: [] }, after: after ?? { text: "", lines: [] } };
}

const split = (text) => text.replace(/\n$/, "").split("\n");

/** Whole lines of the difference, with runs of equal lines folded. */
function differenceView({ before, after }) {
  const old = split(before.text),
    now = split(after.text);
  const steps = difference(old.map(withoutNumbers), now.map(withoutNumbers));
  const isNear = steps.map(() => false);
  steps.forEach((step, index) => {
    if (step.kind !== "same")
      for (let i = Math.max(0, index - context); i <= Math.min(steps.length - 1, index + context); i++)
        isNear[i] = true;
  });
  const view = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": "what the pass changed" });
  const rows = []; // [text, function that makes the row]
  let skipped = 0;
  const flush = () => {
    if (skipped) rows.push(skippedRow(skipped));
    skipped = 0;
  };
  steps.forEach((step, index) => {
    if (!isNear[index]) {
      skipped++;
      return;
    }
    flush();
    const isOld = step.kind === "removed";
    const source = (isOld ? before.lines[step.before] : after.lines[step.after]) ?? 0;
    const sign = { same: " ", added: "+", removed: "−" }[step.kind];
    const text = isOld ? old[step.before] : now[step.after];
    rows.push([
      `${sign} ${text}`,
      () =>
        make(
          "div",
          { class: `line ${step.kind}${source ? " linked" : ""}`, "data-line": source || null },
          make("span", { class: "number" }, String((isOld ? step.before : step.after) + 1)),
          `${sign} `,
          make("span", {}, highlighted(text, "ir")),
        ),
    ]);
  });
  flush();
  showRows(view, rows);
  if (!isNear.includes(true)) view.append(make("p", { class: "help" }, "Only numbers of values differ."));
  followPointer(view);
  return view;
}

function passPane(index, showsAll) {
  const pass = state.data.passes[index];
  const around = aroundPass(index);
  if (!pass.after && !showsAll) return make("p", { class: "page help" }, `${pass.name} changed nothing.`);
  return showsAll ? textView({ ...around.after, language: "ir" }, "text after the pass") : differenceView(around);
}

export function passesView() {
  const passes = state.data.passes;
  if (!state.data.has_each_text) return [make("p", { class: "page help" }, "The text after each pass comes next.")];
  state.pass = Math.min(state.pass ?? passes.findIndex((pass, index) => index > 0 && pass.after), passes.length - 1);
  const slowestOf = (stage) =>
    Math.max(...passes.filter((pass) => pass.stage === stage).map((pass) => pass.seconds), 1e-9);
  const pane = make("div", { class: "pane" });
  const buttons = [];
  const list = make("nav", { class: "list", "aria-label": "passes" });
  const slider = make("input", { type: "range", min: "0", max: String(passes.length - 1), "aria-label": "pass" });
  const all = make("input", { type: "checkbox", id: "whole-text" });
  const title = make("strong");
  const purpose = make("span", { class: "help", id: "purpose" });
  const body = make("div", { class: "pane" });
  const show = (index) => {
    state.pass = index;
    slider.value = String(index);
    buttons.forEach((button, i) => button.setAttribute("aria-current", String(i === index)));
    buttons[index].scrollIntoView({ block: "nearest" });
    const pass = passes[index];
    purpose.textContent = pass.purpose ?? "";
    title.textContent = `${index + 1}. ${pass.stage}: ${pass.name}, ${duration(pass.seconds)}`;
    body.replaceChildren(passPane(index, all.checked));
  };
  let stage = "";
  passes.forEach((pass, index) => {
    if (pass.stage !== stage) {
      stage = pass.stage;
      const total = passes.filter((other) => other.stage === stage).reduce((sum, other) => sum + other.seconds, 0);
      list.append(make("div", { class: "stage" }, stage, make("span", { class: "time" }, duration(total))));
    }
    const bar = make("span", { class: "bar" });
    bar.style.width = `${(100 * pass.seconds) / slowestOf(pass.stage)}%`;
    const button = make(
      "button",
      { type: "button", class: pass.after ? "" : "same", click: () => show(index) },
      make("span", { class: "time" }, duration(pass.seconds)),
      pass.name,
      bar,
    );
    buttons.push(button);
    list.append(button);
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  all.addEventListener("change", () => show(state.pass));
  pane.append(
    make("div", { class: "slider" }, title, slider, make("label", {}, all, "whole text")),
    make("div", { class: "page-note" }, purpose),
    body,
  );
  queueMicrotask(() => show(state.pass));
  return [list, pane];
}
