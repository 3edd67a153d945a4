// Texts as elements. Everything that comes from a kernel becomes a text node, never markup.

/** An element with attributes, properties that are functions as listeners, and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** "1.25 ms". */
export function duration(seconds) {
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  if (seconds >= 1e-3) return `${(seconds * 1e3).toFixed(2)} ms`;
  if (seconds >= 1e-6) return `${(seconds * 1e6).toFixed(1)} µs`;
  return `${(seconds * 1e9).toFixed(0)} ns`;
}

/** "1.5 KiB" or "2.1 Mflop": at most three digits. */
export function quantity(value, unit, step = 1000) {
  const prefixes = step === 1024 ? ["", "Ki", "Mi", "Gi", "Ti"] : ["", "k", "M", "G", "T", "P"];
  let index = 0;
  while (Math.abs(value) >= step && index + 1 < prefixes.length) {
    value /= step;
    index++;
  }
  const digits = Number.isInteger(value) ? String(value) : value.toPrecision(3);
  return `${digits} ${prefixes[index]}${unit}`;
}

/** "1 program", "2 programs". */
export const counted = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** Words, with code between backquotes and links without their address. */
function inlineOf(text) {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return plain.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
}

/** Markdown, as far as the language server writes it, as elements: paragraphs, lists and blocks of code. */
export function proseOf(markdown) {
  return markdown.split(/```\w*\n?/).flatMap((text, index) => {
    if (index % 2) return [make("pre", {}, text.trimEnd())];
    return text
      .split(/\n\s*\n|\n(?=- )/)
      .filter((part) => part.trim())
      .map((part) => make("p", {}, inlineOf(part.trim())));
  });
}

const wordRules = {
  python:
    /(?<comment>#.*)|(?<string>"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<keyword>\b(?:def|return|if|elif|else|for|while|in|not|and|or|import|from|as|None|True|False|assert|break|continue|pass|lambda|is)\b)|(?<constant>\b\d[\w.]*)|(?<name>@[\w.]+|\btl\.\w+)/g,
  ir: /(?<comment>\/\/.*|;.*)|(?<string>"(?:[^"\\]|\\.)*")|(?<keyword>\b(?:tt|ttg|scf|arith|math|cf|llvm|nvvm|ttng|ttcg)\.[\w.]+|\b(?:define|declare|ret|br|call|load|store|tail|getelementptr|phi|select|icmp|fcmp|bitcast|extractvalue|insertvalue)\b)|(?<name>[%#@$][\w.$-]+|![\w.]+)|(?<constant>(?<![\w.])-?\d[\w.+-]*)/g,
  assembly:
    /(?<comment>\/\/.*|;.*|#.*)|(?<string>"(?:[^"\\]|\\.)*")|(?<name>%[\w.]+|\$[\w.]+)|(?<keyword>^\s*(?:@!?%\w+\s+)?[a-z][\w.]*|(?<=^\s*\/\*\w+\*\/\s+)(?:@!?U?P\w+\s+)?[A-Z][\w.]*)|(?<constant>(?<![\w.])-?\d\w*)/g,
};

/** The line as spans with the classes of its words. */
export function highlighted(line, language) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(wordRules[language])) {
    if (match.index > end) parts.push(line.slice(end, match.index));
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    parts.push(make("span", { class: kind }, match[0]));
    end = match.index + match[0].length;
  }
  parts.push(line.slice(end));
  return parts;
}
