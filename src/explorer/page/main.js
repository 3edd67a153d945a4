// The page: chooses the view, asks the server, and shows what goes wrong.
import { questionOfAddress, showAddress, sourceOfStorage } from "./address.js";
import { argumentTable, presetChoice, signatureOf, takeLaunch, takeParameters } from "./arguments.js";
import { codeView } from "./code.js";
import { compareView } from "./compare.js";
import { factsView } from "./facts.js";
import { layoutsView } from "./layouts.js";
import { passesView } from "./passes.js";
import { memoryView } from "./memory.js";
import { jumpToLine, listen, showAssembled, showData, showError, showMemory, state } from "./state.js";
import { stepKey, stepsView, takePrograms } from "./steps.js";
import { make } from "./text.js";
import { timesView } from "./times.js";

const views = {
  code: { title: "Code", make: () => codeView(askSoon, askText) },
  passes: { title: "Passes", make: passesView },
  layouts: { title: "Layouts", make: layoutsView },
  facts: { title: "Facts", make: factsView },
  times: { title: "Times", make: timesView },
  compare: { title: "Compare", make: compareView },
  memory: { title: "Memory", make: () => memoryView(simulate) },
};
const stepping = { title: "Steps", make: () => stepsView(post) }; // where there is a debugger
const typingPause = 80; // milliseconds without a key before the page asks
const byId = (id) => document.getElementById(id);
const page = crypto.randomUUID?.() ?? String(Math.random()); // of several that one server has

function openView(name) {
  state.view = name;
  history.replaceState(null, "", `#${name}`);
  for (const button of byId("views").children) {
    const isOpen = button.dataset.view === name;
    button.setAttribute("aria-selected", String(isOpen));
    button.tabIndex = isOpen ? 0 : -1;
  }
  const main = byId("view");
  main.className = name;
  if (!state.data && !["code", "steps"].includes(name))
    return main.replaceChildren(
      make("p", { class: "page help" }, "There is nothing to show before the kernel compiles."),
    );
  main.replaceChildren(...[views[name].make()].flat());
  if (name === "code" && state.isPinned) jumpToLine(state.line);
}

/** The address may be changed by hand, by the browser's way back, and by links to lines. */
function followAddress() {
  const name = location.hash.slice(1);
  if (views[name] && name !== state.view) openView(name);
  if (state.data && state.editable) showAddress(question()); // which the way back does not change
}

function makeTabs() {
  const names = Object.keys(views);
  byId("views").append(
    ...names.map((name, index) =>
      make(
        "button",
        { type: "button", role: "tab", "data-view": name, title: `key ${index + 1}`, click: () => openView(name) },
        views[name].title,
      ),
    ),
  );
  byId("views").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = names[(names.indexOf(state.view) + step + names.length) % names.length];
    openView(next);
    byId("views").querySelector(`[data-view="${next}"]`).focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.altKey || event.metaKey) return;
    const name = names[Number(event.key) - 1];
    if (name) openView(name);
    else stepKey(event.key);
  });
}

/** A view that can change in place keeps its scroll position and the caret; the others are made again. */
function dataChanged(isFirst) {
  const data = state.data;
  byId("kernel-name").textContent = `${data.kernel} on ${data.target}`;
  document.title = `${data.kernel} — tritonc explore`;
  if (isFirst || state.view !== "code") openView(state.view);
}

function fillForm(first) {
  byId("question").hidden = false;
  const values = {
    target: first.target,
    signature: first.signature,
    "num-warps": first.num_warps,
    "num-stages": first.num_stages,
  };
  for (const [id, value] of Object.entries(values)) {
    byId(id).value = value;
    byId(id).addEventListener("change", ask);
  }
  byId("kernel").addEventListener("change", () => {
    byId("signature").value = ""; // that of the other kernel; the answer has a guess
    ask();
  });
  byId("question").addEventListener("submit", (event) => event.preventDefault());
  setKernels([first.kernel], first.kernel);
}

/** The chosen kernel may have gone from the file. */
function setKernels(names, chosen) {
  const all = names.includes(chosen) ? names : [chosen, ...names];
  byId("kernel").replaceChildren(
    ...all.map((name) => make("option", { value: name, selected: name === chosen }, name || "the only one")),
  );
}

let timer = 0,
  asked = 0;
function askSoon() {
  clearTimeout(timer);
  setAsking(true);
  timer = setTimeout(ask, typingPause);
}

/** Shows what all stages but the assembler's give as soon as that is known, and then the text after each pass and what
    the assembler says. */
async function ask() {
  clearTimeout(timer);
  simulation?.abort(); // it is that of another kernel now
  setAsking(true);
  const number = ++asked;
  const answer = await askOnce(number, true);
  if (answer && !answer.is_complete && number === asked) await askOnce(number, false);
}

/** Where the assembler is missing or refuses the kernel, the text after each pass is known all the same. */
async function askTexts(number) {
  const answer = await post("compile", { ...question(), quick: true }).catch(() => null);
  if (number === asked && answer?.passes) takeAssembled(answer);
}

/** What is shown belongs to an earlier question: its errors while the next one waits, its texts until one compiles. */
function setAsking(isAsking) {
  document.body.classList.toggle("asking", isAsking);
  if (isAsking) document.body.classList.add("stale");
}

const table = argumentTable(
  () => {
    byId("signature").value = signatureOf(state.rows);
    ask();
  },
  () => state.view === "memory" && openView("memory"),
);

/** The arguments as they are compiled for. A table in which someone is at work stays, unless it shows something else. */
function showArguments({ parameters, configurations, guessed, signature }) {
  if (guessed?.length) state.reasons = { signature, why: new Map(guessed.map(({ name, why }) => [name, why])) };
  if (!parameters) return;
  const before = JSON.stringify(state.rows);
  takeParameters(parameters, state.reasons.signature === signature ? state.reasons.why : new Map());
  const count = state.rows.filter((row) => row.why).length;
  byId("arguments-pane").hidden = state.rows.length === 0;
  byId("arguments-summary").textContent =
    `arguments: ${signature || signatureOf(state.rows)}${count ? ` (${count} guessed)` : ""}`;
  if (JSON.stringify(state.rows) === before) return;
  table.show();
  byId("presets").replaceChildren(
    ...[state.editable ? presetChoice(configurations, choosePreset) : null].filter(Boolean),
  );
}

function choosePreset(chosen) {
  if (chosen.target) byId("target").value = chosen.target;
  if (chosen.num_warps) byId("num-warps").value = chosen.num_warps;
  if (chosen.num_stages) byId("num-stages").value = chosen.num_stages;
  if (chosen.grid) {
    state.launch = { grid: chosen.grid, arguments: chosen.arguments };
    takeLaunch();
    if (state.view === "memory") openView("memory");
  }
  byId("signature").value = signatureOf(state.rows);
  table.show();
  ask();
}

function showQuickAnswer(answer, milliseconds) {
  const isFirst = !state.data;
  document.body.classList.remove("stale");
  showData(answer);
  showArguments(answer);
  setKernels(answer.kernels, answer.kernel);
  const signature = byId("signature");
  if (document.activeElement !== signature) signature.value = answer.signature;
  dataChanged(isFirst);
  showAddress(question());
  setOutcome(`compiled and shown in ${Math.round(milliseconds)} ms`);
}

/** Only these views show more of a kernel that is assembled; the others stay as they are, with what was chosen in them. */
function takeAssembled(answer) {
  const isWithoutTexts = state.view === "passes" && !state.data.has_each_text;
  showAssembled(answer);
  if (["facts", "times"].includes(state.view) || isWithoutTexts) openView(state.view);
}

/** The answer, when the compilation succeeded and is shown; else null. */
async function askOnce(number, quick) {
  const begin = performance.now();
  const waiting = showWaiting(quick ? "compiling" : "waiting for the assembler", quick ? 200 : 1000);
  try {
    const answer = await post("compile", { ...question(), quick, each_text: !quick || state.view === "passes" });
    if (number !== asked) return null;
    setAsking(false);
    if (answer.abandoned || answer.error) {
      setOutcome(answer.error ? "does not compile" : "cancelled");
      showError(answer.error ?? null);
      if (answer.kernels) setKernels(answer.kernels, byId("kernel").value);
      showArguments(answer);
      if (answer.signature && byId("signature").value === "") byId("signature").value = answer.signature;
      if (!quick && !state.data.has_each_text) await askTexts(number);
      return null;
    }
    if (quick) showQuickAnswer(answer, performance.now() - begin);
    else takeAssembled(answer);
    return answer;
  } catch (error) {
    if (number === asked) {
      setAsking(false);
      setOutcome(`no answer from tritonc: ${error.message}`);
    }
    return null;
  } finally {
    waiting.end();
  }
}

/** An answer whose signal is aborted is given up by the server, too. */
async function post(path, request, signal = null) {
  const response = await fetch(path, {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ page, ...request }),
  });
  return response.json();
}

/** What the language server answers about a place of the text; null: nothing. */
async function askText(method, position) {
  try {
    return (await post("text", { source: state.source, method, ...position })).result ?? null;
  } catch {
    return null; // the next compilation says that there is no server
  }
}

/** Copies the address, which leads to what the page shows. */
async function copyLink() {
  showAddress(question());
  try {
    await navigator.clipboard.writeText(location.href);
    setOutcome("the link is copied");
  } catch {
    setOutcome(location.href); // the browser gives no access to what is copied
  }
}

/** Saves a page of what is shown that needs no server, with the launch if there was one. */
async function savePage() {
  const waiting = showWaiting("making the page", 200);
  try {
    const answer = await post("export", { ...question(), ...(state.data?.memory ? state.launch : {}) });
    if (!answer.page) return setOutcome(answer.error?.text ?? "cancelled");
    const address = URL.createObjectURL(new Blob([answer.page], { type: "text/html" }));
    make("a", { href: address, download: `${state.data?.kernel || "kernel"}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    setOutcome("the page is saved");
  } catch (error) {
    setOutcome(`no answer from tritonc: ${error.message}`);
  } finally {
    waiting.end();
  }
}

/** What the fields of the page ask for. */
function question() {
  return {
    source: state.source,
    kernel: byId("kernel").value,
    target: byId("target").value,
    signature: byId("signature").value,
    num_warps: Number(byId("num-warps").value),
    num_stages: Number(byId("num-stages").value),
  };
}

let outcome = ""; // of the last compilation
const waits = []; // what is waited for: {what, begin, isShown}, the latest last

/** What takes long, with its seconds and a button that gives it up, or else the outcome. */
function showStatus() {
  const wait = waits.findLast((each) => each.isShown);
  const seconds = wait ? Math.floor((performance.now() - wait.begin) / 1000) : 0;
  byId("status").textContent = wait ? `${wait.what}…${seconds ? ` ${seconds} s` : ""}` : outcome;
  byId("cancel").hidden = !wait;
}

function setOutcome(text) {
  outcome = text;
  showStatus();
}

function showWaiting(what, delay) {
  const wait = { what, begin: performance.now(), isShown: false };
  waits.push(wait);
  let ticks = 0;
  const tick = () => {
    wait.isShown = true;
    showStatus();
    ticks = setTimeout(tick, 1000);
  };
  ticks = setTimeout(tick, delay);
  return {
    end: () => {
      clearTimeout(ticks);
      waits.splice(waits.indexOf(wait), 1);
      showStatus();
    },
  };
}

let simulation = null; // an AbortController, while one runs

/** Launches the kernel on the simulator. The answer has what was guessed. */
async function simulate() {
  simulation?.abort();
  const own = (simulation = new AbortController());
  const waiting = showWaiting("simulating", 200);
  showMemory(true, state.data.memory, "");
  const [memory, problem] = await simulateOnce(own.signal);
  waiting.end();
  if (simulation !== own) return; // another one runs
  simulation = null;
  if (memory) {
    state.launch = { grid: memory.grid, arguments: memory.arguments };
    takeLaunch();
    table.show();
  }
  showMemory(false, memory, problem);
}

/** [what the launch did, why it is not known]. */
async function simulateOnce(signal) {
  try {
    const answer = await post("simulate", { ...question(), ...state.launch }, signal);
    if (signal.aborted) throw signal.reason;
    return [answer.memory, answer.error?.text ?? (answer.abandoned ? "The simulation was cancelled." : "")];
  } catch (error) {
    return [
      undefined,
      signal.aborted
        ? "The simulation was given up, because the kernel has changed."
        : `no answer from tritonc: ${error.message}`,
    ];
  }
}

function showErrors() {
  const element = byId("error");
  element.hidden = !state.error;
  element.textContent = state.error?.text ?? "";
}

async function readEmbedded(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** A server of the debugger alone, without a compiler: its programs are stepped through. */
function startStepping(programs) {
  for (const name of Object.keys(views)) delete views[name];
  views.steps = stepping;
  document.title = byId("kernel-name").textContent = "Steps of kernels";
  setOutcome(takePrograms(programs));
  makeTabs();
  openView("steps");
}

async function start() {
  const embedded = byId("data");
  const given = embedded ? null : await (await fetch("question")).json();
  if (given?.stepped) return startStepping(given.stepped);
  makeTabs();
  byId("argument-rows").append(table.table);
  listen("error", document.body, showErrors);
  if (views[location.hash.slice(1)]) state.view = location.hash.slice(1);
  window.addEventListener("hashchange", followAddress);
  if (embedded) {
    const data = await readEmbedded(embedded);
    state.source = data.source;
    if (data.memory) state.launch.arguments = data.memory.arguments;
    showData(data);
    showArguments(data);
    byId("signature").closest("label").hidden = true;
    setOutcome(`${data.num_warps} warps, ${data.num_stages} stages`);
    dataChanged(true);
    return;
  }
  const first = questionOfAddress(given);
  state.editable = true;
  state.original = first.source;
  state.source = sourceOfStorage(first.source);
  state.launch = { grid: first.grid, arguments: first.arguments };
  fillForm(first);
  byId("cancel").addEventListener("click", () => post("cancel", {}));
  byId("copy-link").addEventListener("click", copyLink);
  byId("save-page").addEventListener("click", savePage);
  byId("links").hidden = false;
  let kept = state.isPinned ? state.line : 0;
  listen("line", document.body, () => {
    const now = state.isPinned ? state.line : 0;
    if (now === kept) return;
    kept = now;
    showAddress(question());
  });
  openView(state.view);
  await ask();
}

start();
