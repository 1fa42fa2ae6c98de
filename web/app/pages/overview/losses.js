// The losses over the updates of the weights, each in all modes, with what was found marked.
import { html, useEffect, useMemo, useRef } from "../../vendor/preact.js";
import { several } from "../../core/format.js";
import { useEvents, useGet } from "../../core/use.js";
import { Chart, fromAnswer } from "../../parts/chart.js";
import { modeWord } from "../../core/statistics.js";
import { Key, modeColours } from "../../parts/chart/key.js";
import { Answer, Empty } from "../../parts/empty.js";

const mostCharts = 8;
const updates = { kind: "step" };

export function Losses({ run, route }) {
  const of = useGet(run.path("curves"));
  useEvents(run.name, { findings: of.reload, reset: of.reload }, { when: run.live });
  return html`<section class="stack" aria-labelledby="losses">
    <div class="line apart"><h2 id="losses">Losses and metrics</h2><a href=${route.to(run.name, "curves")}>All curves</a></div>
    <${Answer} of=${of} what="The curves could not be read.">${(data) => html`<${Charts} run=${run} data=${data} route=${route} />`}<//>
  </section>`;
}

// charts puts the modes of a name together: losses first, then the numbers the script logged.
function charts(data) {
  const by = new Map();
  for (const one of data.curves) {
    if (one.group !== "losses" && one.group !== "metrics") continue;
    if (!by.has(one.name)) by.set(one.name, []);
    by.get(one.name).push(one);
  }
  return [...by].map(([name, list]) => ({ name, list }));
}

// few leaves out marks that would stand so close that they hide the curve; the page of curves has them all.
const few = (marks) => (marks.length > 24 ? [] : marks);

function Charts({ run, data, route }) {
  const all = useMemo(() => charts(data), [data]);
  const shown = all.slice(0, mostCharts);
  const marks = useMemo(() => [
    ...data.marks.map((one) => ({ x: one.update, kind: "finding", severity: one.severity, title: one.title, href: route.to(run.name, "findings", { id: one.id }) })),
    ...few(data.checkpoints).map((one) => ({ x: one.step, kind: "checkpoint", title: "Checkpoint" })),
    ...few(data.epochs).map((one) => ({ x: one.step, kind: "epoch", title: `Epoch ${one.epoch}` })),
  ].sort((a, b) => a.x - b.x), [data]);
  if (!all.length) return html`<div class="card"><${Empty} compact icon="idle" command=${"vigil.log({'loss': loss.item()})"}>No loss and no metric was captured yet.<//></div>`;
  const asks = shown.flatMap(({ list }) => list.map((one) => one.series)).slice(0, 64);
  return html`<${Key} modes=${shown.flatMap(({ list }) => list.map((one) => one.mode))} kinds=${marks.map((one) => one.kind)} /><${Drawn} run=${run} shown=${shown} asks=${asks} marks=${marks} />
    ${all.length > shown.length && html`<p class="quiet"><a href=${route.to(run.name, "curves")}>${several(all.length - shown.length, "more curve")}</a></p>`}`;
}

function Drawn({ run, shown, asks, marks }) {
  const of = useGet(run.path("series"), { s: asks, axis: "update", columns: 800 }, { columns: true });
  useFollow(run, of.reload);
  const series = useMemo(() => new Map((of.data?.series ?? []).map((one) => [`${one.name}|${one.mode}`, one])), [of.data]);
  const lines = useMemo(() => shown.map(({ name, list }) => list.map((one) => series.get(`${name}|${one.mode}`)).filter(Boolean).map((one) => fromAnswer(one, { label: list.length > 1 ? modeWord(one.mode) : name, colour: modeColours[one.mode] }))), [series, shown]);
  return html`<div class="grid losses">${shown.map(({ name }, i) => html`<div class="card chart-card" key=${name}>
    <${Chart} title=${name} series=${lines[i]} x=${updates} marks=${marks} group="overview" height=${shown.length === 1 ? 240 : 180} loading=${of.loading} error=${of.error} retry=${of.reload} />
  </div>`)}</div>`;
}

// useFollow reads again while a run goes on: at once, then every 400 ms at most.
function useFollow(run, reload) {
  const waiting = useRef(0);
  const last = useRef(-Infinity);
  useEffect(() => () => clearTimeout(waiting.current), []);
  const soon = () => {
    if (waiting.current) return;
    waiting.current = setTimeout(() => {
      waiting.current = 0;
      last.current = performance.now();
      reload();
    }, Math.max(0, last.current + 400 - performance.now()));
  };
  useEvents(run.name, { steps: soon, reset: soon }, { when: run.live });
}
