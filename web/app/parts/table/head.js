// The head of a table: click sorts (with Shift by several columns), the edge is dragged, or moved by arrow keys, to resize.
import { html } from "../../vendor/preact.js";
import { Icon } from "../icon.js";

const narrowest = 48;

// sortedBy is the sort after a click on the head of a column; more: next to the columns that it is sorted by already.
// A figure is sorted from the largest, one of which less is better from the smallest, a name from A; the third click takes the order back.
export function sortedBy(sort, column, more) {
  const old = sort.find(({ id }) => id === column.id);
  const first = Boolean(column.number) && !column.less;
  const next = !old ? { id: column.id, down: first } : old.down === first ? { id: column.id, down: !first } : null;
  return [...(more ? sort.filter(({ id }) => id !== column.id) : []), ...(next ? [next] : [])];
}

export function Head({ columns, sort, onSort, widths, onWidth, choosable, allChosen, onChooseAll }) {
  return html`<thead><tr aria-rowindex="1">
    ${choosable && html`<th class="choose" aria-colindex="1"><input type="checkbox" aria-label="Choose all rows" checked=${allChosen} onClick=${onChooseAll} /></th>`}
    ${columns.map((column, at) => {
      const place = sort.findIndex(({ id }) => id === column.id);
      const order = sort[place];
      return html`<th key=${column.id} scope="col" aria-colindex=${at + (choosable ? 2 : 1)} class=${`${column.number ? "n" : ""} ${column.pin ? "stays" : ""}`} aria-sort=${order ? (order.down ? "descending" : "ascending") : null}>
        ${column.sortable === false ? html`<span class="head cut" title=${column.hint ?? column.title}>${column.title}</span>` : html`<button type="button" class="head" title=${column.hint ?? column.title} onClick=${(event) => onSort(sortedBy(sort, column, event.shiftKey))}>
          <span class="cut">${column.title}</span>${order && html`<${Icon} name=${order.down ? "down" : "up"} size=${12} />`}${order && sort.length > 1 && html`<sub>${place + 1}</sub>`}</button>`}
        <span class="edge" role="separator" aria-orientation="vertical" aria-label=${`Width of ${column.title}`} aria-valuenow=${widths(column)} tabindex="0" onKeyDown=${(event) => steer(event, column, widths, onWidth)} onMouseDown=${(event) => drag(event, column, widths, onWidth)} onDblClick=${() => onWidth(column.id, null)}></span>
      </th>`;
    })}
  </tr></thead>`;
}

// steer moves an edge by keys: left and right, and Enter for the usual width.
function steer(event, column, widths, onWidth) {
  const by = { ArrowLeft: -16, ArrowRight: 16 }[event.key];
  if (by) onWidth(column.id, Math.max(narrowest, widths(column) + by));
  else if (event.key === "Enter") onWidth(column.id, null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function drag(event, column, widths, onWidth) {
  event.preventDefault();
  const start = event.clientX;
  const width = widths(column);
  const move = (event) => onWidth(column.id, Math.max(narrowest, Math.round(width + event.clientX - start)));
  const up = () => {
    removeEventListener("mousemove", move);
    removeEventListener("mouseup", up);
  };
  addEventListener("mousemove", move);
  addEventListener("mouseup", up);
}
