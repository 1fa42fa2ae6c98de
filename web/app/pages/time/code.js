// In which code the time goes: flame graphs of the windows of detail, a new window of a running job, and where it stands now.
import { html, useMemo } from "../../vendor/preact.js";
import { number, numbers } from "../../core/api.js";
import * as format from "../../core/format.js";
import { useGet } from "../../core/use.js";
import { Empty } from "../../parts/empty.js";
import { Flame } from "../../parts/flame.js";
import { Search } from "../../parts/search.js";
import { Choice } from "../../parts/tabs.js";
import { Lines } from "./lines.js";
import { Sample } from "./sample.js";
import { Stand } from "./stand.js";
import { command, going } from "./words.js";

export function Code({ run, route, data }) {
  const answer = useGet(run.path("windows"), {}, { every: going(run) ? 3000 : 0 });
  const windows = (answer.data?.windows ?? []).filter((one) => !one.damaged);
  return html`<section class="card" aria-labelledby="code-title">
    <header><h2 id="code-title">In which code</h2><${Sample} run=${run} done=${(number) => { answer.reload(); route.set({ window: number, minus: null, frame: null }); }} /></header>
    <div class="body stack">
      ${answer.data?.windows.filter((one) => one.damaged).map((one) => html`<p key=${one.number + one.worker} class="severity plain warning">Window ${one.number} of <span class="said">${one.worker}</span> cannot be read: <span class="said">${one.damaged}</span></p>`)}
      ${going(run) && html`<${Stand} run=${run} />`}
      ${windows.length ? html`<${Window} run=${run} route=${route} windows=${windows} data=${data} />`
        : answer.data && html`<${Empty} compact command=${going(run) ? `vigil profile ${run.name} --seconds 5` : `vigil run --profile stacks:steps=50-80 -- ${command(run)}`}>${going(run) ? "No profile has been recorded yet. The button samples the code every 10 ms for 5 seconds." : "No profile was recorded, so there is no breakdown by line."}<//>`}
    </div>
  </section>`;
}

function Window({ run, route, windows, data }) {
  const numbersOf = [...new Set(windows.map((one) => one.number))];
  const chosen = numbersOf.includes(Number(route.get("window"))) ? Number(route.get("window")) : numbersOf.at(-1);
  const of = windows.filter((one) => one.number === chosen);
  const here = of.find((one) => one.worker === route.get("of")) ?? of[0];
  const loaders = route.get("who") === "loaders" && here.loader_workers > 0;
  const by = route.get("by") === "line" ? "line" : "function";
  const others = windows.filter((one) => one.worker === here.worker && one.number !== chosen && (!loaders || one.loader_workers > 0));
  const minus = others.some((one) => one.number === Number(route.get("minus"))) ? Number(route.get("minus")) : 0;
  const query = route.get("q");
  const answer = useGet(run.path("windows", String(chosen), "flame"), { worker: here.worker, of: loaders ? "loaders" : "rank", by, minus: minus || null }, { columns: true });
  const flame = useMemo(() => answer.data && graph(answer.data), [answer.data]);
  const zoom = route.get("frame") === "" ? -1 : Number(route.get("frame"));
  const set = (changes) => route.push({ frame: null, ...changes });
  return html`
    <div class="line code-bar">
      <label class="field">Window <select value=${chosen} onChange=${(event) => set({ window: event.target.value })}>${numbersOf.map((number) => html`<option key=${number} value=${number}>${named(windows.find((one) => one.number === number))}</option>`)}</select></label>
      ${of.length > 1 && html`<label class="field">Worker <select value=${here.worker} onChange=${(event) => set({ of: event.target.value })}>${of.map((one) => html`<option key=${one.worker}>${one.worker}</option>`)}</select></label>`}
      ${here.loader_workers > 0 && html`<${Choice} label="Process" value=${loaders ? "loaders" : "rank"} onChange=${(who) => set({ who: who === "rank" ? null : who })} options=${[["rank", "the one that trains"], ["loaders", "loader workers"]]} />`}
      <${Choice} label="Frames" value=${by} onChange=${(next) => set({ by: next === "function" ? null : next })} options=${[["function", "by function"], ["line", "by line"]]} />
      ${others.length > 0 && html`<label class="field">Compared with <select value=${minus} onChange=${(event) => set({ minus: event.target.value === "0" ? null : event.target.value })}><option value="0">nothing</option>${others.map((one) => html`<option key=${one.number} value=${one.number}>window ${one.number}</option>`)}</select></label>`}
      <${Search} label="Search functions and files" value=${query} onChange=${(q) => route.set({ q })} where="Time" />
    </div>
    <p class="quiet small said">${answer.data?.about}${here.why ? ` · asked for by ${here.why}` : ""}${answer.data?.few ? html` <span class="severity plain warning">${answer.data.few}</span>` : ""}</p>
    <${Flame} title=${minus ? `Window ${chosen} against window ${minus}: width is the time now, colour the change of its share` : "Flame graph, outermost call on top"} data=${flame} unit="ms" search=${query} zoom=${zoom} onZoom=${(frame) => route.set({ frame: frame < 0 ? null : frame })}
      loading=${answer.loading} error=${answer.error} retry=${answer.reload} empty="Nothing of Python was seen in this window." />
    ${answer.data?.more > 0 && html`<p class="faint small">${format.several(answer.data.more, "short call is", "short calls are")} not drawn.</p>`}
    ${answer.data?.lines.length > 0 && html`<${Lines} data=${answer.data} minus=${minus} whole=${data} />`}`;
}

const named = (one) => `${one.number} · ${format.clock(one.from)} · ${format.duration((Date.parse(one.to) - Date.parse(one.from)) / 1000)} · ${format.several(one.steps, "step")}`;

// graph is the answer as the flame graph takes it: times in milliseconds; those of the earlier window are scaled to the length of this one, so that shares are compared.
function graph(data) {
  const scale = number(data.seconds) / number(data.minus_seconds) || 1;
  const ms = (list, by = 1) => numbers(list).map((value) => Math.round(value * 1000 * by));
  return {
    name: data.function, file: data.file, line: numbers(data.line), parent: numbers(data.parent), self: ms(data.self), total: ms(data.total),
    before: data.minus ? ms(data.before, scale) : null, kind: data.function.map((name, i) => (data.own[i] ? "own" : !data.file[i] || data.file[i].startsWith("<") ? "compiled" : "library")),
  };
}
