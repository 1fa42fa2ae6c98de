// The machine page: how cores, GPUs, memory, network and disks were used over the time of the run.
import { html, useMemo } from "../../vendor/preact.js";
import { useGet, useLatest } from "../../core/use.js";
import { Answer, Empty } from "../../parts/empty.js";
import { order } from "../../parts/severity.js";
import { going } from "../time/words.js";
import { Charts } from "./charts.js";
import { at, moment, useFrame } from "./frame.js";
import { entries, Happened } from "./happened.js";
import { Heat } from "./heat.js";
import { LastSteps } from "./last-steps.js";
import { Strip } from "./strip.js";
import { Toolbar } from "./toolbar.js";
import { UseTable } from "./use-table.js";

export function Page({ run, route }) {
  const every = going(run) ? 2000 : 0;
  const metrics = useGet(run.path("metrics"), {}, { every });
  return html`<div class="stack machine">
    <h1 class="sr">Machine</h1>
    <${Answer} of=${metrics} what="What was sampled of the machine could not be read.">${(data) => (data.hosts.length ? html`<${Shown} run=${run} route=${route} metrics=${data} every=${every} />` : html`<${Nothing} run=${run} />`)}<//>
  </div>`;
}

function Nothing({ run }) {
  return html`<div class="card"><${Empty} command=${going(run) ? `vigil plan ${run.name} --monitor 500` : `vigil run --monitor 500 -- ${run.describe.run.command?.join(" ") ?? "python train.py"}`}>Nothing was sampled of the machine. Vigil samples it twice a second unless monitoring is off.<//></div>`;
}

function Shown({ run, route, metrics, every }) {
  const timelineOf = useGet(run.path("timeline"), {}, { every });
  const whole = useMemo(() => {
    const from = Math.min(at(metrics.from), timelineOf.data ? at(timelineOf.data.from) : Infinity);
    return [from, Math.max(at(metrics.to), from + 1, timelineOf.data ? at(timelineOf.data.to) : 0)];
  }, [metrics, timelineOf.data?.from, timelineOf.data?.to]);
  const frame = useFrame(route, whole);
  const host = metrics.hosts.find(({ name }) => name === route.get("host")) ?? metrics.hosts[0];
  const settled = useLatest(frame.fixed ? "" : frame.view.join(" "));
  const [from, to] = settled ? settled.split(" ").map(Number) : [];
  const inFrame = useGet(settled ? run.path("timeline") : null, { from: from && moment(from), to: to && moment(to) }, { every });
  const timeline = (settled && inFrame.data) || timelineOf.data;
  const marks = useMemo(() => marksOf(timelineOf.data, run, route), [timelineOf.data]);
  const pauses = useMemo(() => metrics.pauses.filter((one) => one.host === host.name).map((one) => [at(one.from), at(one.to)]), [metrics.pauses, host.name]);
  const list = useMemo(() => entries(timeline, run, route).filter((one) => (one.to ?? one.x) >= frame.view[0] && one.x <= frame.view[1]), [timeline, frame.view[0], frame.view[1]]);
  return html`
    <${UseTable} run=${run} hosts=${metrics.hosts} every=${every && 5000} />
    <section class="card machine-charts" aria-labelledby="machine-over-time">
      <h2 id="machine-over-time" class="sr">Over time</h2>
      <div class="machine-head">
        <${Toolbar} frame=${frame} hosts=${metrics.hosts} host=${host.name} setHost=${(name) => route.push({ host: name === metrics.hosts[0].name ? null : name })} live=${going(run)} />
        <${Strip} timeline=${timeline} frame=${frame} pins=${marks.pins} label=${spoken(timeline, marks.pins)} />
      </div>
      <${Charts} run=${run} route=${route} host=${host} frame=${frame} marks=${marks.marks} pauses=${pauses} every=${every} />
      <${Heat} run=${run} host=${host.name} frame=${frame} every=${every && 4000} />
    </section>
    <${LastSteps} run=${run} frame=${frame} every=${every} />
    <${Happened} timeline=${timeline} list=${list} frame=${frame} began=${at(run.describe.run.started)} />`;
}

// marksOf are the findings and checkpoints as the charts mark them, and, with the changes of the plan, as pins of the axis.
function marksOf(timeline, run, route) {
  if (!timeline) return { marks: [], pins: [] };
  const findings = timeline.findings.map((one) => {
    const href = route.to(run.name, "findings", { id: one.id });
    return { x: at(one.time), kind: one.severity, severity: one.severity, title: one.message, href };
  });
  const checkpoints = timeline.checkpoints.map((one) => ({ x: at(one.from), kind: "checkpoint", title: `Checkpoint of ${one.worker}` }));
  const changes = timeline.plan_changes.map((one) => ({ x: at(one.time), kind: "plan", title: `Plan changed: ${one.why}` }));
  return {
    // The gravest is painted last, so over the others.
    marks: [...[...findings].sort((a, b) => order.indexOf(b.severity) - order.indexOf(a.severity)).map((one) => ({ x: one.x, severity: one.severity, title: one.title, href: () => route.go(`/runs/${encodeURIComponent(run.name)}/findings`, { id: new URL(one.href, document.baseURI).searchParams.get("id") }) })), ...checkpoints],
    pins: [...findings, ...checkpoints, ...changes].sort((a, b) => a.x - b.x),
  };
}

function spoken(timeline, pins) {
  if (!timeline) return "Time axis";
  const phases = timeline.phases.map((one) => one.name).join(", ");
  return `Time axis${phases ? ` with the phases ${phases}` : ""}, ${pins.length} marks and ${timeline.steps.length} step numbers. What happened is listed below the charts.`;
}
