// Where the compilation's time went, as a flame graph: stages above their passes.
import { drawing } from "./facts.js";
import { state } from "./state.js";
import { duration, make } from "./text.js";

export function timesView() {
  const passes = state.data.passes;
  const total = passes.reduce((sum, pass) => sum + pass.seconds, 0) || 1;
  const width = 1000,
    height = 34;
  const picture = drawing("svg", {
    viewBox: `0 0 ${width} ${3 * height}`,
    width: "100%",
    role: "img",
    "aria-label": "flame graph of the compilation",
  });
  const box = (row, begin, seconds, name, hue) => {
    const w = (seconds / total) * width;
    const group = drawing(
      "g",
      {},
      drawing("title", {}, `${name}: ${duration(seconds)}`),
      drawing("rect", {
        x: (begin / total) * width,
        y: row * height,
        width: Math.max(w - 0.5, 0.2),
        height: height - 2,
        fill: `hsl(${hue} 60% 74%)`,
      }),
    );
    if (w > 40)
      group.append(
        drawing(
          "text",
          { class: "inked", x: (begin / total) * width + 4, y: row * height + 20 },
          name.slice(0, Math.floor(w / 6.5)),
        ),
      );
    picture.append(group);
  };
  box(0, 0, total, `compilation, ${duration(total)}`, 210);
  const stages = [...new Set(passes.map((pass) => pass.stage))];
  let begin = 0;
  for (const [index, stage] of stages.entries()) {
    const own = passes.filter((pass) => pass.stage === stage);
    const hue = (index * 67 + 30) % 360;
    const seconds = own.reduce((sum, pass) => sum + pass.seconds, 0);
    box(1, begin, seconds, stage, hue);
    for (const pass of own) {
      box(2, begin, pass.seconds, pass.name, hue);
      begin += pass.seconds;
    }
  }
  const slowest = [...passes].sort((a, b) => b.seconds - a.seconds).slice(0, 15);
  const rows = slowest.map((pass) =>
    make(
      "tr",
      {},
      make("td", { class: "number" }, duration(pass.seconds)),
      make("td", {}, pass.stage),
      make("td", {}, pass.name),
    ),
  );
  return make(
    "div",
    { class: "page" },
    picture,
    make("p", { class: "help" }, "Printing the IR between passes is not counted."),
    make(
      "table",
      {},
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          ["time", "stage", "pass"].map((name) => make("th", { scope: "col" }, name)),
        ),
      ),
      make("tbody", {}, rows),
    ),
  );
}
