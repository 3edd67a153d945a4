// The table of the kernel's arguments: what it is compiled for, and what a launch on the simulator passes.
import { state } from "./state.js";
import { make } from "./text.js";

const scalarTypes = [
  "i1",
  "i8",
  "i16",
  "i32",
  "i64",
  "u8",
  "u16",
  "u32",
  "u64",
  "fp8e4nv",
  "fp8e5",
  "fp16",
  "bf16",
  "fp32",
  "fp64",
];
const hintsOfArrays = [
  ["16", "its address is a multiple of 16"],
  ["small", "its memory has less than 2 GiB"],
  ["own", "no other argument points into its memory"],
];
const hintsOfIntegers = [
  ["16", "a multiple of 16"],
  ["1", "it is 1"],
  ["natural", "0 or more"],
];

/** The parts between the commas that are outside of quotes and brackets. */
function splitAtCommas(text) {
  const parts = [""];
  let quote = "",
    depth = 0;
  for (const letter of text) {
    if (quote) quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if ("[(".includes(letter)) depth++;
    else if ("])".includes(letter)) depth--;
    if (letter === "," && !quote && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** {name: value} of a launch's arguments. */
function readLaunch(text) {
  return Object.fromEntries(
    splitAtCommas(text).map((part) => [part.split("=")[0].trim(), part.slice(part.indexOf("=") + 1).trim()]),
  );
}

/** [type or constant, hints]. A text with a colon in quotes is a constant. */
function splitItem(item) {
  const [type, ...hints] = item.split(":");
  return hints.length && /^\*?\w+$/.test(type.trim()) ? [type.trim(), hints.map((hint) => hint.trim())] : [item, []];
}

const isArray = (type) => type.startsWith("*");
const isType = (type) => isArray(type) || scalarTypes.includes(type) || type.startsWith("tensordesc<");
const hintsOf = (type) => (isArray(type) ? hintsOfArrays : /^[iu]\d+$/.test(type) ? hintsOfIntegers : []);
export const signatureOf = (rows) =>
  rows
    .filter((row) => row.item)
    .map((row) => `${row.name}=${row.item}`)
    .join(", ");

/** What the rows say of a launch; constants are those of the signature. Empty: all is guessed. */
function launchOf(rows) {
  if (!rows.some((row) => row.value)) return "";
  const values = rows.map((row) => [row.name, isType(splitItem(row.item)[0]) ? row.value : row.item]);
  return values
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

/** Takes the parameters of an answer, and why those were chosen that were guessed. Fields of the table belong to their rows, which stay. */
export function takeParameters(parameters, reasons) {
  const launch = readLaunch(state.launch.arguments);
  const known = new Map(state.rows.map((row) => [row.name, row]));
  state.rows = parameters.map((each) => {
    const row = known.get(each.name) ?? {};
    const why = reasons.get(each.name) ?? (row.item === each.item ? row.why : "");
    return Object.assign(row, each, { value: launch[each.name] ?? "", why });
  });
}

export function takeLaunch() {
  const launch = readLaunch(state.launch.arguments);
  for (const row of state.rows) row.value = launch[row.name] ?? "";
}

function originOf(row) {
  if (!row.item) return row.has_default ? "the kernel's default" : "missing";
  return row.why ? `guessed, because ${row.why}` : "given";
}

/** The table for these callbacks: `changed` when the kernel must be compiled for something else, `launchChanged` when only a launch differs. */
export function argumentTable(changed, launchChanged) {
  const table = make("table", { id: "argument-table" });
  const titles = ["argument", "type or constant", "what is known of it", "value in a launch", "where from"];

  /** Draws the table again. The focus stays where it is. */
  function show() {
    const focused = table.contains(document.activeElement) ? document.activeElement : null;
    const place =
      focused && `[data-argument="${focused.closest("tr").dataset.argument}"] [data-field="${focused.dataset.field}"]`;
    table.replaceChildren(
      make("caption", {}, "arguments"),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          titles.map((title) => make("th", { scope: "col" }, title)),
        ),
      ),
      make(
        "tbody",
        {},
        state.rows.map((row) =>
          make(
            "tr",
            { "data-argument": row.name },
            make("th", { scope: "row" }, make("code", {}, row.name)),
            cellsOf(row).map((cell) => make("td", {}, cell)),
            make("td", { class: "help" }, originOf(row)),
          ),
        ),
      ),
    );
    if (place) table.querySelector(place)?.focus();
  }

  function setItem(row, type, hints) {
    row.item = [type, ...hints].join(":");
    row.why = "";
    changed();
    setTimeout(show); // when the focus has gone to where it goes
  }

  function hintBoxes(row, type, hints) {
    return hintsOf(type).map(([hint, meaning]) => {
      const box = make("input", {
        type: "checkbox",
        checked: hints.includes(hint),
        "data-field": `hint ${hint}`,
        "aria-label": `${row.name}: ${meaning}`,
      });
      box.addEventListener("change", () => {
        const others = hint === "1" ? [] : hints.filter((each) => each !== hint && each !== "1");
        setItem(row, type, box.checked ? [...others, hint] : others);
      });
      return make("label", { title: meaning, class: "hint" }, box, hint);
    });
  }

  function cellsOf(row) {
    const [type, hints] = splitItem(row.item);
    const isPassed = isType(type);
    if (!state.editable)
      return [
        make("code", {}, type),
        hintsOf(type)
          .filter(([hint]) => hints.includes(hint))
          .map(([, meaning]) => meaning)
          .join("; "),
        make("code", {}, isPassed ? row.value : ""),
      ];
    const field = (name, value, label, more) =>
      make("input", {
        value,
        size: 16,
        autocomplete: "off",
        spellcheck: "false",
        "data-field": name,
        "aria-label": `${label} of ${row.name}`,
        ...more,
      });
    const item = field("item", type, "type or constant", {
      list: "types",
      placeholder: row.has_default ? "default" : "",
    });
    item.addEventListener("change", () => {
      const [written, writtenHints] = splitItem(item.value.trim());
      setItem(
        row,
        written,
        writtenHints.length ? writtenHints : hints.filter((hint) => hintsOf(written).some(([name]) => name === hint)),
      );
    });
    const value = field(
      "value",
      isPassed ? row.value : "",
      "value in a launch",
      isPassed ? { placeholder: "guessed" } : { disabled: true },
    );
    value.addEventListener("change", () => {
      row.value = value.value.trim();
      state.launch.arguments = launchOf(state.rows);
      launchChanged();
    });
    return [item, hintBoxes(row, type, hints), value];
  }

  show();
  return { table, show };
}

/** A choice among the kernel's settings, the configurations of its `@triton.autotune` and recorded launches; null where there is none. */
export function presetChoice(configurations, choose) {
  if (!configurations?.length) return null;
  const options = configurations.map((each, index) => make("option", { value: index }, each.text));
  const select = make(
    "select",
    { id: "preset", "aria-label": "configuration or recorded launch" },
    make(
      "option",
      { value: "" },
      configurations.some((each) => each.arguments)
        ? "a configuration or a recorded launch"
        : "a configuration of @triton.autotune",
    ),
    options,
  );
  select.addEventListener("change", () => {
    const chosen = configurations[select.value];
    if (!chosen) return;
    for (const row of state.rows.filter(({ name }) => name in chosen.values))
      Object.assign(row, { item: chosen.values[row.name], why: "" });
    choose(chosen);
  });
  return select;
}
