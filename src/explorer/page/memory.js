// A launch on the simulator: who accesses which bytes of the arrays, and where accesses go wrong.
import { takeLaunch } from "./arguments.js";
import { placeButton, showPlace } from "./code.js";
import { costColumns, countsByLine, ownLine } from "./costs.js";
import { guessList } from "./guess.js";
import { jumpToLine, listen, state } from "./state.js";
import { counted, make, quantity } from "./text.js";
import { timeSection } from "./timeline.js";

const cellSize = 12,
  gap = 1; // pixels
const mostErrors = 64; // that are listed

/** By the program that comes first: neighbours in the grid get colors that are far apart. */
function cellColor(cell) {
  const hue = 60 + ((cell.programs[0] * 97) % 240); // without the red of errors
  const several = cell.programs[0] !== cell.programs[1];
  return `hsl(${hue} ${several ? 20 : 60}% ${cell.writes ? 45 : 72}%)`;
}

/** One entry for each cell that is drawn, in order: those before the array, its own, and those behind it. */
function cellsOf(area) {
  const inside = Math.ceil(area.bytes / area.cell_bytes);
  const known = new Map();
  for (const run of area.cells) for (let i = 0; i < run.count; i++) known.set(run.first + i, run);
  const numbers = [...known.keys()];
  const first = Math.min(0, ...numbers),
    last = Math.max(inside - 1, ...numbers);
  const gapOf = (index) => (index < 0 || index >= inside) && !known.has(index);
  const cells = [];
  for (let index = first; index <= last; index++) {
    if (!gapOf(index)) cells.push({ index, isOutside: index < 0 || index >= inside, run: known.get(index) });
    else if (cells.at(-1)?.index !== null) cells.push({ index: null }); // bytes that nobody touched, outside of the array
    while (gapOf(index + 1) && index < last) index++;
  }
  return cells;
}

/** Texts, and buttons for the lines that access the cell. */
function describeCell(area, cell) {
  if (cell.index === null) return ["bytes outside of the array that nobody accessed"];
  const begin = cell.index * area.cell_bytes;
  const where = `${area.name}: bytes ${begin} to ${begin + area.cell_bytes}${cell.isOutside ? `, outside of the array, which has ${area.bytes}` : ""}`;
  if (!cell.run) return [`${where}\nnobody accessed them`];
  const { reads, writes, programs, places, errors } = cell.run;
  const lines = [...new Set(places.map((place) => ownLine(state.data.memory.places[place])))]
    .filter(Boolean)
    .sort((a, b) => a - b);
  const who = programs[0] === programs[1] ? `program ${programs[0]}` : `programs ${programs[0]} to ${programs[1]}`;
  const links = lines.flatMap((line) => [", ", placeButton({ line })]);
  return [
    `${where}\n${counted(reads, "read")} and ${counted(writes, "write")} by ${who}`,
    ...links,
    ...errors.map((error) => `\n${error}`),
  ];
}

/** The picture of an area, which says in `about` what is chosen. Arrow keys and the pointer walk through it. A click keeps the line lit that accesses a cell, and Enter shows it. */
function memoryPicture(area, about) {
  const cells = cellsOf(area);
  const columns = Math.min(cells.length, 64),
    rows = Math.ceil(cells.length / columns);
  const step = cellSize + gap;
  const canvas = make("canvas", {
    tabindex: "0",
    role: "img",
    class: "memory-map",
    width: String(columns * step),
    height: String(rows * step),
    "aria-label": `accesses of ${area.name}; arrow keys walk through its bytes`,
  });
  const drawing = canvas.getContext("2d");
  let chosen = -1;
  const paint = (index) => {
    const cell = cells[index];
    const x = (index % columns) * step,
      y = Math.floor(index / columns) * step;
    drawing.clearRect(x, y, step, step);
    if (cell.index === null) {
      drawing.fillStyle = "#888";
      for (let dot = 2; dot < cellSize; dot += 4) drawing.fillRect(x + dot, y + 5, 1, 1);
    } else {
      drawing.fillStyle = cell.run ? cellColor(cell.run) : "rgb(128 128 128 / 0.18)";
      drawing.fillRect(x, y, cellSize, cellSize);
    }
    if (cell.run?.errors.length) drawError(drawing, x, y, cell.isOutside);
    if (index === chosen) {
      drawing.strokeStyle = "#fff";
      drawing.lineWidth = 2;
      drawing.strokeRect(x + 1, y + 1, cellSize - 2, cellSize - 2);
    }
  };
  cells.forEach((_, index) => paint(index));
  const choose = (index) => {
    if (index < 0 || index >= cells.length || index === chosen) return;
    const before = chosen;
    chosen = index;
    if (before >= 0) paint(before);
    paint(index);
    about.replaceChildren(...describeCell(area, cells[index]));
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    choose(Math.floor((event.clientY - box.top) / step) * columns + Math.floor((event.clientX - box.left) / step));
  });
  const withLine = (act) => {
    const place = cells[chosen]?.run?.places[0];
    if (place !== undefined) act(ownLine(state.data.memory.places[place]));
  };
  canvas.addEventListener("click", () => withLine(jumpToLine));
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter") withLine(showPlace);
    const move = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (!move) return;
    event.preventDefault();
    choose(chosen < 0 ? 0 : chosen + move);
  });
  const size = `${quantity(area.bytes, "B", 1024)}, ${area.cell_bytes} bytes a cell`;
  return make(
    "section",
    { class: "area", "data-area": area.name },
    make("h2", {}, area.name, " ", make("span", { class: "help" }, size)),
    make("div", { class: "wrap" }, canvas),
  );
}

/** Red with a cross: outside of the array; red with a dot: a race, or another error of an access inside. */
function drawError(drawing, x, y, isOutside) {
  drawing.fillStyle = drawing.strokeStyle = "#e02020";
  drawing.lineWidth = 1.5;
  drawing.strokeRect(x + 0.75, y + 0.75, cellSize - 1.5, cellSize - 1.5);
  drawing.beginPath();
  if (isOutside) {
    drawing.moveTo(x + 2, y + 2);
    drawing.lineTo(x + cellSize - 2, y + cellSize - 2);
    drawing.moveTo(x + cellSize - 2, y + 2);
    drawing.lineTo(x + 2, y + cellSize - 2);
    drawing.stroke();
  } else {
    drawing.fillRect(x + 4, y + 4, 4, 4);
  }
}

function findings(memory) {
  if (!memory.findings.length)
    return make("p", { id: "findings", class: "help" }, "The simulator found no error in this launch.");
  return make(
    "div",
    { id: "findings" },
    memory.findings.slice(0, mostErrors).map((finding) => {
      const line = ownLine(finding);
      return make(
        "div",
        { class: "fact" },
        line ? placeButton({ line }) : null,
        make("div", { class: "missed" }, finding.text),
        finding.remedy ? make("div", { class: "help" }, finding.remedy) : null,
      );
    }),
  );
}

/** What each line moved, and what its accesses of shared memory lost to banks that were busy. */
function costs(memory) {
  const sourceLines = state.data.source.split("\n");
  const rows = [...countsByLine(memory)]
    .sort((a, b) => a[0] - b[0])
    .map(([line, counts]) =>
      make(
        "tr",
        {},
        make("td", {}, line ? placeButton({ line }) : "elsewhere"),
        costColumns.map(([name, find, format]) =>
          make(
            "td",
            { class: `number${name === "bank conflicts" && find(counts) ? " missed" : ""}` },
            find(counts) ? format(find(counts)) : "",
          ),
        ),
        make("td", {}, make("code", {}, (sourceLines[line - 1] ?? "").trim())),
      ),
    );
  const head = make(
    "tr",
    {},
    ["", ...costColumns.map(([name]) => name), ""].map((name) => make("th", { scope: "col" }, name)),
  );
  return [
    make("h2", {}, "lines"),
    make(
      "p",
      { class: "help" },
      "Exact counts of this launch. They can stand beside the source, too: the list above it chooses one.",
    ),
    make("div", { class: "wrap" }, make("table", { id: "costs" }, make("thead", {}, head), make("tbody", {}, rows))),
  ];
}

/** What was guessed of the launch, also when its values were launched again. */
function guesses(memory) {
  if (memory.guessed?.length) state.launchGuess = { arguments: memory.arguments, items: memory.guessed };
  return state.launchGuess?.arguments === memory.arguments ? state.launchGuess.items : [];
}

function result(memory, about) {
  const guessed = guesses(memory);
  return [
    guessed.length ? guessList("what was guessed of the launch, and why", guessed) : null,
    guessed.length && memory.findings.length
      ? make(
          "p",
          { class: "help", id: "guess-warning" },
          "The launch was guessed. With the arguments that the kernel is made for, these errors may not be there.",
        )
      : null,
    findings(memory),
    memory.printed ? make("pre", { id: "printed" }, memory.printed) : null,
    make(
      "p",
      { class: "help" },
      "Colors are programs, darker where they write and gray where several come by; red crosses lie outside of the array, red dots are races and other errors.",
    ),
    ...timeSection(memory, about),
    ...memory.areas.map((area) => memoryPicture(area, about)),
    ...costs(memory),
  ];
}

/** Fields for a launch, where there is a server, and what the last one did. */
export function memoryView(simulate) {
  const page = make("div", { class: "page" });
  const body = make("div");
  const about = make("div", { class: "holder", "aria-live": "polite" });
  const pane = make("div", { class: "pane" }, page, about);
  const show = () => {
    const memory = state.data.memory;
    const problem = state.simulationProblem;
    about.hidden = !memory;
    about.textContent = "Point at a cell, or walk with the arrow keys.";
    body.className = state.isSimulating ? "old" : "";
    body.replaceChildren(
      ...[
        problem ? make("p", { class: "missed", id: "simulation-problem" }, problem) : null,
        ...(memory ? result(memory, about) : []),
      ].filter(Boolean),
    );
  };
  if (!state.editable) {
    show();
    const launch = state.data.memory;
    page.append(
      make(
        "p",
        { class: "help" },
        launch
          ? `grid ${launch.grid}; ${launch.arguments}; ${launch.target}`
          : "A page has a launch when `--grid` and `--arg` are given with `--export`.",
      ),
      body,
    );
    return pane;
  }
  const grid = make("input", {
    id: "grid",
    size: "8",
    autocomplete: "off",
    spellcheck: "false",
    value: state.launch.grid,
    placeholder: "guessed",
  });
  const values = make("input", {
    id: "arguments",
    autocomplete: "off",
    spellcheck: "false",
    value: state.launch.arguments,
    placeholder: "guessed from the signature: x=rand:f32[1024], n=1024",
  });
  const button = make("button", { type: "submit", id: "simulate" }, "simulate");
  const form = make(
    "form",
    { class: "launch" },
    make("label", {}, "grid ", grid),
    make("label", { class: "wide" }, "arguments ", values),
    button,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    state.launch = { grid: grid.value, arguments: values.value };
    takeLaunch();
    simulate();
  });
  const showLaunch = () => {
    button.disabled = state.isSimulating;
    grid.value = state.launch.grid;
    values.value = state.launch.arguments;
    show();
  };
  page.append(form, body);
  listen("memory", page, showLaunch);
  showLaunch();
  return pane;
}
