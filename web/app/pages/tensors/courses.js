// One statistic of two tensors over the steps, on one chart.
import { html, useMemo } from "../../vendor/preact.js";
import { useGet } from "../../core/use.js";
import { Chart, fromAnswer } from "../../parts/chart.js";
import { StatChoice } from "./controls.js";
import { seriesName } from "./course.js";

export function Courses({ run, api, route, tensor, pair, worker, scalar }) {
  const { here, there } = pair;
  const stat = route.get("with_course", scalar ? "value" : "mean");
  const read = (name, of) => useGet(name, { s: seriesName(of.name, stat, of.mode, worker && of.worker), columns: 1200 }, { columns: true, every: run.live ? 6000 : 0 });
  const mine = read(run.path("series"), here);
  const its = read(api.path("runs", there.run, "series"), there);
  const same = here.run === there.run && here.name === there.name;
  const series = useMemo(() => [[mine, here, 0, []], [its, there, 1, [6, 3]]].slice(0, same ? 1 : 2).flatMap(([of, { run: name, name: tensorName }, colour, dash]) => (of.data?.series ?? []).map((one) =>
    fromAnswer(one, { label: here.run === there.run || here.name !== there.name ? `${name} ${tensorName}` : name, colour, dash }))), [mine.data, its.data, same]);
  const marks = useMemo(() => [here, there].map((one) => ({ x: one.step, kind: "epoch", title: `step ${one.step} of ${one.run}` })), [here.step, there.step]);
  return html`<${Chart} title="Both over steps" heading="h4" series=${series} marks=${marks} height=${200} legend loading=${(mine.loading || its.loading) && !run.live} error=${mine.error ?? its.error} retry=${() => { mine.reload(); its.reload(); }}
    empty="Neither has this statistic in this mode.">
    ${!scalar && html`<${StatChoice} bare stats=${tensor.stats} value=${stat} onChange=${(next) => route.set({ with_course: next === "mean" ? null : next })} />`}
  <//>`;
}
