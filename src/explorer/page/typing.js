// Keys of the editor beside those that every field has.
const indentation = "    ";

/** Replaces what is selected, in a way that the browser can undo. */
export const insert = (text) => document.execCommand("insertText", false, text);

/** Escape leaves the editor, so that Tab can indent without being a trap for the keyboard. */
export function editKey(event, area) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") area.blur();
  else if (event.key === "Tab") indent(event, area);
  else if (event.key === "Enter" && !event.shiftKey) breakLine(event, area);
}

/** Tab inserts blanks, or moves all lines of a selection; with Shift, lines move back. */
function indent(event, area) {
  event.preventDefault();
  const { selectionStart: start, selectionEnd: end, value } = area;
  const isBlock = value.slice(start, end).includes("\n");
  if (!isBlock && !event.shiftKey) return insert(indentation);
  const first = value.lastIndexOf("\n", start - 1) + 1;
  const next = value.indexOf("\n", Math.max(end - isBlock, first));
  const last = next < 0 ? value.length : next;
  const moved = value
    .slice(first, last)
    .split("\n")
    .map((line) => (event.shiftKey ? line.replace(/^ {1,4}/, "") : line && indentation + line))
    .join("\n");
  if (moved === value.slice(first, last)) return;
  area.setSelectionRange(first, last);
  if (moved) insert(moved);
  else document.execCommand("delete");
  if (isBlock) area.setSelectionRange(first, first + moved.length);
  else
    area.setSelectionRange(
      Math.max(first, start + moved.length - (last - first)),
      Math.max(first, start + moved.length - (last - first)),
    );
}

/** The next line begins below this one, further to the right behind a colon or an open bracket, and to the left behind what ends a block. */
function breakLine(event, area) {
  event.preventDefault();
  const before = area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);
  const [blanks] = /^ */.exec(before);
  const code = before.replace(/#.*$/, "").trimEnd();
  const opens = /[:([{]$/.test(code),
    ends = /^ *(return|break|continue|pass)\b/.test(code);
  insert(`\n${opens ? blanks + indentation : ends ? blanks.slice(indentation.length) : blanks}`);
}
