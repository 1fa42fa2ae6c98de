// The values of a tensor as images: which dimensions are what, which of them are shown, and how bright a value is.
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { useGet, useLatest } from "../../core/use.js";
import { Answer } from "../../parts/empty.js";
import { Images } from "../../parts/images.js";
import { partOf } from "../../parts/images/picture.js";
import { parse, spans } from "../../parts/matrix/place.js";
import { StepSlider } from "../../parts/slider.js";
import { Choice } from "../../parts/tabs.js";

export function Pictures({ run, route, who }) {
  const asked = { order: route.get("order"), index: route.get("image"), channel: route.get("channel"), apart: route.get("apart") };
  const of = useGet(run.path("images"), { ...who, ...asked }, { columns: true });
  const data = of.data?.name === who.tensor ? of.data : undefined;
  return html`<${Answer} of=${{ ...of, data }} compact what="The images could not be read.">${(answer) => html`<div class="stack tight">
    <${Controls} route=${route} answer=${answer} asked=${asked} />
    <${Tiles} run=${run} route=${route} who=${{ ...who, ...asked }} answer=${answer} busy=${of.loading} />
  </div>`}<//>`;
}

const all = (n) => Array.from({ length: n + 1 }, (_, i) => i - 1);
const nameOf = (i) => (i < 0 ? "all" : format.count(i));
const spaced = (order) => [...order].join(" \u00d7 ");

function Controls({ route, answer, asked }) {
  const { batch, channels, orders, order } = answer;
  const indices = useMemo(() => all(batch), [batch]);
  const planes = useMemo(() => all(channels), [channels]);
  const pick = (key) => (i) => route.set({ [key]: i < 0 ? null : i, rows: null, columns: null });
  const kind = route.get("bright");
  const set = (key) => (event) => route.set({ [key]: Number.isFinite(event.target.valueAsNumber) ? event.target.valueAsNumber : null });
  return html`<div class="line tensors-images" role="group" aria-label="Which images">
      <label class="field">Dimensions <select value=${order} title=${`The shape is ${Array.from(answer.shape).join(" \u00d7 ")}; N: batch, C: channels, H: rows, W: columns`} onChange=${(event) => route.set({ order: event.target.value === orders[0] ? null : event.target.value, image: null, channel: null, apart: null, rows: null, columns: null })}>
        ${orders.map((one, i) => html`<option key=${one} value=${one}>${spaced(one)}${i === 0 ? " (assumed)" : ""}</option>`)}</select></label>
      ${batch > 1 && html`<${StepSlider} label="Image" steps=${indices} value=${Number(asked.index || -1)} onChange=${pick("image")} name=${nameOf} />`}
      ${channels > 1 && html`<${StepSlider} label="Channel" steps=${planes} value=${Number(asked.channel || -1)} onChange=${pick("channel")} name=${nameOf} />`}
      ${channels === 3 && !asked.channel && html`<${Choice} label="Channels" options=${[["", "RGB"], ["true", "Each in grey"]]} value=${asked.apart} onChange=${(next) => route.set({ apart: next })} />`}
    </div>
    <div class="line" role="group" aria-label="Brightness">
      <span class="quiet">Black to white</span> <${Choice} label="Black to white" options=${[["", answer.whole ? "Range of the tensor" : "Range of what is shown"], ["tile", "Of each image"], ["fixed", "Fixed"]]} value=${kind} onChange=${(next) => route.set({ bright: next, low: null, high: null })} />
      ${kind === "fixed" && html`<label class="field">from <input type="number" step="any" value=${route.get("low", "0")} onChange=${set("low")} /></label>
        <label class="field">to <input type="number" step="any" value=${route.get("high", "1")} onChange=${set("high")} /></label>`}
    </div>`;
}

function Tiles({ run, route, who, answer, busy }) {
  const base = useMemo(() => partOf(answer), [answer]);
  const alone = answer.index.length === 1;
  const zoomed = route.get("rows");
  // Of an image alone the part that is seen is read again where not all of it was.
  const view = zoomed ? parse(zoomed, route.get("columns"), [1e9, 1e9]) : null;
  const near = useLatest(JSON.stringify(alone && answer.stride > 1 && view ? spans(view, [answer.height, answer.width]) : null), 120);
  const cut = JSON.parse(near);
  const of = useGet(cut?.rows ? run.path("images") : null, { ...who, ...cut }, { columns: true });
  const [parts, setParts] = useState([base]);
  useEffect(() => setParts([base]), [base]);
  useEffect(() => {
    if (of.data && of.data.step === answer.step && of.data.stride < answer.stride) setParts([partOf(of.data), base]);
  }, [of.data]);
  const shown = parts.at(-1) === base ? parts : [base];
  const onView = (next) => {
    const span = (from, length) => `${Math.round(from)}:${Math.round(from + length)}`;
    route.set({ rows: next && span(next.top, next.rows), columns: next && span(next.left, next.columns) });
  };
  const place = (i, row, column) => `[${[...answer.order].map((letter) => ({ N: base.index[i], C: base.channel[i] < 0 ? ":" : base.channel[i], H: row, W: column })[letter]).join(", ")}]`;
  const open = alone ? null : (i) => route.push({ image: answer.batch > 1 ? base.index[i] : null, channel: base.channel[i] < 0 || answer.channels === 1 ? null : base.channel[i], rows: null, columns: null });
  const norm = { kind: route.get("bright"), low: Number(route.get("low", "0")), high: Number(route.get("high", "1")) };
  return html`<${Images} title="Images" parts=${shown} view=${view} onView=${onView} norm=${norm} place=${place} onOpen=${open} loading=${busy || of.loading} />
    <p class="small faint">${note(answer, shown[0])}</p>`;
}

function note(answer, finest) {
  const { planes, index, more, odd, whole, height, width } = answer;
  const said = [`${format.several(index.length, planes === 3 ? "image" : "grey image")} of ${format.count(height)} \u00d7 ${format.count(width)}.`];
  if (more) said.push(`${format.count(more)} more are not shown: choose an image or a channel.`);
  if (finest.stride > 1) said.push(`Every ${format.count(finest.stride)}. row and column is read: ${index.length > 1 ? "choose one image" : "zoom in"} for the others.`);
  if (odd) said.push(`${format.several(odd, "value")} of ${whole ? "the tensor" : "these"} ${odd === 1 ? "is" : "are"} NaN or infinite: painted in a colour of their own, with a frame around the image.`);
  return said.join(" ");
}
