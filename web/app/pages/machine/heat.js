// How much of the machine was used over the time frame: the whole, each core and each GPU. Bright is little, dark is much.
import { html, useMemo } from "../../vendor/preact.js";
import { numbers } from "../../core/api.js";
import { useGet, useLatest } from "../../core/use.js";
import { Heatmap } from "../../parts/heatmap.js";
import { moment } from "./frame.js";

const range = [0, 100];

export function Heat({ run, host, frame, every }) {
  const settled = useLatest(frame.view.join(" "));
  const [from, to] = settled.split(" ").map(Number);
  const answer = useGet(run.path("metrics", "heat"), { host, columns: 600, from: moment(from), to: moment(to) }, { columns: true, every });
  const rows = useMemo(() => (answer.data?.rows ?? []).map((one) => ({ name: one.kind === "total" ? `all ${one.name}${one.name === "GPU" ? "s" : ""}` : one.name, values: numbers(one.values) })), [answer.data]);
  const columns = useMemo(() => numbers(answer.data?.times), [answer.data]);
  return html`<${Heatmap} title="Overall system utilisation over time" rows=${rows} columns=${columns} kind="time" unit="%" range=${range} rowHeight=${rows.length > 40 ? undefined : 14} height=${560} names=${64}
    view=${frame.fixed ? null : frame.view} onView=${frame.show} loading=${answer.loading && !every} error=${answer.error} retry=${answer.reload} empty="The use of single cores and GPUs was not sampled in this time frame." />`;
}
