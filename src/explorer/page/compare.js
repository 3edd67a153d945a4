// Two versions of a kernel, or a file, side by side.
import { followPointer } from "./code.js";
import { difference, withoutNumbers } from "./diff.js";
import { showRows, skippedRow } from "./lines.js";
import { listen, state, textsOf } from "./state.js";
import { highlighted, make, quantity } from "./text.js";

const mostBytes = 20e6; // of a file
const nearby = 3; // lines around a change that stay when equal ones are folded

/** What can be shown: this compilation, versions that were kept, and files. The first has the number 0. */
function versions() {
  const files = (state.data.beside ?? []).map((file) => fileVersion(file.name, file.text));
  return [versionOf(state.data, "this compilation"), ...files, ...state.kept];
}

function versionOf(data, title) {
  return { title, data, texts: textsOf(data), resources: data.explain?.resources };
}

const describeOptions = (data) =>
  `${data.kernel} on ${data.target}, ${data.num_warps} warps, ${data.num_stages} stages`;

function fileVersion(name, text) {
  const end = /\.([^.]*)$/.exec(name)?.[1] ?? "";
  const language = ["ptx", "amdgcn", "s", "asm", "sass"].includes(end) ? "assembly" : end === "py" ? "python" : "ir";
  const linked = language === "assembly" ? withoutPlaces(text) : { text, lines: [] };
  return { title: name, texts: [{ name: end || "text", language, ...linked }] };
}

/** Assembly without the directives that name places; lines that come from the kernel's file are linked to it. */
function withoutPlaces(text) {
  const nameOf = (path) => path.split("/").pop();
  const own = new Set(
    [...text.matchAll(/^\s*\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"/gm)]
      .filter((match) => nameOf(match[2]) === nameOf(state.data.path))
      .map((match) => match[1]),
  );
  const kept = [],
    lines = [];
  let source = 0;
  for (const line of linesOf(text)) {
    const [, file, number] = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(line) ?? [];
    if (file) source = own.has(file) ? Number(number) : 0;
    else if (!/^\s*\.file\b/.test(line)) {
      kept.push(line);
      lines.push(/^\s+[@a-z]/.test(line) ? source : 0);
    }
  }
  return { text: kept.join("\n"), lines };
}

/** A line with everything left out that changes whenever a register or a value comes or goes. */
function comparable(line) {
  return withoutNumbers(line)
    .replace(/%([a-z]+)\d+/g, "%$1")
    .replace(/\b([vas])(?:\d+\b|\[\d+:\d+\])/g, "$1")
    .replace(/(BB\d+_|\$L_*tmp)\d+/g, "$1")
    .trim();
}

/** Rows {before, after} of line numbers, null where a side has nothing; lines that were replaced stand beside each other. */
export function sideBySide(before, after) {
  const rows = [];
  let removed = [],
    added = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++)
      rows.push({ before: removed[i] ?? null, after: added[i] ?? null, isSame: false });
    removed = [];
    added = [];
  };
  for (const step of difference(before.map(comparable), after.map(comparable))) {
    if (step.kind === "removed") removed.push(step.before);
    else if (step.kind === "added") added.push(step.after);
    else {
      flush();
      rows.push({ before: step.before, after: step.after, isSame: true });
    }
  }
  flush();
  return rows;
}

/** The rows that stay when equal ones are folded; a number stands for as many rows. */
function folded(rows) {
  const result = [];
  const isNear = (index) => rows.slice(Math.max(0, index - nearby), index + nearby + 1).some((row) => !row.isSame);
  let skipped = 0;
  rows.forEach((row, index) => {
    if (!isNear(index)) {
      skipped++;
      return;
    }
    if (skipped) result.push(skipped);
    skipped = 0;
    result.push(row);
  });
  if (skipped) result.push(skipped);
  return result;
}

const linesOf = (text) => text.replace(/\n$/, "").split("\n");

function paneOf(rows, side, text, name) {
  const lines = linesOf(text.text);
  const pane = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": `${name}: ${text.name}` });
  showRows(
    pane,
    rows.map((row) => {
      if (typeof row === "number") return skippedRow(row);
      const at = row[side];
      const kind = row.isSame ? "" : at === null ? "absent" : side === "before" ? "removed" : "added";
      const source = at === null ? 0 : (text.lines[at] ?? 0);
      return [
        lines[at] ?? " ",
        () =>
          make(
            "div",
            { class: `line ${kind}${source ? " linked" : ""}`, "data-line": source || null },
            make("span", { class: "number" }, at === null ? "" : String(at + 1)),
            make("span", {}, at === null ? " " : highlighted(lines[at], text.language)),
          ),
      ];
    }),
  );
  followPointer(pane);
  return pane;
}

/** Both panes show the same rows. */
function scrollTogether(left, right) {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ])
    from.addEventListener("scroll", () => {
      if (to.scrollTop !== from.scrollTop) to.scrollTop = from.scrollTop;
      if (to.scrollLeft !== from.scrollLeft) to.scrollLeft = from.scrollLeft;
    });
}

function figures(sides) {
  const rows = [
    ["lines", ({ text }) => linesOf(text.text).length],
    ["registers of a thread", ({ version }) => version.resources?.registers],
    ["spilled bytes", ({ version }) => version.resources?.spill_bytes],
    ["shared memory", ({ version }) => version.resources?.shared_bytes, (value) => quantity(value, "B", 1024)],
  ];
  const shown = rows.map(([name, find, format = String]) => {
    const values = sides.map((side) => find(side) ?? null);
    if (values.every((value) => value === null)) return null;
    return make(
      "tr",
      {},
      make("th", {}, name),
      ...values.map((value) => make("td", { class: "number" }, value === null ? "?" : format(value))),
    );
  });
  return make("table", {}, make("tbody", {}, shown.filter(Boolean)));
}

/** The version and the text that a side shows; what was chosen may have gone. */
function choose(all, choice, other) {
  const version = all[choice.version] ?? all[0];
  const last = version.texts[version.texts.length - 1];
  const wanted = choice.text ?? other;
  return { version, text: version.texts.find((text) => text.name === wanted) ?? last };
}

function selectOf(label, names, chosen, changed) {
  const select = make(
    "select",
    { "aria-label": label },
    names.map((name, index) => make("option", { value: String(index), selected: index === chosen }, name)),
  );
  select.addEventListener("change", () => changed(Number(select.value)));
  return select;
}

function heading(all, choice, side, label, again) {
  const names = side.version.texts.map((text) => text.name);
  return make(
    "div",
    { class: "title" },
    selectOf(
      `${label} version`,
      all.map((version) => version.title),
      all.indexOf(side.version),
      (index) => {
        choice.version = index;
        again();
      },
    ),
    selectOf(`${label} text`, names, names.indexOf(side.text.name), (index) => {
      choice.text = names[index];
      again();
    }),
  );
}

async function openFile(input, again) {
  const file = input.files[0];
  if (!file) return;
  let problem = file.size > mostBytes ? `is larger than ${quantity(mostBytes, "B")}` : "";
  const text = problem ? "" : await file.text();
  if (text.includes("\0")) problem = "is not a text; give a file such as .ttir, .ttgir, .llir, .ptx or .amdgcn";
  state.compared.problem = problem && `${file.name} ${problem}`;
  if (!problem) {
    const version = fileVersion(file.name, text);
    state.kept.push(version);
    state.compared.left = { version: versions().length - 1, text: null };
    state.compared.right = { version: 0, text: version.texts[0].name };
  }
  again();
}

export function compareView() {
  const page = make("div", { class: "pane" });
  const compared = state.compared;
  const sides = (all) => {
    const right = choose(all, compared.right);
    return [choose(all, compared.left, right.text.name), right];
  };
  const table = make("div", { class: "figures" });
  const showFigures = () => table.replaceChildren(figures(sides(versions())));
  listen("assembled", page, showFigures);
  const show = () => {
    const all = versions();
    const [left, right] = sides(all);
    const keep = make(
      "button",
      {
        type: "button",
        id: "keep",
        title: "so that later compilations can be compared with it",
        click: () => {
          state.kept.push(versionOf(state.data, `${state.kept.length + 1}: ${describeOptions(state.data)}`));
          compared.left = { version: versions().length - 1, text: null };
          show();
        },
      },
      "keep this version",
    );
    const file = make("input", { type: "file", id: "beside-file", "aria-label": "file to compare with" });
    file.addEventListener("change", () => openFile(file, show));
    const folds = make("input", { type: "checkbox", id: "only-changes", checked: compared.folds });
    folds.addEventListener("change", () => {
      compared.folds = folds.checked;
      show();
    });
    const rows = sideBySide(linesOf(left.text.text), linesOf(right.text.text));
    const shown = compared.folds ? folded(rows) : rows;
    const panes = [paneOf(shown, "before", left.text, "left"), paneOf(shown, "after", right.text, "right")];
    scrollTogether(...panes);
    const changes = rows.filter((row) => !row.isSame).length;
    page.replaceChildren(
      make(
        "div",
        { class: "slider wraps" },
        keep,
        make("label", {}, "or open ", file),
        make("label", {}, folds, "only changes"),
        make(
          "span",
          { id: "changes", role: "status" },
          changes ? `${changes} lines differ` : "no line differs, numbers of registers and values aside",
        ),
      ),
      compared.problem ? make("p", { class: "missed page-note" }, compared.problem) : "",
      make(
        "div",
        { class: "columns" },
        make(
          "section",
          { class: "column", "aria-label": "left" },
          heading(all, compared.left, left, "left", show),
          panes[0],
        ),
        make(
          "section",
          { class: "column", "aria-label": "right" },
          heading(all, compared.right, right, "right", show),
          panes[1],
        ),
      ),
      table,
    );
    showFigures();
  };
  show();
  return page;
}
