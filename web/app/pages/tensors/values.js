// The values of a tensor at a step: a number, a vector as a chart, a matrix as an image, strings as text.
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { number as figure, numbers } from "../../core/api.js";
import { useGet, useLatest } from "../../core/use.js";
import { Chart } from "../../parts/chart.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Matrix } from "../../parts/matrix.js";
import { finest, kept, partOf } from "../../parts/matrix/parts.js";
import { parse, spans } from "../../parts/matrix/place.js";
import { Choice } from "../../parts/tabs.js";
import { Pictures } from "./pictures.js";
import { Strings } from "./strings.js";

export function Values({ run, route, tensor, moment, worker, onStep }) {
  const raw = useMemo(() => Array.from(moment.raw_steps), [moment]);
  const step = raw.findLast((one) => one <= moment.step) ?? raw[0];
  return html`<section class="card" aria-labelledby="values-title">
    <header><h3 id="values-title">${raw.length ? `Values at step ${format.count(step)}` : "Values"}</h3>
      ${raw.length > 0 && step !== moment.step && html`<button type="button" class="button small" onClick=${() => onStep(step)}>Go to step ${format.count(step)}</button>`}</header>
    <div class="body">${raw.length
      ? html`<${Stored} key=${`${tensor.name} ${moment.mode} ${worker}`} run=${run} route=${route} tensor=${tensor} mode=${moment.mode} worker=${worker} step=${step} moment=${moment} />`
      : html`<${Empty} compact command=${run.live ? "" : `vigil run --collect ${tensor.collections[0] ?? "weights"}:raw,every=100 -- python train.py`}>${run.live
        ? "The values themselves are not stored, only their statistics. \u201cCapture raw for the next 20 steps\u201d above brings them."
        : "The values themselves were not stored, only their statistics."}<//>`}</div>
  </section>`;
}

// Stored shows values as a matrix, as images, or as what else they are.
function Stored({ run, route, tensor, mode, worker, step, moment }) {
  const who = { tensor: tensor.name, mode, worker, step };
  const shape = Array.from(moment.shape ?? tensor.shape);
  const images = moment.image_orders.length > 0 && (route.get("matrix") ? route.get("matrix") === "images" : moment.images);
  if (images) return html`<div class="stack tight"><${ShownAs} route=${route} shape=${shape} value="images" images /><${Pictures} run=${run} route=${route} who=${who} /></div>`;
  return html`<${Numbers} run=${run} route=${route} path=${run.path("raw")} who=${who} shape=${tensor.shape} images=${moment.image_orders.length > 0} moment=${moment} />`;
}

// ShownAs chooses how a tensor of three dimensions or more lies before one.
function ShownAs({ route, shape, value, images }) {
  const options = [["flat", `${shape[0]} \u00d7 ${shape.slice(1).reduce((a, b) => a * b, 1)}`], ["last", `${shape.at(-2)} \u00d7 ${shape.at(-1)}`]];
  if (images) options.push(["images", "Images"]);
  return html`<div class="line">Shown as <${Choice} label="Shown as" options=${options} value=${value} onChange=${(next) => route.set({ matrix: next, at: null, rows: null, columns: null })} />
    <span class="faint small">${{ flat: "a matrix of the first dimension by all others", last: "a matrix of the last two dimensions", images: "" }[value]}</span></div>`;
}

// Numbers asks a path for the part that is seen, and keeps what was seen before. head(answer) is above.
export function Numbers({ route, path, who, shape: announced, title = "Values", images = false, moment = null, head }) {
  const flat = isFlat(route, announced);
  const lead = flat ? "" : route.get("at");
  const cut = { at: lead, flat: flat || "" };
  const of = useGet(path, { ...who, ...cut }, { columns: true });
  const data = of.data?.name === who.tensor ? of.data : undefined;
  return html`<${Answer} of=${{ ...of, data }} compact what="The values could not be read.">${(answer) => {
    const shape = Array.from(answer.shape);
    if (answer.dtype === "STRING") return html`<${Strings} answer=${answer} shape=${shape} />`;
    if (!answer.values.length) return html`<p class="quiet">A tensor of shape ${shape.join(" \u00d7 ")} has no values.</p>`;
    if (!shape.length) return html`<p class="tensors-single n">${format.number(figure(answer.values[0]), 8)}</p>`;
    return html`<div class="stack tight">
      ${head?.(answer)}
      ${shape.length > 2 && html`<${ShownAs} route=${route} shape=${shape} value=${flat ? "flat" : "last"} images=${images} />`}
      ${shape.length > 2 && !flat && html`<${Lead} shape=${shape} at=${Array.from(answer.at)} onChange=${(at) => route.set({ at: at.some(Boolean) ? at.join(",") : null })} />`}
      ${shape.length === 1 ? html`<${Vector} answer=${answer} />` : html`<${Zoomed} title=${title} path=${path} route=${route} who=${{ ...who, ...cut }} flat=${flat} lead=${lead} answer=${answer} moment=${moment} busy=${of.loading} />`}
    </div>`;
  }}<//>`;
}

// Lead chooses the matrix among those of a tensor with more dimensions.
function Lead({ shape, at, onChange }) {
  const set = (i, value) => onChange(at.map((one, k) => (k === i ? Math.max(0, Math.min(shape[i] - 1, value)) : one)));
  return html`<div class="line" role="group" aria-label="Which matrix">${at.map((value, i) => html`<label class="field" key=${i}>dimension ${i}
      <input type="number" min="0" max=${shape[i] - 1} value=${value} onChange=${(event) => set(i, Math.round(Number(event.target.value)) || 0)} />
      <input type="range" min="0" max=${shape[i] - 1} value=${value} aria-label=${`Index of dimension ${i}`} onInput=${(event) => set(i, Number(event.target.value))} />
      <span class="faint">of ${format.count(shape[i])}</span></label>`)}</div>`;
}

function Vector({ answer }) {
  const series = useMemo(() => {
    const y = numbers(answer.values);
    const x = Float64Array.from(y, (_, i) => answer.columns[0] + i * answer.column_stride);
    return [{ label: "value", x, y, raw: true, kind: y.length <= 64 ? "bars" : "line" }];
  }, [answer]);
  return html`<${Chart} title="Value by index" heading="h4" series=${series} x=${{ kind: "" }} height=${200} legend=${false} caption=${answer.column_stride > 1 ? `every ${answer.column_stride}. of ${format.several(answer.columns[1], "value")}` : format.several(answer.values.length, "value")} />`;
}

function Zoomed({ title, path, route, who, flat, lead, answer, moment, busy }) {
  const shape = matrixOf(Array.from(answer.shape), flat);
  const view = parse(route.get("rows"), route.get("columns"), shape);
  const asked = useLatest(JSON.stringify(spans(view, shape)), 120);
  const { rows, columns } = JSON.parse(asked);
  const enough = answer.row_stride === 1 && answer.column_stride === 1;
  const near = useGet(!enough && rows ? path : null, { ...who, rows, columns }, { columns: true });
  const [parts, setParts] = useState(() => [partOf(answer)]);
  useEffect(() => setParts([partOf(answer)]), [answer]);
  useEffect(() => {
    if (near.data && near.data.step === answer.step && String(near.data.at) === String(answer.at)) setParts((old) => kept(old, partOf(near.data)));
  }, [near.data]);
  const range = useMemo(() => colours(answer, moment), [answer, moment]);
  const onView = (next) => {
    const all = next.rows >= shape[0] && next.columns >= shape[1];
    const span = (from, length) => `${Math.round(from)}:${Math.round(from + length)}`;
    route.set({ rows: all ? null : span(next.top, next.rows), columns: all ? null : span(next.left, next.columns) });
  };
  return html`<${Matrix} title=${title} shape=${shape} parts=${parts} view=${view} onView=${onView} range=${range} loading=${near.loading || busy} label=${lead ? `[${lead}] ` : ""} />
    <p class="small faint">${note(finest(parts, view), shape)}</p>`;
}

// colours: the range of the whole tensor where its statistics are those of the same step, so that colours stay what they are while one zooms.
function colours(answer, moment) {
  const low = figure(answer.min), high = figure(answer.max);
  const least = figure(moment?.stats.min), most = figure(moment?.stats.max);
  return moment?.step === answer.step && least <= low && most >= high ? [least, most] : [low, high];
}

// isFlat: small kernels say little one by one, so they are shown together unless the page is asked otherwise.
function isFlat(route, shape) {
  const asked = route.get("matrix");
  if (shape.length < 3) return false;
  return asked && asked !== "images" ? asked === "flat" : shape.at(-1) * shape.at(-2) < 64;
}

const matrixOf = (shape, flat) => (flat ? [shape[0], shape.slice(1).reduce((a, b) => a * b, 1)] : shape.slice(-2));

function note(part, shape) {
  const size = format.several(shape[0] * shape[1], "value");
  if (part.rowStride * part.columnStride === 1) return `${size}. Drag to move; Ctrl and the wheel, two fingers, + and \u2212 zoom.`;
  return `${size}, of which every ${format.count(part.rowStride)}. row and every ${format.count(part.columnStride)}. column is read: zoom in for the others (Ctrl and the wheel, two fingers, +).`;
}
