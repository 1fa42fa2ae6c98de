// What the metric is in the runs with each value of one parameter: it shows an optimum in the middle, and goes for words.
import { html } from "../../vendor/preact.js";
import * as api from "../../core/api.js";
import * as format from "../../core/format.js";
import { notGiven } from "./scales.js";

export function ByValue({ parameter, metric, better }) {
  const groups = parameter?.groups ?? [];
  if (!groups.length) return null;
  const values = groups.map((one) => api.number(one.best));
  const best = better === "more" ? Math.max(...values) : Math.min(...values);
  return html`<table class="plain best-values"><caption>${metric} by value of <span class="said">${parameter.name}</span></caption><thead><tr><th scope="col">Value</th><th scope="col" class="n">Runs</th><th scope="col" class="n">Best</th><th scope="col" class="n">Median</th></tr></thead>
    <tbody>${groups.map((one, i) => html`<tr key=${one.value}><th scope="row" class="said">${one.value ?? notGiven}</th><td class="n">${format.count(one.runs)}</td><td class="n">${values[i] === best ? html`<strong class="best-mark">${format.number(values[i])}</strong>` : format.number(values[i])}</td><td class="n">${format.number(api.number(one.median))}</td></tr>`)}</tbody></table>`;
}
