// A finding: what is wrong, the likeliest cause, what to try first, the line of the script, the edit that fixes it, and the curve that shows it.
import { html, useMemo, useState } from "../vendor/preact.js";
import { number, numbers } from "../core/api.js";
import { several, time } from "../core/format.js";
import { route } from "../core/router.js";
import { called, calledTogether } from "../core/statistics.js";
import { useGet } from "../core/use.js";
import { Boundary } from "./boundary.js";
import { Chart, fromAnswer } from "./chart.js";
import { Copy, Diff, Source } from "./code.js";
import { Answer } from "./empty.js";
import { Icon } from "./icon.js";
import { Prose } from "./prose.js";
import { Severity } from "./severity.js";

const toRule = (run, finding) => (run ? route.to(run.name, "findings", {}, "rule", finding.configuration) : route.href(`/rules/${encodeURIComponent(finding.rule)}`));

// Place says where a finding is, and which rule found it. href: where the name leads, by default to the rule.
export function Place({ run, finding, href }) {
  return html`<span class="finding-place quiet small">
    <a class="said" href=${href ?? toRule(run, finding)}>${finding.configuration}</a> at ${finding.clock}${finding.worker ? html`, <span class="said">${finding.worker}</span>` : ""}, <time datetime=${finding.time}>${time(finding.time)}</time>${finding.experimental ? ", experimental check" : ""}</span>`;
}

// Finding is one in full. group adds how often it was found again and what follows from it; chart: its curve is shown at once.
export function Finding({ run, finding, group, heading = "h3", chart = false, children }) {
  const outweighed = Boolean(finding.outweighed_by);
  // An edit says itself which lines it is about: the call that the finding names may be another one.
  const edit = outweighed ? null : finding.suggestion;
  return html`<article class=${`finding card ${finding.muted ? "idle" : finding.severity}`} aria-label=${finding.message}>
    <div class="finding-head">
      <div class="line"><${Severity} of=${finding.severity} /><${Place} run=${run} finding=${finding} />
        ${finding.muted && html`<span class="tag"><${Icon} name="mute" size=${12} /> muted</span>`}<span class="grow"></span>${children}</div>
      <${heading} class="finding-title"><${Prose} text=${finding.message} /><//>
    </div>
    <div class="finding-body">
      <div class="finding-text stack">
        <dl class="finding-facts">
          ${finding.cause && html`<div><dt>Likely cause</dt><dd><${Prose} text=${finding.cause} /></dd></div>`}
          ${finding.advised && html`<div class="remedy"><dt>${outweighed ? "Remedy" : "Try first"}</dt><dd><${Prose} text=${finding.advised} /></dd></div>`}
          ${finding.where && !edit && html`<div><dt>In the script</dt><dd><${Where} where=${finding.where} /></dd></div>`}
          ${finding.evidence && html`<div><dt>Evidence</dt><dd class="quiet" title=${finding.subject || null}><${Sentences} text=${finding.evidence} /></dd></div>`}
          ${group?.repeated && html`<div><dt>Again</dt><dd class="quiet">${group.repeated}</dd></div>`}
        </dl>
        ${edit && html`<${Diff} file=${edit.place} diff=${body(edit.diff)} />`}
      </div>
      ${run && html`<${Seen} run=${run} finding=${finding} at=${chart} lines=${!edit} />`}
    </div>
    ${group && html`<${Symptoms} run=${run} group=${group} />`}
  </article>`;
}

// body is a diff without the lines that name its files.
const body = (diff) => diff.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line)).join("\n");

const Where = ({ where }) => {
  const at = where.cell ? `cell ${where.cell}, line ${where.line}` : "";
  return html`<span class="finding-where"><code class="said" title=${at || where.file}>${at || `${where.file.split("/").pop()}:${where.line}`}</code>${where.call && html` <code class="finding-call said">${where.call.trim()}</code>`}<${Copy} text=${at || `${where.file}:${where.line}`} what="the place" /></span>`;
};

// Sentences shows the numbers of a finding, the first ones at once.
function Sentences({ text }) {
  const [all, setAll] = useState(false);
  const parts = text.split(/(?<=\.) (?=[A-Z])/);
  if (all || parts.length <= 4) return html`<${Prose} text=${text} />`;
  return html`<${Prose} text=${parts.slice(0, 3).join(" ")} /> <button type="button" class="linked" aria-expanded="false" onClick=${() => setAll(true)}>${several(parts.length - 3, "more number")}</button>`;
}

// Symptoms are what follows from a root cause, folded.
function Symptoms({ run, group }) {
  const { follow, outweighed = [] } = group;
  if (!follow.length && !outweighed.length) return null;
  return html`<footer class="finding-more">
    ${follow.length > 0 && html`<details><summary>${several(follow.length, "symptom follows", "symptoms follow")} from this</summary>
      <ul class="symptoms">${follow.map((one) => html`<li key=${one.id || one.message}>
        <div class="line"><${Severity} of=${one.severity} plain /><${Place} run=${run} finding=${one} href=${one.id && route.to(run.name, "findings", { by: "each", id: one.id })} />${one.repeated && html`<span class="quiet small">${one.repeated}</span>`}</div>
        <p><${Prose} text=${one.message} /></p></li>`)}</ul></details>`}
    ${outweighed.map((one) => html`<p class="quiet small" key=${one.id}>This outweighs <a href=${toRule(run, one)}>${one.rule}/${one.check}</a> at ${one.clock}, which asks for the opposite.</p>`)}
  </footer>`;
}

// Seen is the curve on which a finding is seen, with the lines of the script; read when it is asked for.
function Seen({ run, finding, at, lines }) {
  const [open, setOpen] = useState(at);
  if (!finding.id) return null;
  if (!open) return html`<div class="finding-seen closed"><button type="button" class="button small" onClick=${() => setOpen(true)}><${Icon} name="eye" size=${14} /> Show it on its curve</button></div>`;
  return html`<div class="finding-seen stack"><${Boundary} what="The evidence"><${Evidence} run=${run} finding=${finding} lines=${lines} /><//></div>`;
}

// Evidence draws the series that show a finding, with the step and the threshold marked; lines: and the lines of the script.
export function Evidence({ run, finding, height = 180, lines = true }) {
  const of = useGet(run.path("evidence"), { id: finding.id });
  return html`<${Answer} of=${of} what="The evidence could not be read." compact>${(data) => html`
    ${data.series.length > 0 && html`<${EvidenceChart} run=${run} finding=${finding} shown=${data.series} update=${data.update} height=${height} />`}
    ${lines && data.source && data.source.lines.length > 0 && html`<${Lines} source=${data.source} />`}
    ${!data.series.length && !(lines && data.source) && html`<p class="quiet small">No curve shows this: it was read from the training itself.</p>`}`}<//>`;
}

function Lines({ source }) {
  return html`<div class="stack tight"><${Source} file=${source.file} text=${source.lines.join("\n")} first=${source.first_line} line=${source.line} />
    ${source.changed && html`<p class="faint small">The script has changed since, or is not on this machine: this is the line as it was.</p>`}</div>`;
}

function EvidenceChart({ run, finding, shown, update, height }) {
  // Along the updates, so that training and evaluation share an axis.
  const of = useGet(run.path("series"), { s: shown.map((one) => one.s), axis: "update", columns: 600 }, { columns: true });
  const { title, labels } = calledTogether(shown);
  const linked = shown.filter((one, i) => shown.findIndex(({ name, stat }) => name === one.name && stat === one.stat) === i);
  const labelOf = (one) => labels[shown.findIndex(({ name, stat, mode }) => name === one.name && stat === one.stat && mode === one.mode)] ?? called(one);
  const drawn = useMemo(() => {
    const list = (of.data?.series ?? []).filter((one) => !one.error && one.x.length);
    const series = list.map((one) => fromAnswer(one, { label: labelOf(one) }));
    const lines = shown.filter((one) => Number.isFinite(number(one.threshold))).map((one) => ({ y: number(one.threshold), label: `${one.comparator} ${one.threshold}`, severity: finding.severity }));
    const marks = update >= 0 ? [{ x: update, kind: "finding", severity: finding.severity, title: finding.message }] : [];
    return { series, lines, marks, y: { log: spread(series) } };
  }, [of.data, shown, update, finding]);
  return html`<${Chart} title=${title} series=${drawn.series} x=${steps} y=${drawn.y} marks=${drawn.marks} lines=${drawn.lines} height=${height} loading=${of.loading} error=${of.error} retry=${of.reload} caption=${false} />
    <p class="small finding-links">${linked.map((one) => html`<a key=${one.s} title=${one.name} href=${toSeries(run, one, finding)}>${linked.length > 1 ? html`<span class="said">${one.words}</span>: ` : ""}${one.name.startsWith("time/") ? "Open in Time" : one.stat === "value" ? "Open in Curves" : "Open in Tensors, at this step"}</a>`)}</p>`;
}

// toSeries is where more of a series is seen: parts of steps by time, scalars as curves, statistics with their tensor.
function toSeries(run, one, finding) {
  if (one.name.startsWith("time/")) return route.to(run.name, "time");
  if (one.stat === "value") return route.to(run.name, "curves", { q: one.name });
  return route.to(run.name, "tensors", { tensor: one.name, step: Math.max(finding.mode_step, 0), mode: finding.mode });
}

const steps = { kind: "step" };
// spread reports whether values are so far apart that only a logarithmic axis shows all of them.
function spread(series) {
  let low = Infinity, high = 0;
  for (const { y } of series) {
    for (const value of numbers(y)) {
      if (value < 0) return false;
      if (value > 0 && Number.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  return high > 500 * low;
}
