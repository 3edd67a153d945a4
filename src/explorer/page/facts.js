// What the compiler decided, what it could not do and why, and what the kernel takes of its machine.
import { showPlace, placeButton } from "./code.js";
import { liveRegisters } from "./registers.js";
import { state } from "./state.js";
import { counted, duration, make, quantity } from "./text.js";

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
    make("div", { class: "advice" }, `${each.text}: ${each.reason}`),
    each.suggestion ? make("div", { class: "help" }, each.suggestion) : null,
  ]);
  return make(
    "div",
    { class: "fact" },
    place ? placeButton(place) : null,
    ...lines.filter(Boolean).map((line) => make("div", {}, line)),
    ...missed,
  );
}

const shapeText = (entry) => `${(entry.shape ?? []).join("×")} ${entry.element ?? ""}`;

function describeProduct(entry) {
  const warps = [entry.batch_warps, entry.row_warps, entry.column_warps].filter(Boolean).join("×");
  const plan = entry.instruction ? `${entry.instruction}${warps ? ` over ${warps} warps` : ""}` : "";
  const compared = (entry.candidates ?? [])
    .slice(0, 4)
    .map((each) => `${each.instruction}: ${Math.round(each.clocks)} clocks`)
    .join("; ");
  return fact(
    entry,
    entry.m
      ? `${entry.m}×${entry.n}×${entry.k}, ${entry.left} × ${entry.right} to ${entry.accumulator}: ${quantity(entry.flops, "flop")}, by ${plan}`
      : plan,
    compared && `compared: ${compared}`,
    entry.overlap?.text,
  );
}

function sectorsText({ sectors, least_sectors: least }) {
  if (!sectors) return "";
  return `, ${counted(sectors, "sector")} a request, ${sectors === least ? "all of them used" : `where ${least} would hold its elements`}`;
}

function describeAccess(entry) {
  return fact(
    entry,
    `${entry.kind} of ${shapeText(entry)}: ${quantity(entry.bytes, "B", 1024)}, ${counted(entry.bytes_of_thread, "byte")} of a thread at once${sectorsText(entry)}`,
  );
}

function describeConversion(entry) {
  return fact(
    entry,
    `${shapeText(entry)} by ${entry.by}, ${Math.round(entry.clocks)} clocks${entry.scratch_bytes ? `, ${quantity(entry.scratch_bytes, "B", 1024)} of shared memory` : ""}`,
    entry.from && `${entry.from} → ${entry.to}`,
  );
}

const slotColor = (slot, slots, isUsed) => `hsl(${(360 * slot) / slots} 55% ${isUsed ? 72 : 84}%)`;
const columnWidth = 62,
  rowHeight = 20,
  labelWidth = 100;

/** An empty timeline with a line of text for each row. */
function timelinePicture(names, columns, label) {
  const picture = drawing("svg", {
    width: labelWidth + columns * columnWidth,
    height: names.length * rowHeight + 24,
    role: "img",
    "aria-label": label,
  });
  names.forEach((name, index) => picture.append(drawing("text", { x: 0, y: index * rowHeight + 14 }, name)));
  picture.append(
    drawing(
      "text",
      { x: labelWidth, y: names.length * rowHeight + 16 },
      "time: one iteration a column; the number is the slot in shared memory; dark bars wait",
    ),
  );
  return picture;
}

const waitNames = { mbarrier: "an mbarrier", copies: "copies", wgmma: "products of wgmma" };

function waitText(wait) {
  const left =
    wait.pending === undefined ? "" : wait.pending ? `, of which ${wait.pending} may be in flight` : ", all of them";
  return `waits for ${waitNames[wait.kind]}${left}${wait.line ? ` (line ${wait.line})` : ""}`;
}

/** A box of one iteration, with a bar for each wait: those for products stand behind it, as they do in the loop. */
function timelineBox(picture, time, index, text, color, waits = []) {
  const x = labelWidth + time * columnWidth,
    y = index * rowHeight;
  const early = waits.filter((wait) => wait.kind !== "wgmma"),
    late = waits.filter((wait) => wait.kind === "wgmma");
  picture.append(drawing("rect", { x, y: y + 1, width: columnWidth - 3, height: rowHeight - 3, fill: color, rx: 3 }));
  const bar = (wait, at) =>
    picture.append(
      drawing(
        "rect",
        { class: "wait", "data-kind": wait.kind, x: at, y: y + 1, width: 3, height: rowHeight - 3, fill: "#1b2330" },
        drawing("title", {}, waitText(wait)),
      ),
    );
  early.forEach((wait, place) => bar(wait, x + 4 * place));
  late.forEach((wait, place) => bar(wait, x + columnWidth - 6 - 4 * place));
  picture.append(drawing("text", { class: "inked", x: x + 4 + 4 * early.length, y: y + 14 }, text));
}

/** When the loads and the computation of each iteration run, in which slot, and what they wait for. */
function timeline(pipeline, waits) {
  const stages = pipeline.stages;
  const slots = Math.max(1, ...(pipeline.rings ?? []).map((ring) => ring.slots));
  const iterations = stages + 3;
  const picture = timelinePicture(
    Array.from({ length: iterations }, (_, i) => `iteration ${i}`),
    iterations + stages,
    "timeline of the software pipeline",
  );
  for (let i = 0; i < iterations; i++) {
    timelineBox(picture, i, i, `load → ${i % slots}`, slotColor(i % slots, slots, false));
    const y = i * rowHeight + rowHeight / 2;
    if (stages > 1)
      picture.append(
        drawing("line", {
          x1: labelWidth + (i + 1) * columnWidth - 3,
          y1: y,
          x2: labelWidth + (i + stages - 1) * columnWidth,
          y2: y,
          stroke: "currentColor",
          "stroke-dasharray": "2 3",
        }),
      );
    timelineBox(picture, i + stages - 1, i, "compute", slotColor(i % slots, slots, true), waits);
  }
  return make("div", { class: "wrap" }, picture);
}

/** A lane for the warp that loads ahead, and one for each group of four warps that compute. */
function lanes(pipeline, loops) {
  const mover = loops.find((loop) => loop.role === "mover"),
    consumers = loops.find((loop) => loop.role === "consumers");
  if (!mover || !consumers) return null;
  const slots = Math.max(1, ...(pipeline.rings ?? []).map((ring) => ring.slots));
  const iterations = slots + 3;
  const groups = Array.from(
    { length: Math.ceil(consumers.warps / 4) },
    (_, group) => `warps ${4 * group} to ${Math.min(consumers.warps, 4 * group + 4) - 1}`,
  );
  const picture = timelinePicture(["mover", ...groups], iterations + 1, "lanes of the warp groups");
  for (let i = 0; i < iterations; i++) {
    const slot = i % slots;
    // Slots are empty at first.
    timelineBox(picture, i, 0, `load → ${slot}`, slotColor(slot, slots, false), i < slots ? [] : mover.waits);
    groups.forEach((_, group) =>
      timelineBox(picture, i + 1, group + 1, `use ${slot}`, slotColor(slot, slots, true), consumers.waits),
    );
  }
  return make("div", { class: "wrap" }, picture);
}

/** Each wait of an iteration in words. */
function describeWaits(loops) {
  const who = { mover: "mover ", consumers: "each computing group ", all: "each iteration " };
  const texts = new Set(loops.flatMap((loop) => loop.waits.map((wait) => who[loop.role] + waitText(wait))));
  return [...texts].map((text) => make("div", { class: "help wait-text" }, text));
}

function describeLoop(entry) {
  const lines = [];
  if (entry.bound) lines.push(`bound by ${entry.bound}: ${Math.round(entry.clocks)} clocks an iteration`);
  if (entry.loaded_bytes || entry.product_flops)
    lines.push(
      `loads ${quantity(entry.loaded_bytes ?? 0, "B", 1024)}, stores ${quantity(entry.stored_bytes ?? 0, "B", 1024)}, computes ${quantity((entry.product_flops ?? 0) + (entry.other_flops ?? 0), "flop")} an iteration`,
    );
  const described = fact(entry, ...lines);
  const pipeline = entry.pipeline;
  if (!pipeline?.stages && !pipeline?.mover) return described;
  const loops = (state.data.waits ?? []).filter((loop) => loop.line === placeOf(entry)?.line);
  const rings = (pipeline.rings ?? [])
    .map((ring) => `${counted(ring.slots, "slot")} of ${quantity(ring.slot_bytes, "B", 1024)}`)
    .join(", ");
  const kind = pipeline.mover
    ? "a producer warp loads ahead by TMA"
    : `software pipeline of ${counted(pipeline.stages, "stage")}`;
  const picture = pipeline.mover
    ? lanes(pipeline, loops)
    : timeline(
        pipeline,
        loops.flatMap((loop) => loop.waits),
      );
  described.append(make("div", {}, `${kind}${rings ? `: ${rings}` : ""}`), picture ?? "", ...describeWaits(loops));
  return described;
}

function describeLayout(entry) {
  return fact(
    entry,
    `${shapeText(entry)}: ${entry.encoding}`,
    (entry.candidates ?? []).map((each) => `${Math.round(each.clocks)} clocks: ${each.encoding}`).join("; "),
  );
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
  const row = (name, text, picture) =>
    rows.push(make("tr", {}, make("th", {}, name), make("td", {}, text), make("td", {}, picture ?? "")));
  if (isKnown(found.registers))
    row(
      "registers of a thread",
      `${found.registers} of ${found.most_registers}`,
      meter(found.registers, found.most_registers),
    );
  if (isKnown(found.spill_bytes)) row("spilled", counted(found.spill_bytes, "byte"));
  if (isKnown(found.shared_bytes))
    row(
      "shared memory",
      quantity(found.shared_bytes, "B", 1024),
      found.most_shared_bytes ? meter(found.shared_bytes, found.most_shared_bytes) : "",
    );
  const occupancy = found.occupancy;
  if (occupancy)
    row(
      "occupancy",
      `${counted(occupancy.programs, "program")} on ${counted(occupancy.multiprocessors, "multiprocessor")}, ${occupancy.warps} of ${occupancy.most_warps} warps; limited by ${occupancy.limit}`,
      meter(occupancy.warps, occupancy.most_warps),
    );
  if (!isKnown(found.registers) && !found.assembler_error) row("registers", "the assembler has not said yet");
  if (found.assembler_error) row("assembler", found.assembler_error.split("\n")[0]);
  return make("table", {}, make("tbody", {}, rows));
}

/** Bytes and flops of a program against what the device can do: both axes are logarithmic. */
function roofline(entry, device) {
  if (!device?.memory_bytes_per_second || !entry.bytes || !entry.flops || !device.matrix_flops_per_second) return null;
  const width = 360,
    height = 170,
    left = 10;
  const x = (intensity) => left + ((Math.log2(intensity) + 3) / 15) * (width - 20);
  const peak = device.matrix_flops_per_second,
    band = device.memory_bytes_per_second;
  const y = (flops) => 20 + Math.max(0, Math.log2(peak / flops)) * 12;
  const at = entry.flops / entry.bytes,
    knee = peak / band;
  const reach = Math.min(peak, at * band);
  return drawing(
    "svg",
    { width, height, role: "img", "aria-label": "roofline" },
    drawing("polyline", {
      points: `${x(0.25)},${y(0.25 * band)} ${x(knee)},${y(peak)} ${x(4096)},${y(peak)}`,
      fill: "none",
      stroke: "currentColor",
    }),
    drawing("circle", { cx: x(Math.min(Math.max(at, 0.25), 4096)), cy: y(reach), r: 5, fill: "var(--accent)" }),
    drawing("text", { x: left, y: height - 6 }, `${at.toFixed(1)} flop a byte: at most ${quantity(reach, "flop/s")}`),
  );
}

function describeProgram(entry, device) {
  const lines = [];
  if (entry.bound) lines.push(`bound by ${entry.bound}`);
  if (entry.seconds) lines.push(`a wave of programs takes ${duration(entry.seconds)} at least`);
  if (entry.loaded_bytes || entry.stored_bytes)
    lines.push(
      `loads ${quantity(entry.loaded_bytes ?? 0, "B", 1024)}, stores ${quantity(entry.stored_bytes ?? 0, "B", 1024)} besides its loops`,
    );
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
  const head = make(
    "tr",
    {},
    names.map((name) => make("th", { scope: "col" }, name)),
  );
  return make(
    "table",
    { id },
    make("thead", {}, head),
    make(
      "tbody",
      {},
      rows.map((cells) => make("tr", {}, cells)),
    ),
  );
}

/** The live registers along the assembly, and the lines of the kernel at which most are live. */
function registersOverProgram(found) {
  const assembly = state.data.assembly.find((text) => ["ptx", "amdgcn"].includes(text.name));
  const live = assembly && liveRegisters(assembly.text, assembly.name);
  const most = live?.reduce((sum, count) => Math.max(sum, count), 0);
  if (!most) return [];
  const width = 720,
    height = 120,
    columns = Math.min(live.length, width);
  const picture = drawing("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    class: "program",
    role: "img",
    "aria-label": "live registers over the program",
  });
  const highest = new Map(); // by line of the kernel
  for (let column = 0; column < columns; column++) {
    const first = Math.floor((column * live.length) / columns),
      end = Math.max(first + 1, Math.floor(((column + 1) * live.length) / columns));
    let at = first;
    for (let line = first; line < end; line++) if (live[line] > live[at]) at = line;
    const tall = (height * live[at]) / most;
    const bar = drawing(
      "rect",
      {
        x: (column * width) / columns,
        y: height - tall,
        width: width / columns + 0.2,
        height: tall,
        fill: "var(--accent)",
      },
      drawing("title", {}, `line ${at + 1}: ${counted(live[at], "live register")}`),
    );
    const source = assembly.lines[at];
    if (source) bar.addEventListener("click", () => showPlace(source));
    picture.append(bar);
  }
  live.forEach((count, index) => {
    const source = assembly.lines[index];
    if (source) highest.set(source, Math.max(highest.get(source) ?? 0, count));
  });
  const rows = [...highest]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([line, count]) => [numberCell(count), ...lineCells(line)]);
  const spilled = found?.spill_bytes
    ? `The assembler spilled ${found.spill_bytes} bytes: not all of what is live at these lines fits into registers.`
    : "";
  return [
    make("h2", {}, "registers over the program"),
    picture,
    make(
      "p",
      { class: "help" },
      `Live registers at the lines 1 to ${live.length} of ${assembly.name}; the highest bar is ${most}.`,
    ),
    spilled ? make("p", { class: "missed" }, spilled) : "",
    lineTable("most-live", ["live", "at", ""], rows),
  ];
}

/** What an instruction spills or reads again: [bytes, "Spill" or "Reload"], or null. LLVM's comments say so; in machine code of NVIDIA's GPUs these are the accesses of local memory. */
function spillOf(line, name) {
  const [, bytes, way] = /(\d+)-byte Folded (Spill|Reload)/.exec(line) ?? [];
  if (bytes) return [Number(bytes), way];
  const [, access, suffixes] = (name === "sass" && /\b(STL|LDL)((?:\.\w+)*)/.exec(line)) || [];
  if (!access) return null;
  const bits = /\.[US]?(8|16|64|128)\b/.exec(suffixes)?.[1] ?? 32;
  return [bits / 8, access === "STL" ? "Spill" : "Reload"];
}

/** Bytes that registers send to memory and get back, by line of the kernel; 0 stands for all other places. */
function spilledBytes(found) {
  const byLine = new Map();
  const known = state.data.assembly.filter(({ name }) => name !== "sass" || found?.spill_bytes); // local memory has arrays, too
  for (const { name, text, lines } of known)
    text.split("\n").forEach((line, index) => {
      const [bytes, way] = spillOf(line, name) ?? [];
      if (!bytes) return;
      const sum = byLine.get(lines[index] ?? 0) ?? { Spill: 0, Reload: 0 };
      sum[way] += bytes;
      byLine.set(lines[index] ?? 0, sum);
    });
  return byLine;
}

/** LLVM's assembly says which instructions spill. ptxas spills after PTX, so that only the machine code shows where. */
function spills(found) {
  const byLine = spilledBytes(found);
  if (byLine.size === 0 && !found?.spill_bytes) return [];
  const title = make("h2", {}, "spills");
  if (byLine.size === 0) {
    const reason = state.data.no_machine_code ?? "The machine code was not kept.";
    return [
      title,
      make(
        "p",
        { class: "help", id: "spills" },
        `The assembler spills ${found.spill_bytes} bytes of a thread. At which lines, the machine code says, which nvdisasm shows: ${reason}`,
      ),
    ];
  }
  const rows = [...byLine]
    .sort((a, b) => b[1].Spill + b[1].Reload - a[1].Spill - a[1].Reload)
    .slice(0, 10)
    .map(([line, sum]) => [numberCell(sum.Spill), numberCell(sum.Reload), ...lineCells(line)]);
  return [
    title,
    make(
      "p",
      { class: "help" },
      "Bytes of a thread that the instructions of a line write to memory and read again, because registers do not suffice.",
    ),
    lineTable("spills", ["spilled", "reloaded", "at", ""], rows),
  ];
}

export function factsView() {
  const explain = state.data.explain;
  if (!explain)
    return make(
      "p",
      { class: "page help" },
      "Products, accesses, pipelines and occupancy are known for kernels of GPUs: choose a target such as cuda:90.",
    );
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
