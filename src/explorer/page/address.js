// What the page shows is in its address, so that a link leads there again, and a changed text of the kernel is in the browser's storage, so that it outlives the page.
import { state } from "./state.js";

const names = ["kernel", "target", "signature", "num_warps", "num_stages"]; // of a question
const storageKey = "changed source";

/** The question, as far as the address says something else. It may also name the line that is lit. */
export function questionOfAddress(first) {
  const given = new URLSearchParams(location.search);
  state.line = Number(given.get("line")) || 0;
  state.isPinned = state.line > 0;
  return {
    ...first,
    ...Object.fromEntries(names.filter((name) => given.has(name)).map((name) => [name, given.get(name)])),
  };
}

/** Puts the question and the line that is kept lit into the address. */
export function showAddress(question) {
  const shown = new URLSearchParams(
    names.filter((name) => question[name] !== "").map((name) => [name, question[name]]),
  );
  if (state.isPinned && state.line) shown.set("line", state.line);
  if (`?${shown}` !== location.search) history.replaceState(null, "", `?${shown}${location.hash}`);
}

/** The text as it was changed, if this is what it was made from; otherwise the text. */
export function sourceOfStorage(original) {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey));
    return kept?.original === original ? kept.changed : original;
  } catch {
    return original; // a browser may have no storage
  }
}

export function keepSource() {
  try {
    if (state.source === state.original) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify({ original: state.original, changed: state.source }));
  } catch {
    return; // it is full, or there is none
  }
}
