// Where the time of all steps went: one bar with its shares, the phases of the job, and a table by worker and mode.
import { html } from "../../vendor/preact.js";
import { number } from "../../core/api.js";
import * as format from "../../core/format.js";
import { paint } from "./words.js";

export function Spent({ run, data }) {
  const top = [...data.shares].sort((a, b) => b.percent - a.percent)[0];
  return html`<section class="card" aria-labelledby="spent-title">
    <header><h2 id="spent-title">Where the time goes</h2><span class="faint small">${data.total} in the steps of ${data.worker}${data.samples_per_second ? html` · ${data.samples_per_second} samples/s` : ""}</span></header>
    <div class="body stack">
      <div class="spent-bar" role="img" aria-label=${`Shares of the time: ${data.shares.map((one) => `${one.name} ${one.percent} %`).join(", ")}`}>
        ${data.shares.map((one) => html`<span key=${one.name} class="spent-share" title=${`${one.name}: ${one.percent} %, ${one.took}`} ref=${share(one)}><span class="cut">${one.percent >= 7 ? `${one.name} ${one.percent} %` : ""}</span></span>`)}
      </div>
      <ul class="spent-list">${data.shares.map((one) => html`<li key=${one.name} class=${one === top ? "top" : ""}><span class="spent-swatch" ref=${paint(one.part)}></span><span>${one.name}</span><strong class="n">${one.percent} %</strong><span class="n quiet">${one.took}</span></li>`)}</ul>
      <${Phases} phases=${data.phases} />
      <${Rows} data=${data} />
    </div>
  </section>`;
}

const share = (one) => (node) => {
  node?.style.setProperty("flex-grow", number(one.seconds) || one.percent);
  paint(one.part)(node);
};

// Phases are those of the job on one line; evaluations within the training lie below it.
function Phases({ phases }) {
  if (!phases.length) return null;
  const bars = phases.filter((one) => number(one.width) > 0 || number(one.left) > 0 || one.took);
  const place = (one) => (node) => {
    node?.style.setProperty("left", `${number(one.left)}%`);
    node?.style.setProperty("width", `max(2px, ${number(one.width)}%)`);
    paint(one.name)(node);
  };
  return html`<div class="phases"><h3>Phases of the job</h3>
    <div class="phase-line" aria-hidden="true">${bars.filter((one) => number(one.width) > 0).map((one, i) => html`<span key=${i} class=${`phase ${one.name === "evaluation" ? "within" : ""}`} title=${`${one.name}${one.took ? `: ${one.took}` : ""}, from ${one.from}`} ref=${place(one)}></span>`)}</div>
    <ul class="spent-list">${phases.filter((one) => one.took).map((one, i) => html`<li key=${i}><span class="spent-swatch" ref=${paint(one.name)}></span><span>${one.name}</span><strong class="n">${one.took}</strong><span class="quiet">${one.from === "0" ? "from the start" : /^\d/.test(one.from) && !one.from.includes("training") ? `from ${one.from} on` : one.from}</span></li>`)}</ul>
  </div>`;
}

function Rows({ data }) {
  if (!data.rows.length) return null;
  return html`<div class="scroll"><table class="plain spent-table">
    <thead><tr><th scope="col">Worker</th><th scope="col">Mode</th><th scope="col" class="n">Steps</th><th scope="col" class="n">Time</th><th scope="col" class="n">Each</th>${data.heads.map((one) => html`<th key=${one} scope="col" class="n">${one}</th>`)}</tr></thead>
    <tbody>${data.rows.map((row) => html`<tr key=${row.worker + row.mode}><th scope="row" class="said">${row.worker}</th><td>${row.mode}</td><td class="n">${row.steps}</td><td class="n">${row.took}</td><td class="n">${row.each}</td>${row.parts.map((one, i) => html`<td key=${i} class="n">${one}</td>`)}</tr>`)}</tbody>
  </table></div>
  ${data.more_workers > 0 && html`<p class="faint small">${format.several(data.more_workers, "further worker has", "further workers have")} no rows here.</p>`}`;
}
