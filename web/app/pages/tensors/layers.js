// All layers at once: one statistic of each tensor over the steps, as a heat map. A cell opens its tensor at its step.
import { html, useMemo } from "../../vendor/preact.js";
import { numbers } from "../../core/api.js";
import * as format from "../../core/format.js";
import { statName } from "../../core/statistics.js";
import { useEvents, useGet, useLatest } from "../../core/use.js";
import { Heatmap } from "../../parts/heatmap.js";
import { ModeChoice, StatChoice, WorkerChoice } from "./controls.js";

const most = 400;

export function Layers({ run, route, tensors, collections }) {
  const q = useLatest(route.get("q"), 250);
  const chosen = route.get("collection");
  const collection = chosen || (q ? "" : usual(collections));
  const stat = route.get("stat") || (collection === "gradients" ? "abs_mean" : "std");
  const mode = route.get("mode");
  const skip = Number(route.get("skip")) || 0;
  const of = useGet(run.path("heat"), { stat, mode, worker: route.get("worker"), collection, q: pattern(q), columns: 600, rows: most, skip }, { columns: true, every: run.live ? 5000 : 0 });
  const data = of.data;
  const findings = useGet(run.path("findings"));
  useEvents(run.name, { findings: findings.reload }, { when: run.live });
  const found = useMemo(() => worstOf(findings.data?.findings ?? []), [findings.data]);
  const rows = useMemo(() => {
    const prefix = shared(data?.rows ?? []);
    return (data?.rows ?? []).map((row) => ({ ...row, tensor: row.name, severity: found.get(row.name), name: row.name.slice(prefix.length), values: numbers(row.values), odd: Array.from(row.odd) }));
  }, [data, found]);
  const columns = useMemo(() => Array.from(data?.steps ?? []), [data]);
  const view = span(route.get("steps"));
  const modes = run.describe.modes ?? [];
  const title = `${sentence(statName(stat))} of ${q ? `tensors that match \u201c${q}\u201d` : collection || "all tensors"}`;
  return html`<section class="card" aria-labelledby="layers-title">
    <header><h2 id="layers-title">Layers over steps</h2></header>
    <div class="line tensors-bar">
      <label class="field">Tensors <select value=${chosen} onChange=${(event) => route.set({ collection: event.target.value, skip: null })}>
        <option value="">${usual(collections) && !q ? `${usual(collections)} (usual)` : "all"}</option>
        ${collections.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}
      </select></label>
      <${StatChoice} stats=${data?.stats ?? []} value=${stat} onChange=${(next) => route.set({ stat: next })} />
      <${ModeChoice} modes=${modes} value=${mode || data?.mode || modes[0]} onChange=${(next) => route.set({ mode: next })} />
      <${WorkerChoice} run=${run} value=${route.get("worker")} onChange=${(worker) => route.set({ worker })} />
      <label class="check"><input type="checkbox" checked=${logarithmic(route, data)} onChange=${(event) => route.set({ log: event.target.checked === Boolean(data?.log) ? null : event.target.checked ? "1" : "0" })} /> logarithmic</label>
      <label class="check" title="Each row from its lowest to its highest value: shows when a layer changes, whatever its size"><input type="checkbox" checked=${route.get("colours") === "row"} onChange=${(event) => route.set({ colours: event.target.checked ? "row" : null })} /> colours per row</label>
    </div>
    <${Heatmap} title=${title} rows=${rows} columns=${columns} kind="step" log=${logarithmic(route, data)} signed each=${route.get("colours") === "row"} height=${heightOf(rows.length)} view=${view} onView=${(next) => route.set({ steps: next && next.join(":") })}
      onPick=${({ row, column }) => route.push({ tensor: row.tensor, step: column })} loading=${of.loading && data?.stat !== stat} error=${of.error} retry=${of.reload}
      empty=${emptyWords(run, stat, collection, q)} command=${`vigil run --collect ${collection || "weights"}:every=10 -- python train.py`} />
    <p class="small quiet tensors-hint">A cell opens its tensor at that step. Of several steps in a column the value of largest magnitude is shown.${rows.some((row) => row.severity) ? " A dot stands at rows with a finding." : ""}
      ${data && data.more + skip > 0 && html` <span>Rows ${format.count(skip + 1)} to ${format.count(skip + rows.length)} of ${format.count(data.all)}.</span>${" "}
        <button type="button" class="button small" disabled=${skip === 0} onClick=${() => route.set({ skip: Math.max(0, skip - most) })}>Before</button>${" "}
        <button type="button" class="button small" disabled=${data.more === 0} onClick=${() => route.set({ skip: skip + most })}>Next</button>`}</p>
  </section>`;
}

// usual is the collection that says most about a training.
const usual = (collections) => ["gradients", "weights", "outputs"].find((name) => collections.some((one) => one.name === name)) ?? "";

// worstOf are the severities of what was found of tensors, by their names.
export function worstOf(findings) {
  const worst = new Map();
  for (const severity of ["info", "warning", "error"]) for (const one of findings) if (one.severity === severity && !one.muted) worst.set(one.subject, severity);
  return worst;
}

// shared is what all names begin with before the name of a module: gradient/Net_.
function shared(rows) {
  const names = rows.map(({ name }) => name);
  if (names.length < 2) return "";
  let length = Math.min(...rows.map(({ name, module }) => (module && name.includes(module) ? name.lastIndexOf(module) : name.length)));
  for (const name of names) while (!name.startsWith(names[0].slice(0, length))) length--;
  return names[0].slice(0, length).replace(/[^/_.]*$/, "");
}

const logarithmic = (route, data) => (route.get("log") ? route.get("log") === "1" : Boolean(data?.log)) && !(data?.rows ?? []).some((row) => row.values.some((value) => value < 0));
const heightOf = (rows) => Math.max(120, Math.min(620, rows * 22 + 30));
const sentence = (text) => text[0].toUpperCase() + text.slice(1);

// pattern turns words of the search into a regular expression for the server, in which each word must occur.
function pattern(q) {
  const regular = /^\/(.+)\/$/.exec(q.trim());
  if (regular) return `(?i)${regular[1]}`;
  return q.trim() ? `(?i)${q.trim().split(/\s+/).map((word) => `(?=.*${word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")})`).join("")}` : "";
}

function span(text) {
  const [from, to] = text.split(":").map(Number);
  return text && from <= to ? [from, to] : null;
}

function emptyWords(run, stat, collection, q) {
  if (q) return "No tensor that matches the search has this statistic in this mode.";
  return `There is no ${statName(stat)} of ${collection || "any tensor"} in this mode${run.live ? " yet" : ""}.`;
}
