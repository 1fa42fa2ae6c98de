// How each node was used over the whole job: one row per node and metric.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { number } from "../../core/api.js";
import { useGet } from "../../core/use.js";
import { Answer } from "../../parts/empty.js";

const columns = [["min", "Min"], ["p50", "p50"], ["p90", "p90"], ["p95", "p95"], ["p99", "p99"], ["max", "Max"]];

export function UseTable({ run, hosts, every }) {
  const answer = useGet(run.path("metrics", "table"), {}, { every });
  return html`<section class="card" aria-labelledby="use-title">
    <header><h2 id="use-title">Use over the whole job</h2><span class="faint small machine-note">per sample the mean over cores or GPUs; percentiles interpolated</span></header>
    <${Answer} of=${answer} compact what="The table could not be read.">${(data) => html`<div class="scroll"><table class="use-table">
      <thead><tr><th scope="col">Metric</th>${columns.map(([key, name]) => html`<th key=${key} scope="col" class="n">${name}</th>`)}<th scope="col" class="n">Samples</th></tr></thead>
      ${nodes(data.rows).map(([host, rows]) => html`<tbody key=${host}>
        ${hosts.length > 1 && html`<tr class="use-node"><th scope="rowgroup" colspan="8" class="said">${host}</th></tr>`}
        ${rows.map((row) => html`<tr key=${row.metric}><th scope="row">${row.metric}</th>${columns.map(([key]) => html`<td key=${key} class="n"><${Figure} value=${number(row[key])} unit=${row.unit} /></td>`)}<td class="n faint">${format.count(row.count)}</td></tr>`)}</tbody>`)}
    </table></div>`}<//>
  </section>`;
}

// nodes are the rows of each node, in their order.
function nodes(rows) {
  const of = new Map();
  for (const row of rows) of.set(row.host, [...(of.get(row.host) ?? []), row]);
  return [...of];
}

// Figure is a value; one in percent has a bar behind it.
function Figure({ value, unit }) {
  const text = format.withUnit(unit === "%" ? Math.round(value * 10) / 10 : value, unit, 3);
  if (unit !== "%") return text;
  return html`<span class="use-figure"><span class="use-bar" ref=${(node) => node?.style.setProperty("width", `${Math.max(0, Math.min(100, value))}%`)}></span><span class="use-text">${text}</span></span>`;
}
