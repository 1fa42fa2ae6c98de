// Tabs within a page, and choices that exclude each other. Arrow keys move in both.
import { html, useId } from "../vendor/preact.js";

function steer(event, ids, value, onChange) {
  const at = ids.indexOf(value);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: ids.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const next = (to + ids.length) % ids.length;
  onChange(ids[next]);
  event.currentTarget.children[next].focus();
}

// Tabs: <Tabs label="Evidence" tabs=${[{id: "source", title: "Source", count: 3}]} value=${tab} onChange=${setTab}>content<//>
export function Tabs({ label, tabs, value, onChange, children }) {
  const id = useId();
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${(event) => steer(event, tabs.map((tab) => tab.id), value, onChange)}>
      ${tabs.map((tab) => html`<button type="button" key=${tab.id} role="tab" id=${`${id}-${tab.id}`} aria-controls=${`${id}-panel`} aria-selected=${tab.id === value} tabindex=${tab.id === value ? 0 : -1} onClick=${() => onChange(tab.id)}>${tab.title}${tab.count !== undefined && html` <span class="bubble">${tab.count}</span>`}</button>`)}
    </div><div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${value}`}>${children}</div>`;
}

// Choice is one of a few: <Choice label="Axis" options=${[["step", "Step"], ["time", "Time"]]} value=${axis} onChange=${...} />
export function Choice({ label, options, value, onChange }) {
  return html`<span class="choice" role="radiogroup" aria-label=${label} onKeyDown=${(event) => steer(event, options.map(([id]) => id), value, onChange)}>
    ${options.map(([id, title]) => html`<button type="button" key=${id} role="radio" aria-checked=${id === value} tabindex=${id === value ? 0 : -1} onClick=${() => onChange(id)}>${title}</button>`)}</span>`;
}
