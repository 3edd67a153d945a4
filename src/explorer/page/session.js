// A session of the debugger: requests of the Debug Adapter Protocol, and what its events change. docs/debugger.md has the protocol's side.
import { showSteps, state } from "./state.js";

const longestOutput = 100_000; // letters that are kept of what the program prints
let postQuestion = null, // asks the server
  session = 0; // the number of the one that runs, so that events of an earlier one are dropped

/** The body of the answer. Throws an Error with a sentence where there is none. */
export async function request(command, args = {}) {
  const answer = await postQuestion("debug", { command, arguments: args });
  if (answer.error) throw new Error(answer.error.text);
  return answer.body ?? {};
}

/** Does something of which only the problem is shown. */
export async function attempt(act) {
  try {
    state.steps.problem = "";
    await act();
  } catch (error) {
    state.steps.problem = error.message;
  }
  showSteps();
}

/** Starts the program again, with the breakpoints that are set. */
export async function startSession(postTo) {
  postQuestion = postTo;
  const own = ++session;
  const steps = state.steps;
  Object.assign(steps, { isRunning: true, stop: null, before: new Map(), values: new Map(), output: "", status: "" });
  showSteps();
  await attempt(async () => {
    const answer = await postQuestion("debug", { command: "start", arguments: { program: state.steps.chosen } });
    if (answer.error) throw new Error(answer.error.text);
    await request("initialize", { adapterID: "triton" });
    await request("launch", choiceOf(steps));
    for (const path of steps.points.keys()) await sendBreakpoints(path);
    await request("setExceptionBreakpoints", { filters: ["errors"] });
    await request("configurationDone");
    followEvents(own);
  });
  if (steps.problem) endSession("");
}

/** Which kernel and program shall be stepped through. */
function choiceOf({ kernel, program }) {
  const numbers = program.split(/[\s,]+/).filter(Boolean);
  return {
    ...(kernel ? { kernel } : {}),
    ...(numbers.length ? { programId: numbers.map((text) => (/^\d+$/.test(text) ? Number(text) : text)) } : {}),
    stopOnEntry: true,
  };
}

/** The program has ended, or was given up. */
export function endSession(status) {
  session++;
  Object.assign(state.steps, { isRunning: false, stop: null, status });
  showSteps();
}

async function followEvents(own) {
  for (let after = 0; own === session;) {
    let answer;
    try {
      answer = await request("events", { after });
    } catch (error) {
      if (own !== session) return;
      state.steps.problem = error.message;
      return endSession("");
    }
    for (const event of answer.events) if (own === session) await take(event);
    after += answer.events.length;
    if (answer.ended && own === session) endSession("the debugger has ended");
  }
}

async function take({ event, body }) {
  const { steps } = state;
  if (event === "output") {
    steps.output = (steps.output + body.output).slice(-longestOutput);
    showSteps();
  } else if (event === "breakpoint") {
    for (const points of steps.points.values())
      for (const [line, point] of points)
        if (point.id === body.breakpoint.id) points.set(line, { ...point, ...body.breakpoint });
    showSteps();
  } else if (event === "stopped") {
    await attempt(() => takeStop(body));
  } else if (event === "exited") {
    steps.status = `the program has ended with status ${body.exitCode}`;
  } else if (event === "terminated") {
    const { status } = steps;
    request("disconnect").catch(() => null); // it may have ended
    endSession(status);
  }
}

const reasons = {
  breakpoint: "a breakpoint",
  step: "a step",
  entry: "the first statement",
  exception: "an error",
  pause: "a pause",
  "data breakpoint": "a write",
};

async function takeStop({ reason, text, description }) {
  const { stackFrames } = await request("stackTrace", { threadId: 1 });
  const { threads } = await request("threads");
  const why = description ?? reasons[reason] ?? reason;
  state.steps.before = state.steps.values;
  state.steps.values = new Map();
  state.steps.stop = { frames: stackFrames, thread: threads[0].name, why, error: text ?? "" };
  await chooseFrame(0);
}

/** Shows another function of those that are being called. */
export async function chooseFrame(index) {
  const { steps } = state;
  const frame = steps.stop.frames[index];
  await showFile(frame.source.path);
  const { scopes } = await request("scopes", { frameId: frame.id });
  Object.assign(steps.stop, { index, scopes });
  showSteps();
}

/** The text of a file, which the program may have imported from anywhere. */
async function showFile(path) {
  const { steps } = state;
  if (!steps.texts.has(path)) steps.texts.set(path, (await request("source", { source: { path } })).content);
  steps.path = path;
}

/** Lets the program go on by a request of the protocol: "next", "stepBack" and others. */
export const goOn = (command) =>
  attempt(async () => {
    state.steps.stop = null;
    showSteps();
    await request(command, { threadId: 1 });
  });

/** What the parts of a value are. */
export const partsOf = async (variablesReference, count) =>
  (await request("variables", { variablesReference, start: 0, count })).variables;

export const evaluate = (expression) =>
  request("evaluate", { expression, frameId: state.steps.stop.frames[state.steps.stop.index].id });

export const pointsOf = (path) => state.steps.points.get(path) ?? new Map();

/** Sets a breakpoint at a line of the file that is shown, or removes it. */
export async function toggleBreakpoint(line) {
  const { path, points, isRunning } = state.steps;
  if (!points.has(path)) points.set(path, new Map());
  const ofFile = points.get(path);
  if (!ofFile.delete(line)) ofFile.set(line, { line });
  if (isRunning) await attempt(() => sendBreakpoints(path));
  else showSteps();
}

/** They move to statements of kernels; the answer says where. */
async function sendBreakpoints(path) {
  const ofFile = pointsOf(path);
  const asked = [...ofFile.keys()].map((line) => ({ line }));
  const { breakpoints } = await request("setBreakpoints", { source: { path }, breakpoints: asked });
  ofFile.clear();
  for (const point of breakpoints) ofFile.set(point.line, point);
}
