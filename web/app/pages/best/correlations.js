// Rank correlations of the parameters with the metric, each with its 95 % interval.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";

const share = (rho) => `${((rho + 1) / 2) * 100}%`;
const reaches = (c) => (node) => {
  node?.style.setProperty("--low", share(c.low));
  node?.style.setProperty("--high", share(c.high));
};
const stands = (c) => (node) => node?.style.setProperty("--at", share(c.rho));

export function Correlations({ parameters, metric, chosen, onChoose }) {
  const list = parameters.filter((one) => one.correlation);
  const others = parameters.length - list.length;
  if (!list.length) return html`<p class="quiet">A rank correlation takes five runs that can be trusted and a parameter that is a number. Here no parameter has them.</p>`;
  return html`<table class="plain best-correlations"><thead><tr><th scope="col">Parameter</th><th scope="col" class="n" title="Spearman's rank correlation">Correlation</th><th scope="col" class="n">95 % interval</th><th scope="col" class="n" title="Without an error finding, and with this parameter">Runs</th><th scope="col" class="best-bar-head" aria-hidden="true"><span>−1</span><span>0</span><span>1</span></th></tr></thead>
    <tbody>${list.map(({ name, also, correlation: c }) => html`<tr key=${name}>
      <th scope="row"><button type="button" class="button plain small said" aria-pressed=${name === chosen} title=${also.length ? `The same values: ${also.join(", ")}` : `Show ${metric} by ${name}`} onClick=${() => onChoose(name)}>${name}</button></th>
      <td class="n">${format.number(c.rho, 2)}</td><td class="n">${format.number(c.low, 2)} to ${format.number(c.high, 2)}</td><td class="n">${format.count(c.runs)}</td>
      <td><span class=${`best-bar ${c.clear ? "clear" : ""}`} title=${c.clear ? "The interval does not contain 0" : "The interval contains 0: this may be chance"} aria-hidden="true"><i ref=${reaches(c)}></i><b ref=${stands(c)}></b></span></td></tr>`)}</tbody></table>
    <p class="quiet small">Of the runs without an error finding that have the parameter. Above 0, ${metric} is greater where the parameter is. An interval that contains 0 may be chance; and what goes together is not always cause and effect.${others > 0 ? ` ${format.several(others, "parameter")} with words, or the same value in these runs, ${others === 1 ? "has" : "have"} none.` : ""}</p>`;
}
