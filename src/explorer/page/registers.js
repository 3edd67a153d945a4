// How many registers are live at each line of assembly: those that hold a value which is read later.
//
// In PTX, these are the registers of the program before ptxas assigns those of the machine; where many are live, it
// needs many, and spills. For AMD's GPUs they are the vector registers themselves.

/** Without a result: all operands are read. */
const effects =
  /^(?:st|red|bra|brx|ret|exit|call|bar|barrier|membar|fence|cp|mbarrier\.(?:init|inval|expect)|prefetch|trap|nanosleep|griddepcontrol|setmaxnreg|wgmma\.(?:fence|commit|wait)|global_store|buffer_store|flat_store|scratch_store|ds_write|ds_store|global_atomic|s_\w+)/;

const dialects = {
  ptx: {
    registers: /%(rd|rq|fd|rs|rh|r|f|h|p|b|c|hh)(\d+)\b/g,
    sizes: { rd: 2, fd: 2, rq: 4, p: 0 },
    expand: (match) => [match[0]],
    size: (name, sizes) => sizes[/^%([a-z]+)/.exec(name)[1]] ?? 1,
    comment: /\/\/.*/,
    jump: /\bbra(?:\.uni)?\s+([$\w]+)/,
    end: /^(?:ret|exit|bra|trap)\b/,
  },
  amdgcn: {
    registers: /\b([va])(\d+)\b|\b([va])\[(\d+):(\d+)\]/g,
    expand: (match) => {
      if (match[1]) return [match[1] + match[2]];
      return Array.from({ length: match[5] - match[4] + 1 }, (_, index) => match[3] + (Number(match[4]) + index));
    },
    size: () => 1,
    comment: /;.*/,
    jump: /\bs_c?branch\w*\s+([.$\w]+)/,
    end: /^(?:s_endpgm|s_branch)\b/,
  },
};

/** The end of the first operand: commas inside of braces and brackets belong to it. */
function firstOperandEnd(text) {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if ("{[(".includes(text[i])) depth++;
    else if ("}])".includes(text[i])) depth--;
    else if (text[i] === "," && depth === 0) return i;
  }
  return text.length;
}

/** {label, writes, reads, jump, ends} of a line. */
function parseLine(line, dialect) {
  const text = line.replace(dialect.comment, "").trim();
  const label = /^([.$\w]+):/.exec(text)?.[1];
  const [, guard, opcode, rest] = /^(?:[.$\w]+:)?[\s{]*(@!?%\w+\s+)?([a-z][\w.]*)\s*(.*)$/.exec(text) ?? [];
  const found = { label, writes: [], reads: [] };
  if (!opcode || text.startsWith(".")) return found;
  const names = (part) => [...part.matchAll(dialect.registers)].flatMap(dialect.expand);
  const end = firstOperandEnd(rest);
  const first = rest.slice(0, end);
  const hasResult = !effects.test(opcode) && !first.startsWith("[");
  found.reads = names((guard ?? "") + " " + rest.slice(hasResult ? end : 0));
  if (hasResult) {
    found.writes = names(first);
    // What does not replace all of the old value, or adds to it, reads it.
    if (guard || opcode.startsWith("wgmma")) found.reads.push(...found.writes);
  }
  found.jump = dialect.jump.exec(text)?.[1];
  found.ends = !guard && dialect.end.test(opcode);
  return found;
}

/** The number of live registers at each line, or null for a text that is not understood. */
export function liveRegisters(text, name) {
  const dialect = dialects[name];
  if (!dialect) return null;
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => parseLine(line, dialect));
  const places = new Map();
  lines.forEach((line, index) => line.label && places.set(line.label, index));
  const before = lines.map(() => new Set()); // the registers that are live before each line
  const after = (index) => {
    const line = lines[index];
    const live = new Set(line.ends ? [] : (before[index + 1] ?? []));
    if (line.jump && places.has(line.jump)) for (const register of before[places.get(line.jump)]) live.add(register);
    return live;
  };
  const mostRounds = 20; // as many as loops are nested, and one more
  for (let round = 0, changes = true; changes && round < mostRounds; round++) {
    changes = false;
    for (let index = lines.length - 1; index >= 0; index--) {
      const live = after(index);
      for (const register of lines[index].writes) live.delete(register);
      for (const register of lines[index].reads) live.add(register);
      if (live.size !== before[index].size) changes = true;
      before[index] = live;
    }
  }
  return lines.map((line, index) => {
    const live = after(index);
    for (const register of line.writes) live.add(register);
    let sum = 0;
    for (const register of live) sum += dialect.size(register, dialect.sizes);
    return sum;
  });
}
