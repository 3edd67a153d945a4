// What the server guessed, and why.
import { make } from "./text.js";

export function guessList(title, items) {
  return make(
    "details",
    { class: "guess" },
    make("summary", {}, title),
    make(
      "ul",
      {},
      items.map(({ name, value, why }) =>
        make("li", {}, make("code", {}, `${name} = ${value}`), why ? `, because ${why}` : ""),
      ),
    ),
  );
}
