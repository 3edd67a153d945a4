// What all views share: the compilation that is shown, and the kernel's line that is lit up.

export const state = {
  data: null, // as Exploration.h makes it
  line: 0, // of the kernel; 0: none
  isPinned: false, // whether the line stays lit when the pointer moves
  source: "", // the kernel's file, as the page has changed it
  original: "", // as it is on the disk
  view: "code",
  pass: null, // the index of the pass that is shown; null: not chosen yet
  layout: 0, // the index of the layout that is shown
  error: null, // {text, line, column} of the last compilation
  editable: false,
  launch: { grid: "", arguments: "" }, // of the simulation; empty: guessed
  simulationProblem: "", // why there is none
  isSimulating: false,
  showsLive: false, // whether lines of assembly have their number of live registers
  cost: "", // what of a launch stands beside the lines of the source; empty: nothing
  shares: [1, 1, 1], // of the columns of code in the window's width
  rows: [], // of the table of arguments: {name, item, is_constant, has_default, value, why}
  reasons: { signature: "", why: new Map() }, // of the last signature that was guessed, by parameter
  launchGuess: null, // {arguments, items} of the last launch
  isJump: false, // while the lit line must come into sight, wherever the pointer is
  kept: [], // versions and files that compilations are compared with
  steps: {
    programs: [], // that the server can run
    chosen: 0, // which of them runs
    path: "", // of the file that is shown
    texts: new Map(), // of files, by path
    points: new Map(), // breakpoints, by path, then by line: {line, id, verified, message}
    kernels: [], // that may be chosen
    kernel: "", // to step through; empty: any
    program: "", // the numbers of the program in the grid; empty: all
    isRunning: false,
    stop: null, // {frames, index, scopes, thread, why, error}
    problem: "", // why the last request failed
    status: "", // how the last program ended
    output: "", // what it has printed
    watched: [], // expressions
    opened: new Set(), // values whose parts are shown
    folded: new Set(["scope Statement", "scope Program"]), // scopes that are not
    values: new Map(), // texts at this stop
    before: new Map(), // at the stop before
  },
  compared: { left: { version: 1, text: null }, right: { version: 0, text: null }, folds: false, problem: "" },
};

const listeners = { data: [], assembled: [], line: [], error: [], memory: [], steps: [] };

/** Calls `listener` when "data", "line", "error", "memory" or "steps" changes, or the assembler's part of the data has come, as long as its element is in the page. */
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

/** The same compilation with what the assembler says. */
export function showAssembled(data) {
  for (const version of state.kept)
    if (version.data === state.data) Object.assign(version, { data, resources: data.explain?.resources });
  state.data = { ...data, memory: state.data.memory };
  tell("assembled");
}

export function showError(error) {
  state.error = error;
  tell("error");
}

/** A simulation begins, or has ended with this launch, or with a problem. */
export function showMemory(isSimulating, memory, problem) {
  state.isSimulating = isSimulating;
  state.simulationProblem = problem;
  if (state.data) state.data.memory = memory;
  tell("memory");
}

/** Something of `state.steps` has changed. */
export const showSteps = () => tell("steps");

export function lightLine(line) {
  state.line = line;
  tell("line");
}

/** Keeps a line lit, and scrolls to it. */
export function jumpToLine(line) {
  state.isPinned = true;
  state.isJump = true;
  lightLine(line);
  state.isJump = false;
}

/** The texts that can be shown: [{name, language, text, lines}], the first stage first. */
export const texts = () => textsOf(state.data);

export function textsOf(data) {
  const found = [];
  const last = new Map();
  for (const pass of data.passes) if (pass.after) last.set(pass.stage, pass.after);
  const isAssembly = (stage) => data.assembly.some((assembly) => assembly.name === stage);
  for (const [stage, after] of last)
    found.push({
      name: isAssembly(stage) ? `${stage}'s llir` : stage,
      language: "ir",
      text: after.text,
      lines: after.lines,
    });
  for (const assembly of data.assembly)
    found.push({ name: assembly.name, language: "assembly", text: assembly.text, lines: assembly.lines });
  return found;
}
