// A field to search in what the page shows. Its key (/ by default) puts the cursor into it, Escape empties it.
import { html, useRef } from "../vendor/preact.js";
import { useKeys } from "../core/keys.js";
import { Icon } from "./icon.js";

// <Search label="Search series" value=${q} onChange=${(q) => route.set({ q })} count="12 of 340" where="Curves" />
export function Search({ label, value, onChange, placeholder = label, count, where = "This page", shortcut = "/", wide = false, error }) {
  const field = useRef(null);
  useKeys(where, [[shortcut, label.toLowerCase(), () => { field.current.focus(); field.current.select(); }]]);
  const keys = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (value) onChange("");
    else field.current.blur();
  };
  return html`<span class=${`search ${wide ? "wide" : ""} ${error ? "wrong" : ""}`} role="search">
    <${Icon} name="search" size=${14} />
    <input ref=${field} type="text" aria-label=${label} aria-invalid=${error ? "true" : null} placeholder=${placeholder} value=${value} autocomplete="off" spellcheck=${false} onInput=${(event) => onChange(event.target.value)} onKeyDown=${keys} />
    ${count && html`<span class="search-count faint n" role="status">${count}</span>`}
    ${value ? html`<button type="button" class="button plain small icon" aria-label="Empty the search" onClick=${() => { onChange(""); field.current.focus(); }}><${Icon} name="close" size=${12} /></button>` : html`<kbd aria-hidden="true">${shortcut}</kbd>`}
    ${error && html`<span class="search-wrong" role="alert">${error}</span>`}</span>`;
}
