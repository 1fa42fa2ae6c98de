// The course of a tensor's statistics over the steps.
import { html, useMemo } from "../../vendor/preact.js";
import { statName } from "../../core/statistics.js";
import { useGet } from "../../core/use.js";
import { Chart, fromAnswer } from "../../parts/chart.js";
import { StatChoice } from "./controls.js";

// seriesName is what the API calls a series.
export const seriesName = (...parts) => parts.map(encodeURIComponent).join("|");

const range = ["range", "minimum, mean, maximum"];

export function Course({ run, route, tensor, mode, worker, step, scalar }) {
  const asked = route.get("course", scalar ? "value" : "range");
  const stats = asked === "range" ? ["max", "mean", "min"] : [asked];
  const of = useGet(run.path("series"), { s: stats.map((stat) => seriesName(tensor.name, stat, mode, worker)), columns: 1200 }, { columns: true, every: run.live ? 4000 : 0 });
  const series = useMemo(() => (of.data?.series ?? []).map((one, i) => fromAnswer(one, { label: statName(stats[i]) })), [of.data]);
  const marks = useMemo(() => [{ x: step, kind: "epoch", title: `step ${step}` }], [step]);
  return html`<div class="tensors-course"><${Chart} title="Over steps" series=${series} marks=${marks} height=${200} loading=${of.loading && !run.live} error=${of.error} retry=${of.reload}
    empty="There are no statistics of this tensor in this mode.">
    ${!scalar && html`<${StatChoice} bare stats=${tensor.stats} first=${range} value=${asked} onChange=${(stat) => route.set({ course: stat === "range" ? null : stat })} />`}
  <//></div>`;
}
