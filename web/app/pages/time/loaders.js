// The loaders of data, and single operators: what is known of them, or what brings it.
import { html } from "../../vendor/preact.js";
import { number } from "../../core/api.js";
import * as format from "../../core/format.js";
import { Empty } from "../../parts/empty.js";
import { command } from "./words.js";

const words = { batch_size: "batch", workers: "workers", prefetch: "prefetched", persistent_workers: "workers stay", pin_memory: "pinned memory", shuffle: "shuffled", drop_last: "drops the last", batches: "batches", batch_bytes: "a batch has" };

export function Loaders({ run, data }) {
  const waits = data.shares.find((one) => one.part === "data");
  return html`<div class="time-pair">
    <section class="card" aria-labelledby="loaders-title">
      <header><h2 id="loaders-title">Loading of data</h2></header>
      ${data.loaders.length
        ? html`<div class="body stack tight">
          <p>${waits ? html`<strong>${waits.percent} %</strong> of the time the training waited for data (${waits.took}).` : "Data loading is not a bottleneck."}</p>
          <div class="scroll"><table class="plain"><thead><tr><th scope="col">Worker</th><th scope="col">Settings</th><th scope="col" class="n">Passes</th><th scope="col" class="n">First batch</th><th scope="col" class="n">Longest first batch</th></tr></thead>
          <tbody>${data.loaders.map((one, i) => html`<tr key=${i}><th scope="row" class="said">${one.worker}</th><td class="said">${settings(one.settings)}</td><td class="n">${one.settings?.workers ? format.count(one.passes) : "–"}</td><td class="n">${format.duration(number(one.first_batch_seconds))}</td><td class="n">${format.duration(number(one.longest_first_batch_seconds))}</td></tr>`)}</tbody></table></div>
          <p class="faint small">The first batch of a pass takes as long as its workers need to start. Passes of a loader without workers are not counted.</p></div>`
        : html`<${Empty} compact command=${`vigil run -- ${command(run)}`}>No loader was seen. The passes of a PyTorch DataLoader are recorded by default when a training runs under Vigil.<//>`}
    </section>
    <section class="card" aria-labelledby="operators-title">
      <header><h2 id="operators-title">Operators</h2></header>
      <${Empty} compact command=${`vigil profile ${run.name} --seconds 5`}>Single operators are not timed. A window of detail shows in which lines of code, and below them in which calls of the framework, the time goes; it is recorded while the run goes on.<//>
    </section></div>`;
}

function settings(all) {
  if (!all || typeof all !== "object") return "";
  return Object.entries(all).filter(([, value]) => value !== null && value !== false).map(([key, value]) => (value === true ? words[key] ?? key : `${words[key] ?? key} ${key.endsWith("_bytes") ? format.bytes(value) : value}`)).join(", ");
}
