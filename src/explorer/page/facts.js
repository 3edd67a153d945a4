// What the compiler decided, what it could not do and why, and what the kernel takes of its machine.
import { lightPlace, placeButton } from "./code.js";
import { liveRegisters } from "./registers.js";
import { state } from "./state.js";
import { duration, make, quantity } from "./text.js";

const svgSpace = "http://www.w3.org/2000/svg";

export function drawing(tag, attributes, ...children) {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The place of an entry in the kernel's own file: code of the library gives way to what calls it. */
function placeOf(entry) {
  const own = [entry.place, ...(entry.callers ?? [])].find((place) => place && place.file === state.data.path);
  return own ?? entry.place;
}

function fact(entry, ...lines) {
  const place = placeOf(entry);
  const missed = (entry.missed ?? []).flatMap((each) => [
    make("div", { class: "missed" }, `${each.text}: ${each.reason}`),
    each.suggestion ? make("div", { class: "help" }, each.suggestion) : null,
  ]);
  return make("div", { class: "fact" }, place ? placeButton(place) : null, ...lines.filter(Boolean).map((line) => make("div", {}, line)), ...missed);
}

const shapeText = (entry) => `${(entry.shape ?? []).join("×")} ${entry.element ?? ""}`;

function describeProduct(entry) {
  const plan = entry.instruction ? `${entry.instruction}${entry.row_warps ? ` over ${entry.row_warps}×${entry.column_warps} warps` : ""}` : "";
  const compared = (entry.candidates ?? []).slice(0, 4).map((each) => `${each.instruction}: ${Math.round(each.clocks)} clocks`).join("; ");
  return fact(entry, entry.m ? `${entry.m}×${entry.n}×${entry.k}, ${entry.left} × ${entry.right} to ${entry.accumulator}: ${quantity(entry.flops, "flop")}, by ${plan}` : plan,
    compared && `compared: ${compared}`, entry.overlap?.text);
}

function describeAccess(entry) {
  const sectors = entry.sectors ? `, ${entry.sectors} sectors a request where ${entry.least_sectors} would do` : "";
  return fact(entry, `${entry.kind} of ${shapeText(entry)}: ${quantity(entry.bytes, "B", 1024)}, ${entry.bytes_of_thread} bytes a thread at once${sectors}`);
}

function describeConversion(entry) {
  return fact(entry, `${shapeText(entry)} by ${entry.by}, ${Math.round(entry.clocks)} clocks${entry.scratch_bytes ? `, ${quantity(entry.scratch_bytes, "B", 1024)} of shared memory` : ""}`, entry.from && `${entry.from} → ${entry.to}`);
}

/** When the loads and the computation of each iteration run, and in which slot. */
function timeline(pipeline) {
  const stages = pipeline.stages ?? 1;
  const slots = Math.max(1, ...(pipeline.rings ?? []).map((ring) => ring.slots));
  const iterations = stages + 3, width = 62, height = 20;
  const picture = drawing("svg", { width: (iterations + stages) * width + 90, height: iterations * height + 24, role: "img", "aria-label": "timeline of the software pipeline" });
  for (let i = 0; i < iterations; i++) {
    const y = i * height;
    picture.append(drawing("text", { x: 0, y: y + 14 }, `iteration ${i}`));
    const box = (time, text, color) => {
      const x = 80 + time * width;
      picture.append(drawing("rect", { x, y: y + 1, width: width - 3, height: height - 3, fill: color, rx: 3 }), drawing("text", { x: x + 4, y: y + 14 }, text));
    };
    box(i, `load → ${i % slots}`, `hsl(${(360 * (i % slots)) / slots} 55% 55% / 0.55)`);
    if (stages > 1) picture.append(drawing("line", { x1: 80 + i * width + width - 3, y1: y + height / 2, x2: 80 + (i + stages - 1) * width, y2: y + height / 2, stroke: "currentColor", "stroke-dasharray": "2 3" }));
    box(i + stages - 1, "compute", `hsl(${(360 * (i % slots)) / slots} 55% 55% / 0.9)`);
  }
  picture.append(drawing("text", { x: 80, y: iterations * height + 16 }, "time: one iteration a column; the number is the slot in shared memory"));
  return make("div", { class: "wrap" }, picture);
}

function describeLoop(entry) {
  const lines = [];
  if (entry.bound) lines.push(`bound by ${entry.bound}: ${Math.round(entry.clocks)} clocks an iteration`);
  if (entry.loaded_bytes || entry.product_flops)
    lines.push(`loads ${quantity(entry.loaded_bytes ?? 0, "B", 1024)}, stores ${quantity(entry.stored_bytes ?? 0, "B", 1024)}, computes ${quantity((entry.product_flops ?? 0) + (entry.other_flops ?? 0), "flop")} an iteration`);
  const described = fact(entry, ...lines);
  if (entry.pipeline?.stages) {
    const rings = (entry.pipeline.rings ?? []).map((ring) => `${ring.slots} slots of ${quantity(ring.slot_bytes, "B", 1024)}`).join(", ");
    described.append(make("div", {}, `software pipeline of ${entry.pipeline.stages} stages${rings ? `: ${rings}` : ""}`), timeline(entry.pipeline));
  }
  return described;
}

function describeLayout(entry) {
  return fact(entry, `${shapeText(entry)}: ${entry.encoding}`, (entry.candidates ?? []).map((each) => `${Math.round(each.clocks)} clocks: ${each.encoding}`).join("; "));
}

function meter(value, most) {
  const fill = make("span");
  fill.style.width = `${Math.min(100, (100 * value) / most)}%`;
  return make("span", { class: "meter", role: "img", "aria-label": `${value} of ${most}` }, fill);
}

/** What the vendor's assembler says is null before it has. */
const isKnown = (value) => value !== undefined && value !== null;

function resources(found) {
  const rows = [];
  const row = (name, text, picture) => rows.push(make("tr", {}, make("th", {}, name), make("td", {}, text), make("td", {}, picture ?? "")));
  if (isKnown(found.registers)) row("registers of a thread", `${found.registers} of ${found.most_registers}`, meter(found.registers, found.most_registers));
  if (isKnown(found.spill_bytes)) row("spilled", `${found.spill_bytes} bytes`);
  if (isKnown(found.shared_bytes)) row("shared memory", quantity(found.shared_bytes, "B", 1024), found.most_shared_bytes ? meter(found.shared_bytes, found.most_shared_bytes) : "");
  const occupancy = found.occupancy;
  if (occupancy) row("occupancy", `${occupancy.programs} programs, ${occupancy.warps} of ${occupancy.most_warps} warps; limited by ${occupancy.limit}`, meter(occupancy.warps, occupancy.most_warps));
  if (!isKnown(found.registers) && !found.assembler_error) row("registers", "the assembler has not said yet");
  if (found.assembler_error) row("assembler", found.assembler_error.split("\n")[0]);
  return make("table", {}, make("tbody", {}, rows));
}

/** Bytes and flops of a program against what the device can do: both axes are logarithmic. */
function roofline(entry, device) {
  if (!device?.memory_bytes_per_second || !entry.bytes || !entry.flops || !device.matrix_flops_per_second) return null;
  const width = 360, height = 170, left = 10;
  const x = (intensity) => left + ((Math.log2(intensity) + 3) / 15) * (width - 20);
  const peak = device.matrix_flops_per_second, band = device.memory_bytes_per_second;
  const y = (flops) => 20 + Math.max(0, Math.log2(peak / flops)) * 12;
  const at = entry.flops / entry.bytes, knee = peak / band;
  const reach = Math.min(peak, at * band);
  return drawing("svg", { width, height, role: "img", "aria-label": "roofline" },
    drawing("polyline", { points: `${x(0.25)},${y(0.25 * band)} ${x(knee)},${y(peak)} ${x(4096)},${y(peak)}`, fill: "none", stroke: "currentColor" }),
    drawing("circle", { cx: x(Math.min(Math.max(at, 0.25), 4096)), cy: y(reach), r: 5, fill: "var(--accent)" }),
    drawing("text", { x: left, y: height - 6 }, `${at.toFixed(1)} flop a byte: at most ${quantity(reach, "flop/s")}`));
}

function describeProgram(entry, device) {
  const lines = [];
  if (entry.bound) lines.push(`bound by ${entry.bound}`);
  if (entry.seconds) lines.push(`a wave of programs takes ${duration(entry.seconds)} at least`);
  if (entry.loaded_bytes || entry.stored_bytes) lines.push(`loads ${quantity(entry.loaded_bytes ?? 0, "B", 1024)}, stores ${quantity(entry.stored_bytes ?? 0, "B", 1024)} besides its loops`);
  const described = fact(entry, ...lines);
  const picture = roofline(entry, device);
  if (picture) described.append(picture);
  return described;
}

const numberCell = (value) => make("td", { class: "number" }, String(value));

/** The cells of a line of the kernel: a button, and its text. */
function lineCells(line) {
  const text = (state.data.source.split("\n")[line - 1] ?? "").trim();
  return [make("td", {}, line ? placeButton({ line }) : "elsewhere"), make("td", {}, make("code", {}, text))];
}

function lineTable(id, names, rows) {
  const head = make("tr", {}, names.map((name) => make("th", { scope: "col" }, name)));
  return make("table", { id }, make("thead", {}, head), make("tbody", {}, rows.map((cells) => make("tr", {}, cells))));
}

/** The live registers along the assembly, and the lines of the kernel at which most are live. */
function registersOverProgram(found) {
  const assembly = state.data.assembly.find((text) => ["ptx", "amdgcn"].includes(text.name));
  const live = assembly && liveRegisters(assembly.text, assembly.name);
  const most = live?.reduce((sum, count) => Math.max(sum, count), 0);
  if (!most) return [];
  const width = 720, height = 120, columns = Math.min(live.length, width);
  const picture = drawing("svg", { viewBox: `0 0 ${width} ${height}`, width, class: "program", role: "img", "aria-label": "live registers over the program" });
  const highest = new Map(); // by line of the kernel
  for (let column = 0; column < columns; column++) {
    const first = Math.floor((column * live.length) / columns), end = Math.max(first + 1, Math.floor(((column + 1) * live.length) / columns));
    let at = first;
    for (let line = first; line < end; line++) if (live[line] > live[at]) at = line;
    const tall = (height * live[at]) / most;
    const bar = drawing("rect", { x: (column * width) / columns, y: height - tall, width: width / columns + 0.2, height: tall, fill: "var(--accent)" }, drawing("title", {}, `line ${at + 1}: ${live[at]} live registers`));
    const source = assembly.lines[at];
    if (source) bar.addEventListener("click", () => lightPlace(source));
    picture.append(bar);
  }
  live.forEach((count, index) => {
    const source = assembly.lines[index];
    if (source) highest.set(source, Math.max(highest.get(source) ?? 0, count));
  });
  const rows = [...highest].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([line, count]) => [numberCell(count), ...lineCells(line)]);
  const spilled = found?.spill_bytes ? `The assembler spilled ${found.spill_bytes} bytes: not all of what is live at these lines fits into registers.` : "";
  return [make("h2", {}, "registers over the program"), picture,
    make("p", { class: "help" }, `Live registers at the lines 1 to ${live.length} of ${assembly.name}; the highest bar is ${most}.`),
    spilled ? make("p", { class: "missed" }, spilled) : "",
    lineTable("most-live", ["live", "at", ""], rows)];
}

/** Bytes that registers send to memory and get back, by line of the kernel; 0 stands for all other places. */
function spilledBytes() {
  const byLine = new Map();
  for (const { text, lines } of state.data.assembly)
    text.split("\n").forEach((line, index) => {
      const [, bytes, way] = /(\d+)-byte Folded (Spill|Reload)/.exec(line) ?? [];
      if (!bytes) return;
      const sum = byLine.get(lines[index] ?? 0) ?? { Spill: 0, Reload: 0 };
      sum[way] += Number(bytes);
      byLine.set(lines[index] ?? 0, sum);
    });
  return byLine;
}

/** LLVM's assembly says which instructions spill. ptxas spills after PTX, and says only how much. */
function spills(found) {
  const byLine = spilledBytes();
  if (byLine.size === 0 && !found?.spill_bytes) return [];
  const title = make("h2", {}, "spills");
  if (byLine.size === 0)
    return [title, make("p", { class: "help", id: "spills" }, `The assembler spills ${found.spill_bytes} bytes of a thread. It does not say at which lines.`)];
  const rows = [...byLine].sort((a, b) => b[1].Spill + b[1].Reload - a[1].Spill - a[1].Reload).slice(0, 10).map(([line, sum]) =>
    [numberCell(sum.Spill), numberCell(sum.Reload), ...lineCells(line)]);
  return [title, make("p", { class: "help" }, "Bytes of a thread that the instructions of a line write to memory and read again, because registers do not suffice."),
    lineTable("spills", ["spilled", "reloaded", "at", ""], rows)];
}

export function factsView() {
  const explain = state.data.explain;
  if (!explain)
    return make("p", { class: "page help" }, "Products, accesses, pipelines and occupancy are known for kernels of GPUs: choose a target such as cuda:90.");
  const page = make("div", { class: "page" });
  const device = explain.resources?.device;
  const section = (title, entries, describe) => {
    if (entries?.length) page.append(make("h2", {}, title), ...entries.map((entry) => describe(entry, device)));
  };
  if (explain.resources) page.append(make("h2", {}, "resources"), resources(explain.resources));
  page.append(...registersOverProgram(explain.resources), ...spills(explain.resources));
  section("program", explain.program, describeProgram);
  section("loops", explain.loops, describeLoop);
  section("matrix products", explain.products, describeProduct);
  section("accesses of global memory", explain.accesses, describeAccess);
  section("conversions between layouts", explain.conversions, describeConversion);
  section("layouts chosen by cost", explain.layouts, describeLayout);
  return page;
}
