// Grouping: by which column, and what a group says of its runs.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Counts } from "../../parts/severity.js";

export function GroupBy({ columns, value, onChange }) {
  const list = columns.filter((column) => column.id !== "name" && column.id !== "losses");
  const groups = Map.groupBy(list, (column) => column.group ?? "");
  return html`<label class="field">Group <select value=${value} onChange=${(event) => onChange(event.target.value)} aria-label="Group by">
    <option value="">none</option>
    ${[...groups].map(([group, columns]) => html`<optgroup key=${group} label=${group}>${columns.slice(0, 100).map((column) => html`<option key=${column.id} value=${column.id}>${column.title}</option>`)}</optgroup>`)}
  </select></label>`;
}

// summaryNeeds are the columns that it needs.
export const summaryNeeds = ["loss"];

// summary is what is next to the name of a group: findings, and the range of the last losses.
export function summary(rows) {
  const findings = { error: 0, warning: 0, info: 0 };
  for (const row of rows) for (const severity in findings) findings[severity] += row.findings?.[severity] ?? 0;
  const losses = rows.map((row) => row.loss).filter(Number.isFinite);
  const running = rows.filter((row) => row.status === "running").length;
  return html`<span class="runs-group">${running > 0 && html`<span class="faint">${running} running</span>`}
    <${Counts} findings=${findings} verdict=${rows.every((row) => row.verdict?.class === "ok") ? "ok" : "idle"} />
    ${losses.length > 0 && html`<span class="faint n">loss ${format.number(Math.min(...losses), 3)}${losses.length > 1 ? ` to ${format.number(Math.max(...losses), 3)}` : ""}</span>`}</span>`;
}
