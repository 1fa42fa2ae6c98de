// One row of a table. It is drawn again only when something of it changed.
import { Component, html } from "../../vendor/preact.js";
import { Icon } from "../icon.js";

// told are the props of a row. What it does is none of them: acts is a ref to what the table does now, {activate(index), choose(row, event), open(row)}.
// A function as a prop would stay the one of the last drawing, and know the table as it was then.
const told = ["row", "parts", "id", "index", "active", "chosen", "choosable", "className"];

export class Row extends Component {
  shouldComponentUpdate(next) {
    return told.some((key) => next[key] !== this.props[key]);
  }

  render({ row, parts, id, index, active, chosen, choosable, className, acts }) {
    return html`<tr id=${id} aria-rowindex=${index + 2} aria-selected=${choosable ? chosen : active} class=${`${active ? "active" : ""} ${chosen ? "chosen" : ""} ${className ?? ""}`}
        onClick=${() => acts.current.activate(index)} onDblClick=${() => acts.current.open(row)}>
      ${choosable && html`<td class="choose" aria-colindex="1"><input type="checkbox" tabindex="-1" aria-label="Choose the row" checked=${chosen} onClick=${(event) => { event.stopPropagation(); acts.current.choose(row, event); }} /></td>`}
      ${parts.map(({ column, index: at, gap }) => gap ? html`<td key=${`gap ${at}`} class="gap" aria-hidden="true" colspan=${gap}></td>` : html`<td key=${column.id} aria-colindex=${at + (choosable ? 2 : 1)} class=${`${column.number ? "n" : ""} ${column.pin ? "stays" : ""} ${column.class ?? ""}`}>${column.cell ? column.cell(row) : show(column.value(row))}</td>`)}
    </tr>`;
  }
}

const show = (value) => (value === null || value === undefined ? "" : String(value));

// Group is the heading of a group of rows.
export function Group({ id, index, group, columns, active, onToggle, summary }) {
  return html`<tr id=${id} aria-rowindex=${index + 2} class=${`group ${active ? "active" : ""}`} onClick=${onToggle}><th scope="rowgroup" colspan=${columns}>
    <button type="button" tabindex="-1" class="button plain small" aria-expanded=${!group.closed}><${Icon} name=${group.closed ? "right" : "down"} size=${12} /><span class="said">${group.group}</span></button>
    <span class="faint n">${group.rows.length}</span> ${summary?.(group.rows)}</th></tr>`;
}
