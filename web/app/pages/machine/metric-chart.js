// A chart of machine metrics over the time frame of the page.
import { html, useMemo } from "../../vendor/preact.js";
import { useGet, useLatest } from "../../core/use.js";
import { Chart, fromAnswer } from "../../parts/chart.js";
import { moment } from "./frame.js";
import { broken } from "./pauses.js";

const axis = { kind: "time" };

// MetricChart draws metrics: [{name, label, colour, dash}] of a host. percent: the axis ends at 0 and 100.
export function MetricChart({ run, host, frame, title, metrics, marks, pauses, percent = false, every, empty = "Nothing of this was sampled in this time frame.", command, children }) {
  const settled = useLatest(frame.fixed ? "" : frame.view.join(" "));
  // What lies next to the frame is read, too, so that panning shows something at once.
  const [left, right] = settled ? settled.split(" ").map(Number) : [null, null];
  const beside = left === null ? 0 : (right - left) / 2;
  const names = metrics.map((one) => one.name);
  const answer = useGet(names.length ? run.path("metrics", "series") : null, {
    host, name: names, columns: left === null ? 1600 : 3200, from: left === null ? null : moment(left - beside), to: left === null ? null : moment(right + beside),
  }, { columns: true, every });
  const series = useMemo(() => (answer.data?.series ?? []).flatMap((one) => {
    const of = metrics.find((metric) => metric.name === one.name);
    if (!of || !one.x.length) return [];
    return [broken(fromAnswer(one, { label: of.label, colour: of.colour, dash: of.dash ?? (typeof of.colour === "string" ? [] : undefined) }), pauses)];
  }), [answer.data, names.join("\n"), pauses]);
  const y = useMemo(() => ({ ...(percent ? { range: [0, 100], unit: "%" } : { zero: true }), size: 64 }), [percent]);
  const regions = useMemo(() => pauses.map(([from, to]) => ({ from, to })), [pauses]);
  return html`<${Chart} title=${title} heading="h3" series=${series} x=${axis} y=${y} marks=${marks} regions=${regions} group="machine" height=${132} range=${frame.view} onRange=${frame.follow} limit=${frame.whole}
    loading=${answer.loading && !every} error=${answer.error} retry=${answer.reload} empty=${empty} command=${command} legend=${true}>${children}<//>`;
}
