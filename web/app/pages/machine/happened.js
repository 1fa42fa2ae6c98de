// What happened in the time frame, as a list: phases, findings, checkpoints, changes, pauses; and where the time of the steps in it went.
import { html, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { number } from "../../core/api.js";
import { Severity } from "../../parts/severity.js";
import { Icon } from "../../parts/icon.js";
import { at } from "./frame.js";

const words = { evaluation: "Evaluation", loader: "First batch of a pass", detail: "Window of detail", compiler: "Compiler", clock: "The clock jumped" };
const few = 40;

// entries is everything of a timeline by time: {x, to, kind, what, where, href, severity}.
export function entries(timeline, run, route) {
  if (!timeline) return [];
  const finding = (one) => ({ x: at(one.time), kind: "finding", severity: one.severity, what: one.message, where: one.clock, href: route.to(run.name, "findings", { id: one.id }) });
  const event = (name) => (one) => ({ x: at(one.from), to: at(one.to), kind: one.kind, what: name(one), where: [one.worker || one.host, one.step && one.kind !== "phase" ? `step ${format.count(one.step)}` : ""].filter(Boolean).join(", ") });
  return [
    ...timeline.phases.map(event((one) => `Phase: ${one.name}`)),
    ...timeline.findings.map(finding),
    ...timeline.checkpoints.map(event(() => "Checkpoint")),
    ...timeline.plan_changes.map((one) => ({ x: at(one.time), kind: "plan", what: `Plan changed: ${one.why}`, where: `step ${format.count(one.step)}` })),
    ...timeline.pauses.map((one) => ({ x: at(one.from), to: at(one.to), kind: "pause", what: "Nothing was sampled", where: one.host })),
    ...timeline.events.map(event((one) => words[one.kind] ?? one.kind)),
  ].sort((a, b) => a.x - b.x);
}

const icons = { checkpoint: "checkpoint", plan: "gear", phase: "right", pause: "idle", evaluation: "check" };

export function Happened({ timeline, list, frame, began }) {
  const [kind, setKind] = useState("");
  const [all, setAll] = useState(false);
  const kinds = [...new Set(list.map((one) => one.kind))];
  const found = kind && kinds.includes(kind) ? list.filter((one) => one.kind === kind) : list;
  const shown = all ? found : found.slice(0, few);
  return html`<section class="card" aria-labelledby="happened-title">
    <header><h2 id="happened-title">In this time frame</h2>
      ${kinds.length > 1 && html`<label class="field"><span class="sr">Kind</span><select value=${kind} onChange=${(event) => setKind(event.target.value)}><option value="">everything (${list.length})</option>${kinds.map((one) => html`<option key=${one} value=${one}>${one} (${list.filter((entry) => entry.kind === one).length})</option>`)}</select></label>`}</header>
    <div class="body stack tight">
      ${timeline?.times.map((one) => html`<p key=${one.mode}><strong>${one.mode}</strong>: ${format.several(one.steps, "step")} of ${one.worker} in ${format.duration(number(one.seconds))}, ${one.text}.</p>`)}
      ${!list.length && html`<p class="quiet">No phase, finding, checkpoint or event lies in it.</p>`}
      <ol class="happened">${shown.map((one, i) => html`<li key=${i}>
        <button type="button" class="happened-at button plain small" title="Zoom in on it" onClick=${() => frame.show(around(one, frame))}><time>${format.clock(one.x)}</time></button>
        <span class="faint small n nowrap" title="Since the run began">${began ? `+${format.duration(Math.max(0, one.x - began))}` : ""}</span>
        <span class="happened-what">${one.severity ? html`<${Severity} of=${one.severity} plain text="" />` : html`<${Icon} name=${icons[one.kind] ?? "info"} size=${14} />`}
          <span>${one.href ? html`<a href=${one.href} class="said">${one.what}</a>` : html`<span class="said">${one.what}</span>`} <span class="faint small said">${[one.to > one.x ? format.duration(one.to - one.x) : "", one.where].filter(Boolean).join(" · ")}</span></span></span></li>`)}</ol>
      ${found.length > few && html`<button type="button" class="button small" onClick=${() => setAll(!all)}>${all ? "Fewer" : `All ${format.count(found.length)}`}</button>`}
      ${timeline?.more > 0 && html`<p class="faint small">${format.count(timeline.more)} more are not listed; zoom in to see them.</p>`}
    </div>
  </section>`;
}

// around is a frame in which something is seen with what lies next to it.
function around({ x, to = x }, { whole }) {
  const room = Math.max(2, (to - x) * 0.2, (whole[1] - whole[0]) / 500);
  return [x - room, to + room];
}
