// What the lines of the kernel cost in a launch on the simulator, which counts exactly.
import { state } from "./state.js";
import { quantity } from "./text.js";

const size = (value) => quantity(value, "B", 1024);

/** [title, count of a line's sums, how it is written] of each column. */
export const costColumns = [
  ["instructions", (counts) => counts.instructions, String],
  ["loaded", (counts) => counts.global_load_bytes, size],
  ["stored", (counts) => counts.global_store_bytes, size],
  ["sectors", (counts) => counts.global_sectors, String],
  ["shared memory", (counts) => counts.shared_load_bytes + counts.shared_store_bytes, size],
  ["turns", (counts) => counts.shared_wavefronts, String],
  ["bank conflicts", (counts) => counts.bank_conflicts, String],
];

/** The line of the kernel's own file: code of the library gives way to what calls it. */
export function ownLine(place) {
  const own = [place, ...(place.callers ?? [])].find((each) => each.file === state.data.path);
  return own?.line ?? 0;
}

/** The sums of all counts, by line of the kernel; 0 stands for all other places. */
export function countsByLine(memory) {
  const byLine = new Map();
  for (const counts of memory.by_place) {
    const line = ownLine(memory.places[counts.place]);
    const sum = byLine.get(line) ?? {};
    for (const [name, value] of Object.entries(counts)) if (name !== "place") sum[name] = (sum[name] ?? 0) + value;
    byLine.set(line, sum);
  }
  return byLine;
}
