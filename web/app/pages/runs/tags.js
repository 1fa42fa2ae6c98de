// The tags of a run, changed where they stand: double-click, or e on the active row.
import { html, signal, useEffect, useRef, useState } from "../../vendor/preact.js";
import { path, put } from "../../core/api.js";
import { toast } from "../../core/toast.js";
import { change } from "./rows.js";

// editing is the name of the run whose tags are being changed.
export const editing = signal("");

const spelled = (tags) => Object.entries(tags ?? {}).map(([key, value]) => word(value ? `${key}=${value}` : key)).join(" ");
const word = (text) => (/[\s"]/.test(text) ? `"${text.replace(/"/g, "\\\"")}"` : text);

// read takes "k=v flag \"k=two words\"" apart.
export function read(text) {
  const tags = {};
  for (const found of text.matchAll(/"((?:\\.|[^"\\])*)"|([^\s"]*"[^"]*"|\S+)/g)) {
    const one = (found[1] ?? found[2].replace(/"/g, "")).replace(/\\"/g, "\"");
    const at = one.indexOf("=");
    const key = (at < 0 ? one : one.slice(0, at)).trim();
    if (key) tags[key] = at < 0 ? "true" : one.slice(at + 1);
  }
  return tags;
}

// save sends what is different; the list shows it at once, and takes it back where the server refuses.
export async function save(row, tags) {
  const before = row.tags ?? {};
  const set = Object.fromEntries(Object.entries(tags).filter(([key, value]) => before[key] !== value));
  const gone = Object.keys(before).filter((key) => !(key in tags));
  if (!Object.keys(set).length && !gone.length) return true;
  change(row.name, { tags });
  try {
    const answer = await put(path("runs", row.name, "tags"), { set, remove: gone });
    change(row.name, { tags: answer.tags ?? tags });
    return true;
  } catch (error) {
    change(row.name, { tags: before });
    toast(`The tags of ${row.name} were not changed: ${error.message}`, { kind: "error" });
    return false;
  }
}

export function Tags({ row }) {
  if (editing.value === row.name) return html`<${Editor} row=${row} />`;
  const tags = Object.entries(row.tags ?? {});
  const start = (event) => {
    event.stopPropagation();
    editing.value = row.name;
  };
  return html`<span class="runs-tags" onDblClick=${start} title=${tags.length ? `${spelled(row.tags)}. Double-click to change` : "Double-click to add tags"}>
    ${tags.map(([key, value]) => html`<span class="tag" key=${key}><span class="cut said">${value && value !== "true" ? `${key}=${value}` : key}</span></span>`)}</span>`;
}

function Editor({ row }) {
  const [text, setText] = useState(spelled(row.tags));
  const field = useRef(null);
  const done = useRef(false);
  useEffect(() => {
    field.current.focus();
    field.current.setSelectionRange(text.length, text.length);
  }, []);
  const end = (keep) => {
    if (done.current) return;
    done.current = true;
    const table = field.current.closest(".table");
    editing.value = "";
    if (keep) save(row, read(text));
    if (document.activeElement === document.body || document.activeElement === field.current) table?.focus();
  };
  const keys = (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter");
  };
  return html`<input ref=${field} type="text" class="runs-tags-field" aria-label=${`Tags of ${row.name}: key=value, separated by spaces`} placeholder="key=value key=value" value=${text} spellcheck=${false} autocomplete="off"
    onInput=${(event) => setText(event.target.value)} onKeyDown=${keys} onBlur=${() => end(true)} onClick=${(event) => event.stopPropagation()} onDblClick=${(event) => event.stopPropagation()} />`;
}
