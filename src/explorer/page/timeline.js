// A launch over simulated time: a lane for each few warps, with what they wait for and what goes on beside them.
import { placeButton, showPlace } from "./code.js";
import { ownLine } from "./costs.js";
import { drawing } from "./facts.js";
import { jumpToLine, state } from "./state.js";
import { make, quantity } from "./text.js";

const nameWidth = 150,
  timeWidth = 900,
  barHeight = 16,
  copyHeight = 8; // pixels
const eventColors = { run: "#7fa86b", wait: "#1b2330", product: "#5b8dd9", copy: "#d9a14b" };

const warpsOf = (lane) =>
  lane.first_warp === lane.last_warp ? `warp ${lane.first_warp}` : `warps ${lane.first_warp} to ${lane.last_warp}`;

/** The function of the source around a line. */
function functionAt(line) {
  const lines = state.data.source.split("\n");
  for (let at = Math.min(line, lines.length) - 1; at >= 0; at--) {
    const name = /^def\s+(\w+)/.exec(lines[at]);
    if (name) return name[1];
  }
  return "";
}

/** That in which most of a lane's events are: the function of a group of warps. */
function functionOf(lane, lineOf) {
  const counts = new Map();
  for (const event of lane.events) {
    const name = functionAt(lineOf(event));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}

function describeEvent(event, lane, line) {
  const words = {
    wait: () => `${warpsOf(lane)}: waiting`,
    copy: () =>
      `${event.count === 1 ? "a copy" : `${event.count} copies`} in flight, ${quantity(event.amount, "B", 1024)}`,
    product: () => `products of each warp, ${quantity(event.amount, "flop")}`,
  };
  return `${words[event.kind]()}, clocks ${event.begin} to ${event.end}${line ? `, line ${line}` : ""}`;
}

/** Copies that are in flight at the same time lie below one another: the level of each. */
function copyLevels(lane) {
  const levels = new Map(),
    ends = [];
  for (const event of lane.events) {
    if (event.kind !== "copy") continue;
    const free = ends.findIndex((end) => end <= event.begin);
    const level = free < 0 ? ends.length : free;
    ends[level] = event.end;
    levels.set(event, level);
  }
  return { levels, count: ends.length };
}

/** The bars of a lane at `top`. */
function drawLane(picture, lane, top, scale, lineOf, choose) {
  const { levels } = copyLevels(lane);
  const bar = (row, begin, end, color, attributes, ...children) => {
    const height = row < 2 ? barHeight - 4 : copyHeight - 2;
    const y = top + 2 + (row < 2 ? row * barHeight : 2 * barHeight + (row - 2) * copyHeight);
    const place = { x: nameWidth + begin * scale, y, height };
    const drawn = drawing(
      "rect",
      { ...place, width: Math.max((end - begin) * scale, 1), fill: color, ...attributes },
      ...children,
    );
    picture.append(drawn);
    return drawn;
  };
  bar(0, 0, lane.end, eventColors.run, { class: "running" });
  for (const event of lane.events) {
    const line = lineOf(event),
      text = describeEvent(event, lane, line);
    const attributes = { class: "event", "data-kind": event.kind, "data-line": line };
    const drawn = bar(
      { wait: 0, product: 1, copy: 2 + levels.get(event) }[event.kind],
      event.begin,
      event.end,
      eventColors[event.kind],
      attributes,
      drawing("title", {}, text),
    );
    drawn.addEventListener("pointerenter", () => choose(text, line));
    drawn.addEventListener("click", () => line && jumpToLine(line));
    drawn.addEventListener("dblclick", () => line && showPlace(line));
  }
}

/** The picture; pointing at a bar says in `about` what it is, with its line. A click keeps the line lit. */
export function timeSection(memory, about) {
  const lanes = memory.time?.lanes ?? [];
  if (!lanes.some((lane) => lane.events.length)) return [];
  const lineOf = (event) => ownLine(memory.places[event.place]);
  const ends = lanes.flatMap((lane) => [lane.end, ...lane.events.map((event) => event.end)]);
  const end = ends.reduce((latest, other) => Math.max(latest, other));
  const tops = [0];
  for (const lane of lanes) tops.push(tops.at(-1) + 2 * barHeight + copyLevels(lane).count * copyHeight + 8);
  const picture = drawing("svg", {
    id: "time",
    width: nameWidth + timeWidth + 4,
    height: tops.at(-1) + 20,
    role: "img",
    "aria-label": "what the warps of the first program do over simulated time",
  });
  const choose = (text, line) =>
    about.replaceChildren(...[text, line ? " " : null, line ? placeButton({ line }) : null].filter(Boolean));
  lanes.forEach((lane, index) => {
    const top = tops[index];
    picture.append(
      drawing("text", { x: 0, y: top + 13 }, warpsOf(lane)),
      drawing("text", { x: 0, y: top + 29, class: "lane-function" }, functionOf(lane, lineOf)),
    );
    drawLane(picture, lane, top, timeWidth / end, lineOf, choose);
  });
  picture.append(drawing("text", { x: nameWidth, y: tops.at(-1) + 14 }, `${end} clocks`));
  return [
    make("h2", {}, "over time"),
    make(
      "p",
      { class: "help" },
      "The first program, in clocks of a simple machine: green runs and dark waits, below it products (blue) and copies in flight (yellow). A click keeps the line lit.",
      memory.time.is_cut ? " The end is missing, because there are too many events." : "",
    ),
    make("div", { class: "wrap" }, picture),
  ];
}
