// What all views share: the compilation that is shown, and the kernel's line that is lit up.

export const state = {
  data: null, // as Exploration.h makes it
  line: 0, // of the kernel; 0: none
  isPinned: false, // whether the line stays lit when the pointer moves
  source: "", // the kernel's file, as the page has changed it
  view: "code",
  pass: null, // the index of the pass that is shown; null: not chosen yet
  layout: 0, // the index of the layout that is shown
  error: null, // {text, line, column} of the last compilation
  editable: false,
};

const listeners = { data: [], line: [], error: [] };

/** Calls `listener` when "data", "line" or "error" changes, as long as its element is in the page. */
export function listen(what, element, listener) {
  listeners[what].push({ element, listener });
}

function tell(what) {
  listeners[what] = listeners[what].filter(({ element }) => element.isConnected);
  for (const { listener } of listeners[what]) listener();
}

export function showData(data) {
  state.data = data;
  state.error = null;
  tell("data");
  tell("error");
}

export function showError(error) {
  state.error = error;
  tell("error");
}

export function lightLine(line) {
  state.line = line;
  tell("line");
}

/** The texts that can be shown: [{name, language, text, lines}], the source first. */
export function texts() {
  const data = state.data;
  const found = [];
  const last = new Map();
  for (const pass of data.passes) if (pass.after) last.set(pass.stage, pass.after);
  for (const [stage, after] of last)
    found.push({ name: stage, language: "ir", text: after.text, lines: after.lines });
  for (const assembly of data.assembly)
    found.push({ name: assembly.name, language: "assembly", text: assembly.text, lines: assembly.lines });
  return found;
}
