// The difference of two texts by lines (E. Myers, "An O(ND) difference algorithm and its variations", 1986).

const mostEdits = 1500;

/** Whether the furthest path on diagonal k comes from the one above it: by an added line. */
function isDown(reach, k, edits) {
  return k === -edits || (k !== edits && reach.get(k - 1) < reach.get(k + 1));
}

/** The paths of the furthest points, by number of edits; null where the texts differ in too much. */
function search(before, after) {
  const size = before.length + after.length;
  const limit = Math.min(size, mostEdits);
  const reach = new Map([[1, 0]]);
  const history = [];
  for (let edits = 0; edits <= limit; edits++) {
    history.push(new Map(reach));
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(reach, k, edits) ? reach.get(k + 1) : reach.get(k - 1) + 1;
      let y = x - k;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      reach.set(k, x);
      if (x >= before.length && y >= after.length) return history;
    }
  }
  return null;
}

function walkBack(history, before, after) {
  const steps = [];
  let x = before.length,
    y = after.length;
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const reach = history[edits];
    const k = x - y;
    const previous = isDown(reach, k, edits) ? k + 1 : k - 1;
    const previousX = reach.get(previous) ?? 0;
    const previousY = previousX - previous;
    while (x > previousX && y > previousY) steps.push({ kind: "same", before: --x, after: --y });
    if (edits > 0)
      steps.push(x === previousX ? { kind: "added", after: previousY } : { kind: "removed", before: previousX });
    x = previousX;
    y = previousY;
  }
  return steps.reverse();
}

/** The steps from one array of lines to the other: {kind: "same" | "added" | "removed", before, after}. */
export function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const innerBefore = before.slice(start, before.length - end);
  const innerAfter = after.slice(start, after.length - end);
  const history = search(innerBefore, innerAfter);
  const middle = history
    ? walkBack(history, innerBefore, innerAfter)
    : [...innerBefore.keys()]
        .map((line) => ({ kind: "removed", before: line }))
        .concat([...innerAfter.keys()].map((line) => ({ kind: "added", after: line })));
  const steps = [];
  for (let i = 0; i < start; i++) steps.push({ kind: "same", before: i, after: i });
  for (const step of middle) {
    const moved = { kind: step.kind };
    if (step.before !== undefined) moved.before = step.before + start;
    if (step.after !== undefined) moved.after = step.after + start;
    steps.push(moved);
  }
  for (let i = end; i > 0; i--) steps.push({ kind: "same", before: before.length - i, after: after.length - i });
  return steps;
}

/** The same line of IR with numbers of values left out, which change whenever a value comes or goes. */
export function withoutNumbers(line) {
  return line
    .replace(/%\d+/g, "%")
    .replace(/!\d+/g, "!")
    .replace(/#loc\d*/g, "");
}
