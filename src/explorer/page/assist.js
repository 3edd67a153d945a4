// Completion and help in the editor: the language server's answers about the place of the caret or of the pointer.
import { make, proseOf } from "./text.js";
import { insert } from "./typing.js";

const restTime = 350; // milliseconds that the pointer rests on a word before its help appears

/** {line, character} as the language server counts them. */
function positionOf(text, offset) {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length - 1, character: lines.at(-1).length };
}

const wordBefore = (area) => /\w*$/.exec(area.value.slice(0, area.selectionStart))[0];

/** Shows the element at a letter's box: on this side of it, or on the other one if there is more room. */
function showBeside(element, box, isBelow) {
  element.hidden = false;
  const { offsetHeight: height, offsetWidth: width } = element;
  const fitsBelow = window.innerHeight - box.bottom >= height,
    fitsAbove = box.top >= height;
  const goesBelow = isBelow ? fitsBelow || !fitsAbove : fitsBelow && !fitsAbove;
  element.style.top = `${Math.max(0, goesBelow ? Math.min(box.bottom, window.innerHeight - height) : box.top - height)}px`;
  element.style.left = `${Math.max(0, Math.min(box.left, window.innerWidth - width - 8))}px`;
}

/** A list of names to choose from, below the caret. The focus stays in the editor, which says what is active. */
function completionList(area, rows, ask) {
  const list = make("ul", { role: "listbox", id: "completions", "aria-label": "completions" });
  const about = make("div", { class: "help" });
  const element = make("div", { class: "popup", hidden: true }, list, about);
  let items = [],
    active = 0,
    prefix = "",
    asked = 0;

  function close() {
    asked++;
    element.hidden = true;
    area.removeAttribute("aria-activedescendant");
  }

  function activate(index) {
    list.children[active]?.setAttribute("aria-selected", "false");
    active = (index + items.length) % items.length;
    const option = list.children[active];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", option.id);
    const { detail, documentation } = items[active];
    about.replaceChildren(...(detail ? [make("code", {}, detail)] : []), ...proseOf(documentation?.value ?? ""));
    about.hidden = !detail && !documentation;
  }

  function accept(index) {
    const { label } = items[index];
    close();
    area.setSelectionRange(area.selectionStart - prefix.length, area.selectionStart);
    insert(label);
    close(); // what was inserted asked again
  }

  async function open() {
    const number = ++asked;
    const word = wordBefore(area),
      { line, character } = positionOf(area.value, area.selectionStart);
    const answer = /^\d/.test(word) ? null : await ask("completion", { line, character });
    if (number !== asked) return;
    items = (answer?.items ?? []).sort((left, right) => (left.sortText < right.sortText ? -1 : 1));
    if (items.length === 0 || (items.length === 1 && items[0].label === word)) return close();
    prefix = word;
    list.replaceChildren(
      ...items.map(({ label }, index) =>
        make(
          "li",
          {
            role: "option",
            id: `completion-${index}`,
            "aria-selected": "false",
            mousedown: (event) => {
              event.preventDefault(); // the focus stays
              accept(index);
            },
          },
          label,
        ),
      ),
    );
    active = 0;
    showBeside(element, rows.boxOf(line, character - word.length), true);
    activate(0);
    showBeside(element, rows.boxOf(line, character - word.length), true); // the help has made it larger
  }

  /** Whether the key was one of the list's. */
  function key(event) {
    if (element.hidden) return false;
    if (wordBefore(area) !== prefix) close(); // the caret or the text has gone elsewhere
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (element.hidden || event.shiftKey) return false;
    if (step) activate(active + step);
    else if (event.key === "Escape") close();
    else if ((event.key === "Enter" || event.key === "Tab") && items[active].label !== prefix) accept(active);
    else return false;
    return true;
  }

  return { element, close, open, key, isOpen: () => !element.hidden };
}

/** A pane with help on a name, or on the call around the caret, whose parameter at the caret is strong. */
function helpPane(area, rows, ask) {
  const element = make("div", { class: "popup", id: "help-on-name", role: "status", hidden: true });
  let asked = 0,
    isOnCall = false;

  function close() {
    asked++;
    isOnCall = false;
    element.hidden = true;
  }

  function describeCall({ signatures, activeParameter }) {
    const { label, documentation, parameters } = signatures[0];
    const parameter = parameters?.[activeParameter]?.label ?? "";
    const begin = parameter ? label.indexOf(parameter, label.indexOf("(")) : -1;
    const parts =
      begin < 0
        ? [label]
        : [label.slice(0, begin), make("strong", {}, parameter), label.slice(begin + parameter.length)];
    return [make("code", {}, parts), ...proseOf(documentation?.value ?? documentation ?? "")];
  }

  /** Asks by these methods until one has an answer. */
  async function open(methods, position) {
    const number = ++asked;
    for (const method of methods) {
      const answer = await ask(method, position);
      if (number !== asked) return;
      if (!answer || (answer.signatures && answer.signatures.length === 0)) continue;
      isOnCall = method === "signatureHelp";
      element.replaceChildren(...(isOnCall ? describeCall(answer) : proseOf(answer.contents.value)));
      return showBeside(element, rows.boxOf(position.line, position.character), false);
    }
    close();
  }
  const atCaret = () => positionOf(area.value, area.selectionStart);
  return {
    element,
    close,
    open,
    isOpen: () => !element.hidden,
    isOnCall: () => isOnCall && !element.hidden,
    openOnCall: () => open(["signatureHelp"], atCaret()),
    openAtCaret: () => open(["hover", "signatureHelp"], atCaret()),
  };
}

/** Opens and closes the pane as the pointer rests on words. It may go into the pane. */
function followRest(area, rows, help) {
  let timer = 0,
    word = "";
  const leave = ({ relatedTarget }) => {
    clearTimeout(timer);
    if (help.isOnCall() || help.element.contains(relatedTarget) || relatedTarget === area) return;
    word = "";
    help.close();
  };
  area.addEventListener("mousemove", ({ clientX, clientY, buttons }) => {
    clearTimeout(timer);
    if (buttons || help.isOnCall()) return;
    timer = setTimeout(() => {
      const place = rows.placeAt(clientX, clientY);
      const next = place ? `${place.line}:${place.begin}` : "";
      if (next === word && help.isOpen()) return;
      word = next;
      if (place) help.open(["hover"], { line: place.line, character: place.begin });
      else help.close();
    }, restTime);
  });
  area.addEventListener("mouseleave", leave);
  help.element.addEventListener("mouseleave", leave);
}

/** The elements for the editor's field, and a function that says whether it has used a key. `ask` takes a method of the language server and a position. */
export function assistant(area, rows, ask) {
  const names = completionList(area, rows, ask),
    help = helpPane(area, rows, ask);
  const close = () => [names, help].forEach((each) => each.close());
  for (const [name, value] of [
    ["autocomplete", "list"],
    ["haspopup", "listbox"],
    ["controls", "completions"],
  ])
    area.setAttribute(`aria-${name}`, value);
  area.addEventListener("input", ({ inputType, data }) => {
    const isTyped = inputType === "insertText" && data?.length === 1;
    if ((isTyped && /[\w.]/.test(data)) || (names.isOpen() && inputType?.startsWith("delete") && wordBefore(area)))
      names.open();
    else names.close();
    if (help.isOnCall() || (isTyped && "(,".includes(data))) help.openOnCall();
    else help.close();
  });
  area.addEventListener("blur", close);
  area.addEventListener("mousedown", close);
  followRest(area, rows, help);

  function useKey(event) {
    if (names.key(event)) return true;
    if (event.key === " " && event.ctrlKey) return (event.shiftKey ? help.openAtCaret() : names.open(), true);
    if (event.key !== "Escape" || !help.isOpen()) return false;
    help.close();
    return true;
  }
  const key = (event) => {
    const isUsed = useKey(event);
    if (isUsed) event.preventDefault();
    return isUsed;
  };
  return { elements: [names.element, help.element], close, key };
}
