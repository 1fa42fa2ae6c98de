// What is in the cells of the table.
import { computed, html, signal } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { route } from "../../core/router.js";
import { Icon } from "../../parts/icon.js";
import { Menu } from "../../parts/menu.js";
import { Counts, Status } from "../../parts/severity.js";
import { looks } from "./looks.js";
import { atStep, want } from "./atstep.js";

const dashes = { dashed: "5 3", dotted: "1.5 3" };

// Swatch is the run's line as it is in charts; nothing where nothing was set for it.
export function Swatch({ colour, line }) {
  if (!colour && !line) return null;
  return html`<svg class="run-swatch" width="18" height="10" aria-hidden="true" ref=${(node) => node?.style.setProperty("color", `var(--series-${colour || "none"})`)}>
    <line x1="1" y1="5" x2="17" y2="5" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-dasharray=${dashes[line] ?? null} /></svg>`;
}

export function Name({ row }) {
  const style = looks.value(row);
  return html`<span class="runs-name"><${Swatch} ...${style} /><a class="cut said" tabindex="-1" href=${route.to(row.name)} title=${row.title ? `${row.name} (${row.title})` : row.name}>${row.name}</a>
    ${row.damaged && html`<span class="severity plain warning" title=${row.damaged}><${Icon} name="warning" size=${14} label=${`Damaged: ${row.damaged}`} /></span>`}
    ${row.archived && html`<span class="tag">archived</span>`}</span>`;
}

// now ticks while the page is seen, for what depends on the time.
const now = signal(Date.now());
setInterval(() => { if (!document.hidden) now.value = Date.now(); }, 1000);
const minute = computed(() => Math.floor(now.value / 30000));

// Ago is a time as a distance.
export function Ago({ at }) {
  minute.value;
  return at ? html`<time datetime=${at} title=${format.time(at)}>${format.ago(at)}</time>` : "";
}

// Duration of a run that goes on grows; the server's clock counts, not this one's.
export function Duration({ row }) {
  if (row.status !== "running" || typeof row.duration !== "number") return format.duration(row.duration);
  return format.duration(Math.round(row.duration + Math.max(0, now.value - row.came) / 1000));
}

export function StatusOf({ row }) {
  const fraction = row.status === "running" ? row.progress?.fraction : null;
  return html`<span class="runs-status"><${Status} of=${row.status} />${typeof fraction === "number" && html`<progress class="progress" max="1" value=${fraction} aria-label=${`${format.percent(fraction)} done`} title=${`${format.percent(fraction)} done`}></progress>`}</span>`;
}

export function Steps({ row }) {
  if (!row.progress) return html`<span class="faint">–</span>`;
  const { step, of } = row.progress;
  return of ? html`<span title=${`${format.count(step)} of ${format.several(of, "step")}`}>${format.count(step)}<span class="faint"> / ${format.compact(of)}</span></span>` : format.count(step);
}

// Findings are the root causes, as the page of the run counts them; what follows from them is in the menu.
export function Findings({ row }) {
  const { found = [] } = row;
  const roots = row.roots && Object.values(row.roots).some((n) => n > 0) ? row.roots : row.findings;
  if (!found.length) return html`<${Counts} findings=${row.findings} verdict=${row.verdict?.class} />`;
  const items = found.slice(0, 30).map((one, i) => ({ key: null, icon: one.severity, label: `${one.rule}/${one.check}${one.count > 1 ? ` ×${format.count(one.count)}` : ""}${one.root || !found.some((other) => other.root) ? "" : " (follows)"}`, href: route.to(row.name, "findings", {}, one.rule, one.check), id: i }));
  return html`<${Menu} label=${`Findings of ${row.name}`} button="plain small runs-findings" items=${items}><${Counts} findings=${roots} />${row.symptoms > 0 && html`<span class="faint" title=${format.several(row.symptoms, "symptom")}> +${format.count(row.symptoms)}</span>`}<//>`;
}

export function Lost({ row }) {
  if (row.lost_share === null || row.lost_share === undefined) return html`<span class="faint">–</span>`;
  return html`<span class="runs-lost" ref=${(node) => node?.style.setProperty("--share", row.lost_share)}>${format.percent(row.lost_share)}</span>`;
}

export function MachineOf({ row }) {
  const { cpus, memory_bytes: memory, gpus = [] } = row.machine ?? {};
  const parts = [cpus ? format.several(cpus, "CPU") : "", gpus.length ? format.several(gpus.length, "GPU") : ""].filter(Boolean);
  const title = [row.host, cpus && format.several(cpus, "CPU"), memory && format.bytes(memory), ...gpus].filter(Boolean).join(", ");
  return html`<span title=${title}><span class="said">${row.host}</span>${parts.length > 0 && html`<span class="faint"> · ${parts.join(" · ")}</span>`}</span>`;
}

export const NoteOf = ({ row }) => (row.note ? html`<span class="said" title=${row.note}>${row.note.split("\n")[0]}</span>` : "");

// AtStep asks for its value when it is first seen.
export function AtStep({ row, name, step }) {
  want(row, name, step);
  const value = atStep(row, name, step);
  if (value === undefined) return html`<span class="faint" aria-label="Loading">…</span>`;
  return value === null ? "" : format.number(value);
}
