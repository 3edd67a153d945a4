// Stepping through a program of the kernel, forwards and backwards: the page as a client of the debugger.
import { lineList } from "./lines.js";
import { withSplitters } from "./panes.js";
import { attempt, chooseFrame, endSession, evaluate, goOn } from "./session.js";
import { partsOf, pointsOf, request, startSession, toggleBreakpoint } from "./session.js";
import { listen, showSteps, state } from "./state.js";
import { counted, highlighted, make } from "./text.js";

const mostParts = 64; // of a value, beside those with names
const ways = [
  ["continue", "continue", "c", "to the next breakpoint"],
  ["over", "next", "n", "to the next statement, over calls"],
  ["into", "stepIn", "i", "to the next statement, into calls"],
  ["out", "stepOut", "o", "out of the function"],
  ["back", "stepBack", "b", "to the statement before, over calls"],
  ["reverse", "reverseContinue", "r", "back to the last breakpoint that was hit"],
  ["restart", "restartFrame", "s", "to the first statement of the program"],
];

/** The file that is shown, with breakpoints in the margin. */
function sourcePane() {
  const text = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": "source of the program" });
  const title = make("span", { class: "grow" });
  const list = lineList(text, text);
  let path = null,
    lines = [],
    marked = new Set();
  const row = (index) => {
    const { stop } = state.steps;
    const line = index + 1;
    const point = pointsOf(path).get(line);
    const isCurrent = stop?.frames[stop.index]?.source.path === path && stop.frames[stop.index].line === line;
    const kind = point ? (point.verified === false ? " unsure" : " point") : "";
    return make(
      "div",
      { class: `line${isCurrent ? " current" : ""}`, "aria-current": isCurrent && "step" },
      make(
        "span",
        {
          class: `number margin${kind}`,
          title: point?.message ?? "set or remove a breakpoint",
          "data-line": String(line),
        },
        String(line),
      ),
      make("span", {}, highlighted(lines[index], "python")),
    );
  };
  const show = () => {
    const { steps } = state;
    if (path !== steps.path) text.replaceChildren();
    const shown = (steps.texts.get(steps.path) ?? "").split("\n");
    const isOther = path !== steps.path || lines.length !== shown.length;
    [path, lines] = [steps.path, shown];
    title.textContent = path;
    list.fill(shown, row);
    const stop = steps.stop?.frames[steps.stop.index];
    const now = new Set([...pointsOf(path).keys(), ...(stop?.source.path === path ? [stop.line] : [])]);
    for (const line of new Set([...marked, ...now])) if (line <= shown.length) list.remake(line - 1);
    marked = now;
    if (stop && now.has(stop.line)) list.row(stop.line - 1).scrollIntoView({ block: isOther ? "center" : "nearest" });
  };
  text.addEventListener("click", (event) => {
    const line = Number(event.target.closest(".margin")?.dataset.line ?? 0);
    if (line) toggleBreakpoint(line);
  });
  return {
    element: make("section", { class: "column", "aria-label": "source" }, make("div", { class: "title" }, title), text),
    show,
  };
}

/** A value with its name; what it consists of is asked for when it is opened, and stays open over steps. */
function valueRow({ name, value, type, variablesReference, indexedVariables }, path, expression = null) {
  const { steps } = state;
  const key = `${path}/${name}`;
  steps.values.set(key, value);
  const isChanged = steps.before.has(key) && steps.before.get(key) !== value;
  const isBlock = value.includes("\n");
  const shown = make(
    isBlock ? "pre" : "span",
    { class: isChanged ? "value changed" : "value", title: type || null },
    value,
  );
  const head = [make("code", {}, name), " ", isBlock ? null : shown];
  if (expression && type?.startsWith("pointer<")) head.push(" ", writersButton(expression));
  if (!variablesReference) return make("div", { class: "leaf" }, head, isBlock ? shown : null);
  const body = make("div", { class: "parts" });
  const details = make("details", { "data-value": key }, make("summary", {}, head), body);
  const open = async () => {
    const parts = await partsOf(variablesReference, mostParts);
    const rest = (indexedVariables ?? 0) - mostParts;
    body.replaceChildren(
      ...parts.map((part) => valueRow(part, key)),
      ...(rest > 0 ? [make("div", { class: "help" }, `${rest} more: see slices, such as ${name}[${mostParts}:]`)] : []),
    );
  };
  details.addEventListener("toggle", () => {
    if (details.open) steps.opened.add(key);
    else steps.opened.delete(key);
    if (details.open && !body.firstChild) open().catch((error) => body.replaceChildren(error.message));
  });
  details.open = steps.opened.has(key);
  return details;
}

/** Asks who has written the elements that a pointer leads to. */
function writersButton(expression) {
  const add = (event) => {
    event.preventDefault(); // it stands in a summary, which would open
    watch(`last_write(${expression})`);
  };
  return make("button", { type: "button", class: "place", click: add }, "who wrote this");
}

function watch(text) {
  const { watched } = state.steps;
  if (text.trim() && !watched.includes(text.trim())) watched.push(text.trim());
  showSteps();
}

/** An expression with its value, or why it has none. */
function watchedRow(text) {
  const holder = make("div", {}, make("code", {}, text), " …");
  const remove = make("button", {
    type: "button",
    class: "place",
    "aria-label": `remove ${text}`,
    click: () => {
      state.steps.watched = state.steps.watched.filter((each) => each !== text);
      showSteps();
    },
  });
  remove.append("×");
  const found = evaluate(text).then((answer) =>
    valueRow({ ...answer, name: text, value: answer.result }, "expressions"),
  );
  found
    .catch((error) => make("span", { class: "missed" }, make("code", {}, text), ` ${error.message}`))
    .then((element) => holder.replaceChildren(remove, element));
  return make("div", { class: "watched" }, holder);
}

/** What belongs to a scope of the frame. All but what the statement computes on its way is open at first. */
function scopeRow(scope) {
  const { steps } = state;
  const key = `scope ${scope.name}`;
  const body = make("div", { class: "parts" });
  const details = make(
    "details",
    { "data-scope": scope.name },
    make("summary", {}, make("strong", {}, scope.name)),
    body,
  );
  const isPointed = ["Locals", "Arguments", "Statement"].includes(scope.name);
  const fill = async () => {
    const parts = await partsOf(scope.variablesReference, mostParts);
    body.replaceChildren(...parts.map((part) => valueRow(part, scope.name, isPointed ? part.name : null)));
    if (!parts.length) body.replaceChildren(make("span", { class: "help" }, "nothing"));
  };
  details.addEventListener("toggle", () => {
    steps.folded[details.open ? "delete" : "add"](key);
    if (details.open && !body.firstChild) fill().catch((error) => body.replaceChildren(error.message));
  });
  details.open = !steps.folded.has(key);
  return details;
}

/** The functions that are being called, the innermost first. */
const frameList = ({ frames, index }) =>
  make(
    "ul",
    { class: "frames" },
    frames.map((frame, at) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: "place",
            "aria-current": String(at === index),
            click: () => attempt(() => chooseFrame(at)),
          },
          `${frame.name}, ${frame.source.name}:${frame.line}`,
        ),
      ),
    ),
  );

function valuePane() {
  const about = make("p", { id: "stop", role: "status" });
  const values = make("div", { id: "values" });
  const expressions = make("div", { id: "expressions" });
  const input = make("input", {
    id: "expression",
    "aria-label": "expression",
    placeholder: "acc[0:4], last_write(out + 5)",
    spellcheck: "false",
    autocomplete: "off",
  });
  const form = make(
    "form",
    {},
    make("label", { class: "wide" }, "expression ", input),
    make("button", { type: "submit" }, "show"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    watch(input.value);
    input.value = "";
  });
  const output = make("pre", { id: "output", "aria-label": "what the program prints" });
  const page = make("div", { class: "page" }, about, values, form, expressions, make("h2", {}, "output"), output);
  let shown = null;
  const show = () => {
    const { stop, output: printed, watched } = state.steps;
    about.className = stop?.error || state.steps.problem ? "missed" : "";
    about.textContent =
      state.steps.problem || (stop ? `${stop.thread}: ${stop.why}${stop.error ? `: ${stop.error}` : ""}` : whatNow());
    output.textContent = printed;
    form.hidden = !state.steps.isRunning;
    const what = stop?.scopes ? [stop.scopes, stop.index, ...watched] : null;
    if (what && shown && what.length === shown.length && what.every((each, at) => each === shown[at])) return;
    shown = what;
    values.replaceChildren(...(what ? [frameList(stop), ...stop.scopes.map(scopeRow)] : []));
    expressions.replaceChildren(...(what ? watched.map(watchedRow) : []));
  };
  return { element: make("section", { class: "column", "aria-label": "values" }, page), show };
}

const whatNow = () =>
  state.steps.isRunning
    ? "The program runs."
    : state.steps.status || "Set breakpoints in the margin, and start the program.";

/** A field for a part of `state.steps`. */
function choiceField(id, placeholder, list = null) {
  const input = make("input", {
    id: `step-${id}`,
    size: "14",
    placeholder,
    list,
    autocomplete: "off",
    spellcheck: "false",
  });
  input.addEventListener("change", () => (state.steps[id] = input.value.trim()));
  return input;
}

/** Fields for the launch, the kernel and the program, and the buttons by which it goes on. */
function controls(post) {
  const { steps } = state;
  const kernel = choiceField("kernel", "any", "step-kernels");
  const program = choiceField("program", "all, or 3, 0");
  const kernels = make("datalist", { id: "step-kernels" });
  const button = (id, text, act) => make("button", { type: "button", id, click: () => attempt(act) }, text);
  const start = make("button", { type: "submit", id: "start" });
  const stop = button("stop-program", "end", end);
  const pause = button("pause", "pause", () => request("pause", { threadId: 1 }));
  const buttons = ways.map(([text, command, key, about]) =>
    make(
      "button",
      { type: "button", "data-step": command, title: `${about} (key ${key})`, click: () => goOn(command) },
      text,
    ),
  );
  const fields = [
    launchChoice(),
    make("label", {}, "kernel ", kernel),
    kernels,
    make("label", {}, "program ", program),
  ];
  const form = make("form", { class: "controls" }, fields, start, buttons, pause, stop);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    startSession(post);
  });
  const show = () => {
    if (document.activeElement !== kernel) kernel.value = steps.kernel;
    if (document.activeElement !== program) program.value = steps.program;
    kernels.replaceChildren(...steps.kernels.map((value) => make("option", { value })));
    start.textContent = steps.isRunning ? "start again" : "start";
    for (const each of buttons) each.disabled = !steps.stop;
    stop.disabled = !steps.isRunning;
    pause.disabled = !steps.isRunning || Boolean(steps.stop);
  };
  return { element: form, show };
}

async function end() {
  const ended = request("terminate");
  endSession("the program was ended");
  await ended.catch(() => null); // it may have ended before
}

export function stepsView(post) {
  const parts = [controls(post), sourcePane(), valuePane()];
  const [bar, ...columns] = parts.map(({ element }) => element);
  const pane = make("div", { class: "pane" }, bar, make("div", { class: "columns" }, withSplitters(columns)));
  const show = () => parts.forEach((part) => part.show());
  listen("steps", pane, show);
  show();
  return pane;
}

/** The keys of the buttons, where they mean nothing else. */
export function stepKey(key) {
  const way = ways.find(([, , letter]) => letter === key);
  if (way && state.view === "steps" && state.steps.stop) goOn(way[1]);
}

/** What can be stepped through: a program with arguments, or launches, as the server names them. */
export function takePrograms(programs) {
  state.steps.programs = programs;
  return takeProgram(0);
}

function takeProgram(chosen) {
  const { program, arguments: given, path, source, kernels, kernel } = state.steps.programs[chosen];
  Object.assign(state.steps, { chosen, path, kernels, kernel });
  if (path) state.steps.texts.set(path, source);
  return [program, ...given].join(" ") + (kernels.length ? `, ${counted(kernels.length, "kernel")}` : "");
}

/** The launches among which the user chooses. */
function launchChoice() {
  const { programs, chosen } = state.steps;
  if (programs.length < 2) return null;
  const options = programs.map(({ program }, index) =>
    make("option", { value: String(index), selected: index === chosen }, program),
  );
  const choose = (event) => {
    takeProgram(Number(event.target.value));
    showSteps();
  };
  return make("label", {}, "launch ", make("select", { id: "step-launch", change: choose }, options));
}
