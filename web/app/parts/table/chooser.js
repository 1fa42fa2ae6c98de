// Which columns a table shows, with a search among them.
import { html, useId, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { matcher } from "../../core/match.js";
import { Icon } from "../icon.js";
import { place } from "../menu.js";

// columns: [{id, title, group, fixed}]; shown: ids in their order; onShown(ids).
export function ColumnChooser({ columns, shown, onShown, label = "Columns" }) {
  const id = useId();
  const anchor = useRef(null);
  const panel = useRef(null);
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!open) return;
    place(panel.current, anchor.current, "end");
    panel.current.querySelector("input").focus();
  }, [open]);
  const found = columns.filter((column) => !column.fixed).filter((column) => matcher(text)(`${column.title} ${column.group ?? ""}`));
  const groups = Map.groupBy(found, (column) => column.group ?? "");
  // A column that is added comes first, behind those that are always there: at the end of the table it would be out of sight.
  const fixed = new Set(columns.filter((column) => column.fixed).map((column) => column.id));
  const set = (ids, yes) => onShown(yes ? [...shown.filter((one) => fixed.has(one)), ...ids.filter((one) => !shown.includes(one)), ...shown.filter((one) => !fixed.has(one))] : shown.filter((one) => !ids.includes(one)));
  return html`<span class="menu-anchor"><button type="button" ref=${anchor} class="button" popovertarget=${id} aria-haspopup="dialog" aria-expanded=${open}><${Icon} name="columns" />${label}</button>
    <div id=${id} ref=${panel} popover="auto" role="dialog" aria-label=${label} class="menu chooser" onToggle=${(event) => setOpen(event.newState === "open")}>
      ${open && html`<input type="search" placeholder="Search columns" aria-label="Search columns" value=${text} onInput=${(event) => setText(event.target.value)} />
        ${[...groups].map(([group, list]) => html`<fieldset key=${group}>
          ${group && html`<legend>${group} <button type="button" class="button plain small" onClick=${() => set(list.map((one) => one.id), !list.every((one) => shown.includes(one.id)))}>${list.every((one) => shown.includes(one.id)) ? "none" : "all"}</button></legend>`}
          ${list.slice(0, 200).map((column) => html`<label class="check" key=${column.id}><input type="checkbox" checked=${shown.includes(column.id)} onChange=${(event) => set([column.id], event.target.checked)} /><span class="cut said">${column.title}</span></label>`)}
          ${list.length > 200 && html`<p class="faint small">${list.length - 200} more: search for them.</p>`}
        </fieldset>`)}
        ${!found.length && html`<p class="faint">No column is called that.</p>`}`}
    </div></span>`;
}
