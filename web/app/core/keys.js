// The keys of the page. Whoever offers keys registers them here, so that ? can list them.
import { signal, useEffect, useRef } from "../vendor/preact.js";

// groups holds what is offered now: {where, keys: [[key, what]]}.
export const groups = signal([]);
export const overlay = signal(false);

const bindings = new Set();
let taken = ""; // the key that is down and was acted on
let prefix = "";
let prefixTimer = 0;

// offer registers keys: offer("Runs", [["n", "write a note", fn], ["g r", "go to the runs", fn]]). A binding without a function is only listed.
// Keys are those of KeyboardEvent.key, with "Ctrl-" (Cmd on a Mac) and "Shift-" before, two of them with a space are a sequence. The answer takes them back.
export function offer(where, list) {
  const entry = { where, list };
  bindings.add(entry);
  publish();
  return () => {
    bindings.delete(entry);
    publish();
  };
}

// useKeys offers keys as long as a component is shown. The functions may change from one rendering to the next.
export function useKeys(where, list) {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => offer(where, list.map(([key, what, act], i) => [key, what, act && ((event) => latest.current[i]?.[2]?.(event))])), [where, list.map(([key, what]) => key + what).join("|")]);
}

function publish() {
  const byWhere = new Map();
  for (const { where, list } of bindings) {
    const known = byWhere.get(where) ?? byWhere.set(where, new Map()).get(where);
    for (const [key, what] of list) if (what) known.set(key, what);
  }
  groups.value = [...byWhere].map(([where, keys]) => ({ where, keys: [...keys] }));
}

// typing says whether a key belongs to a field that text is written in.
export const typing = (target) => target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=button])"));

// spelled is the name of the pressed key, as offer takes it.
export function spelled(event) {
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl-" : "";
  const shift = event.shiftKey && event.key.length > 1 ? "Shift-" : "";
  return (event.altKey ? "Alt-" : "") + ctrl + shift + (ctrl ? event.key.toLowerCase() : event.key);
}

addEventListener("keydown", (event) => {
  taken = "";
  if (event.defaultPrevented || event.isComposing) return;
  const key = spelled(event);
  if (typing(event.target) && !key.startsWith("Ctrl-")) return;
  if (document.querySelector("dialog[open]") && !event.target.closest?.("dialog[open]")) return;
  const sequence = prefix ? `${prefix} ${key}` : key;
  clearTimeout(prefixTimer);
  prefix = "";
  // What was offered last is nearest to the reader.
  for (const { list } of [...bindings].reverse()) {
    for (const [wanted, , act] of list) {
      if (!act) continue;
      if (wanted === sequence) {
        event.preventDefault();
        taken = event.key;
        act(event);
        return;
      }
      if (!key.startsWith("Ctrl-") && wanted.startsWith(`${sequence} `)) prefix = sequence;
    }
  }
  if (prefix) prefixTimer = setTimeout(() => (prefix = ""), 1200);
});

// A key that opened a dialog is not written into its field.
addEventListener("keypress", (event) => event.key === taken && event.preventDefault(), true);
