// The ranks next to each other: the time of one step of each, part by part.
import { html, useMemo } from "../../vendor/preact.js";
import { number } from "../../core/api.js";
import * as format from "../../core/format.js";
import { useGet } from "../../core/use.js";
import { Answer } from "../../parts/empty.js";
import { paint } from "./words.js";

export function Ranks({ run, route, data, every }) {
  const modes = data.modes.map((one) => one.mode);
  const mode = modes.includes(route.get("mode")) ? route.get("mode") : modes.includes("TRAIN") ? "TRAIN" : modes[0] ?? "TRAIN";
  const answer = useGet(run.path("time", "ranks"), { mode }, { every });
  return html`<section class="card" aria-labelledby="ranks-title">
    <header><h2 id="ranks-title">Ranks beside each other</h2><span class="faint small">mean of a ${mode} step</span></header>
    <div class="body stack tight"><${Answer} of=${answer} compact what="The ranks could not be read.">${(ranks) => html`<${Bars} ranks=${ranks} />`}<//></div>
  </section>`;
}

function Bars({ ranks }) {
  const longest = useMemo(() => Math.max(...ranks.workers.map((one) => number(one.seconds) / one.steps)), [ranks]);
  if (!ranks.workers.length) return html`<p class="quiet">No worker has steps of mode ${ranks.mode}.</p>`;
  return html`
    ${ranks.text && html`<p>${ranks.text}</p>`}
    <div class="scroll"><table class="plain ranks">
      <thead><tr><th scope="col">Worker</th><th scope="col" class="ranks-wide">A step</th><th scope="col" class="n">Steps</th><th scope="col" class="n">Each</th><th scope="col" class="n">Own work</th></tr></thead>
      <tbody>${ranks.workers.map((one) => {
        const each = number(one.seconds) / one.steps;
        const words = ranks.parts.map(({ name, word }) => `${word} ${format.duration((number(one.parts[name] ?? 0) || 0) / one.steps)}`).join(", ");
        return html`<tr key=${one.name}><th scope="row"><span class="said">${one.name}</span>${one.host && html`<span class="faint small said"> ${one.host}</span>`}</th>
          <td class="ranks-wide"><div class="rank-bar" role="img" aria-label=${words} ref=${(node) => node?.style.setProperty("width", `${(100 * each) / longest}%`)}>
            ${ranks.parts.filter(({ name }) => number(one.parts[name]) > 0).map(({ name, word }) => html`<span key=${name} title=${`${word}: ${format.duration(number(one.parts[name]) / one.steps)}, ${format.percent(number(one.parts[name]) / number(one.seconds))}`} ref=${(node) => {
              node?.style.setProperty("flex-grow", number(one.parts[name]));
              paint(name)(node);
            }}></span>`)}</div></td>
          <td class="n">${format.count(one.steps)}</td><td class="n">${format.duration(each)}</td><td class="n">${format.duration(number(one.own_seconds) / one.steps)}</td></tr>`;
      })}</tbody></table></div>
    <ul class="spent-list">${ranks.parts.map(({ name, word }) => html`<li key=${name}><span class="spent-swatch" ref=${paint(name)}></span><span>${word}</span></li>`)}</ul>`;
}
