// The layouts of tensors as pictures to walk through: which thread holds an element, or which bank of shared memory.
import { placeButton } from "./code.js";
import { state, textsOf } from "./state.js";
import { make } from "./text.js";

const largest = 1 << 16; // elements that are drawn
const banks = 32,
  bankBytes = 4;

/** All inputs' values → coordinates, as a map from the element's index to its holders. */
function holders(layout) {
  const sizes = layout.inputs.map((input) => 1 << input.bases.length);
  const count = layout.shape.reduce((product, extent) => product * extent, 1);
  const held = Array.from({ length: count }, () => []);
  const total = sizes.reduce((product, size) => product * size, 1);
  for (let point = 0; point < total; point++) {
    let rest = point;
    const values = sizes.map((size) => {
      const value = rest % size;
      rest = Math.floor(rest / size);
      return value;
    });
    const place = layout.shape.map(() => 0);
    layout.inputs.forEach((input, i) =>
      input.bases.forEach((basis, bit) => {
        if ((values[i] >> bit) & 1) basis.forEach((component, dimension) => (place[dimension] ^= component));
      }),
    );
    held[place.reduce((index, coordinate, dimension) => index * layout.shape[dimension] + coordinate, 0)].push(values);
  }
  return held;
}

function layoutColor(layout, values) {
  const value = (name) => {
    const index = layout.inputs.findIndex((input) => input.name === name);
    return index < 0 ? 0 : values[index];
  };
  const size = (name) => 1 << (layout.inputs.find((input) => input.name === name)?.bases.length ?? 0);
  if (layout.is_shared) return bankColor(bankOf(layout, value("offset")));
  const lanes = size("lane"),
    registers = size("register");
  const hue = (360 * value("warp")) / Math.max(size("warp"), 1);
  const light = 35 + (40 * value("lane")) / lanes;
  return `hsl(${hue} ${45 + (45 * value("register")) / registers}% ${light}%)`;
}

const bankColor = (bank) => `hsl(${(360 * bank) / banks} 60% 60%)`;
const bankOf = (layout, offset) => Math.floor((offset * layout.element_bits) / 8 / bankBytes) % banks;

function describeHolders(layout, held) {
  return (
    held
      .slice(0, 8)
      .map((values) => {
        const parts = layout.inputs
          .map((input, i) => `${input.name} ${values[i]}`)
          .filter((_, i) => layout.inputs[i].bases.length > 0);
        if (layout.is_shared)
          parts.push(`bank ${bankOf(layout, values[layout.inputs.findIndex((input) => input.name === "offset")])}`);
        return parts.join(", ");
      })
      .join("\n") + (held.length > 8 ? `\n… ${held.length} holders` : "")
  );
}

/** Says in `about` what is chosen. */
function layoutPicture(layout, about) {
  const count = layout.shape.reduce((product, extent) => product * extent, 1);
  if (count > largest) return make("p", { class: "help" }, `${count} elements are too many to draw.`);
  const held = holders(layout);
  const columns = layout.shape.length > 1 ? layout.shape.at(-1) : Math.min(layout.shape[0] ?? 1, 64);
  const rows = Math.ceil(count / columns);
  const scale = Math.max(2, Math.min(24, Math.floor(900 / columns)));
  const canvas = make("canvas", {
    tabindex: "0",
    role: "img",
    width: String(columns * scale),
    height: String(rows * scale),
    "aria-label": `layout of ${layout.type}; arrow keys walk through its elements`,
  });
  const drawing = canvas.getContext("2d");
  let chosen = -1;
  const paint = () => {
    const mark = chosen >= 0 && held[chosen][0];
    held.forEach((all, index) => {
      drawing.fillStyle = all.length ? layoutColor(layout, all[0]) : "#888";
      const x = (index % columns) * scale,
        y = Math.floor(index / columns) * scale;
      drawing.fillRect(x, y, scale - (scale > 4 ? 1 : 0), scale - (scale > 4 ? 1 : 0));
      if (mark && all.some((values) => isSameThread(layout, values, mark))) {
        drawing.strokeStyle = index === chosen ? "#fff" : "#000";
        drawing.lineWidth = Math.max(1, scale / 6);
        drawing.strokeRect(x + 0.5, y + 0.5, scale - 2, scale - 2);
      }
    });
  };
  const choose = (index) => {
    if (index < 0 || index >= count || index === chosen) return;
    chosen = index;
    paint();
    about.textContent = `[${indicesOf(layout, index).join(", ")}]\n${describeHolders(layout, held[index])}`;
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    choose(Math.floor(((event.clientY - box.top) / box.height) * rows) * columns + column);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(chosen < 0 ? 0 : chosen + step);
  });
  paint();
  return make("div", {}, make("div", { class: "wrap" }, canvas), legendOf(layout));
}

/** What the colors stand for, with a sample of each. */
function legendOf(layout) {
  const sample = (name, number) => {
    const swatch = make("span", { class: "swatch" });
    swatch.style.background = layout.is_shared
      ? bankColor(number)
      : layoutColor(
          layout,
          layout.inputs.map((input) => (input.name === name ? number : 0)),
        );
    return make("span", { class: "sample" }, swatch, `${name} ${number}`);
  };
  const ends = (count) =>
    count > 8 ? [0, 1, 2, 3, Math.floor(count / 2), count - 1] : Array.from({ length: count }, (_, i) => i);
  const row = (name, count) =>
    make(
      "div",
      { class: "legend" },
      ends(count).map((number) => sample(name, number)),
    );
  if (layout.is_shared)
    return make(
      "div",
      { class: "help" },
      "Colors are banks; the frame shows the elements of the same bank.",
      row("bank", banks),
    );
  const rows = layout.inputs
    .filter(({ name, bases }) => ["warp", "lane", "register"].includes(name) && bases.length > 0)
    .map(({ name, bases }) => row(name, 1 << bases.length));
  return make(
    "div",
    { class: "help" },
    "Colors are warps, lighter for higher lanes and stronger for higher registers; frames show what the same thread holds.",
    rows,
  );
}

/** {value: {name, line} of the line of the kernel that it comes from}, where that assigns a name. */
function namesOfValues() {
  const stage = textsOf(state.data).find(({ name }) => name === "ttgir");
  const sourceLines = state.data.source.split("\n");
  const names = new Map();
  (stage?.text ?? "").split("\n").forEach((text, index) => {
    const value = /^\s*(%[\w$.-]+)/.exec(text)?.[1],
      line = stage.lines[index];
    const name =
      line &&
      /^\s*([A-Za-z_]\w*)\s*(?::[^=]*)?(?:[-+*/%&|^@]|\/\/|\*\*|<<|>>)?=(?!=)/.exec(sourceLines[line - 1] ?? "")?.[1];
    if (value && name) names.set(value, { name, line });
  });
  return names;
}

function indicesOf(layout, index) {
  return layout.shape.map((extent, dimension) => {
    const inner = layout.shape.slice(dimension + 1).reduce((product, other) => product * other, 1);
    return Math.floor(index / inner) % extent;
  });
}

function isSameThread(layout, values, mark) {
  if (layout.is_shared) {
    const offset = layout.inputs.findIndex((input) => input.name === "offset");
    return bankOf(layout, values[offset]) === bankOf(layout, mark[offset]);
  }
  return layout.inputs.every((input, i) => input.name === "register" || values[i] === mark[i]);
}

export function layoutsView() {
  const layouts = state.data.layouts;
  if (layouts.length === 0)
    return make(
      "p",
      { class: "page help" },
      "Tensors have layouts in the stage ttgir, on the way to a GPU: choose a target such as cuda:90.",
    );
  const page = make("div", { class: "page" });
  const about = make("div", { class: "holder", "aria-live": "polite" });
  const buttons = [];
  const known = namesOfValues();
  const variablesOf = (layout) => [
    ...new Map(
      layout.values
        .map((value) => known.get(value.replace(/#\d+$/, "")))
        .filter(Boolean)
        .map((each) => [each.name, each]),
    ).values(),
  ];
  const show = (index) => {
    state.layout = index;
    const layout = layouts[index];
    buttons.forEach((button, i) => button.setAttribute("aria-current", String(i === index)));
    about.textContent = "Point at an element, or walk with the arrow keys.";
    const variables = variablesOf(layout);
    page.replaceChildren(
      make("h2", {}, layout.type),
      variables.length
        ? make(
            "p",
            { class: "variables" },
            "from lines that assign ",
            variables.flatMap(({ name, line }) => [make("code", {}, name), " (", placeButton({ line }), ") "]),
          )
        : "",
      make(
        "p",
        { class: "help" },
        `values: ${layout.values.slice(0, 12).join(" ")}${layout.values.length > 12 ? " …" : ""}`,
      ),
      layoutPicture(layout, about),
    );
  };
  const list = make(
    "nav",
    { class: "list", "aria-label": "layouts" },
    layouts.map((layout, index) => {
      const name = /^#ttg\.(\w+)/.exec(layout.encoding)?.[1] ?? layout.encoding;
      const button = make(
        "button",
        { type: "button", click: () => show(index) },
        make("span", { class: "time" }, `${layout.values.length} ×`),
        `${layout.shape.join("×")} ${layout.element} ${name}`,
        make(
          "span",
          { class: "help" },
          variablesOf(layout)
            .slice(0, 4)
            .map((each) => ` ${each.name}`)
            .join(","),
        ),
      );
      buttons.push(button);
      return button;
    }),
  );
  show(Math.min(state.layout, layouts.length - 1));
  return [list, make("div", { class: "pane" }, page, about)];
}
