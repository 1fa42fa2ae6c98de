// Painting the time axis.
import * as format from "../../core/format.js";
import { colour } from "../../core/theme.js";
import { font } from "../../parts/chart/marks.js";
import { at } from "./frame.js";

// The sides are those of the charts' plots.
export const side = { left: 64, right: 17 };
export const rows = [{ name: "step", top: 0 }, { name: "phase", top: 20 }, { name: "events", top: 40 }];
export const height = 84;
const pins = 52; // where the row of signs begins
const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

export function paint(canvas, { timeline, frame, width, drag, cursor }) {
  if (width < 1) return;
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.setProperty("width", `${width}px`);
  canvas.style.setProperty("height", `${height}px`);
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  const [from, to] = frame.view;
  const right = width - side.right;
  const span = right - side.left;
  const px = (x) => side.left + ((x - from) / (to - from)) * span;
  ctx.font = font();
  ctx.textBaseline = "middle";
  ctx.save();
  ctx.beginPath();
  ctx.rect(side.left, 0, span, height);
  ctx.clip();
  for (const pause of timeline?.pauses ?? []) {
    ctx.fillStyle = colour("--idle", 0.12);
    ctx.fillRect(px(at(pause.from)), 18, Math.max(1, px(at(pause.to)) - px(at(pause.from))), height - 36);
  }
  bands(ctx, px, timeline?.phases ?? [], 20, 16, true);
  bands(ctx, px, timeline?.events ?? [], 40, 8, false);
  if (drag) {
    ctx.fillStyle = colour("--chart-select");
    ctx.fillRect(drag[0], 0, drag[1] - drag[0], height);
  }
  ctx.restore();
  stepTicks(ctx, px, timeline?.steps ?? [], right);
  timeTicks(ctx, px, [from, to], span);
  if (cursor !== null && cursor >= from && cursor <= to) {
    ctx.strokeStyle = colour("--chart-cursor");
    ctx.setLineDash([3, 3]);
    stroke(ctx, Math.round(px(cursor)) + 0.5, 0, height - 18);
    ctx.setLineDash([]);
  }
}

function stroke(ctx, x, top, bottom) {
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, bottom);
  ctx.stroke();
}

const tokens = { loader: "--part-data", detail: "--accent", compiler: "--series-7", clock: "--warning" };

function bands(ctx, px, list, top, size, named) {
  for (const one of list) {
    const left = px(at(one.from));
    const wide = Math.max(named ? 1 : 2, px(at(one.to)) - left);
    const token = named ? `--part-${one.name}` : tokens[one.kind] ?? `--part-${one.kind}`;
    ctx.fillStyle = colour(token, named ? 0.28 : 0.8);
    ctx.fillRect(left, top, Math.max(1, wide - 1), size);
    if (!named) continue;
    ctx.fillStyle = colour(token);
    ctx.fillRect(left, top, Math.min(3, wide), size);
    const begin = Math.max(left, side.left) + 8;
    const room = Math.min(left + wide, px.right ?? Infinity) - begin - 4;
    if (ctx.measureText(one.name).width > room) continue;
    ctx.fillStyle = colour("--text");
    ctx.textAlign = "left";
    ctx.fillText(one.name, begin, top + size / 2 + 0.5);
  }
}

// stepTicks writes as many of the round step numbers as there is room for.
function stepTicks(ctx, px, list, right) {
  ctx.strokeStyle = colour("--chart-axis");
  ctx.fillStyle = colour("--chart-text");
  ctx.textAlign = "center";
  const seen = list.map(({ step, time }) => ({ step, x: px(at(time)) })).filter(({ x }) => x >= side.left && x <= right);
  if (!seen.length) return;
  const widest = ctx.measureText(format.count(seen[seen.length - 1].step)).width + 18;
  const apart = seen.length > 1 ? (seen[seen.length - 1].x - seen[0].x) / (seen.length - 1) : Infinity;
  const unit = seen.length > 1 ? seen[1].step - seen[0].step : 1;
  const every = [1, 2, 5, 10, 20, 50, 100, 200].find((n) => n * apart >= widest) ?? 500;
  let free = -Infinity;
  for (const { step, x } of seen) {
    const text = format.count(step);
    const half = ctx.measureText(text).width / 2;
    const at = Math.max(side.left + half - 2, Math.min(right - half + 2, x));
    const main = step % (unit * every) === 0 && at - half > free;
    if (!main && apart < 4) continue;
    stroke(ctx, Math.round(x) + 0.5, main ? 13 : 15, 18);
    if (!main) continue;
    ctx.fillText(text, at, 6.5);
    free = at + half + 8;
  }
  ctx.beginPath();
  ctx.moveTo(side.left, 18.5);
  ctx.lineTo(right, 18.5);
  ctx.stroke();
}

function timeTicks(ctx, px, [from, to], span) {
  const step = steps.find((one) => (one / (to - from)) * span >= 92) ?? steps.at(-1);
  const bottom = height - 18;
  ctx.strokeStyle = colour("--chart-axis");
  ctx.fillStyle = colour("--chart-text");
  ctx.textAlign = "center";
  ctx.beginPath();
  ctx.moveTo(side.left, bottom + 0.5);
  ctx.lineTo(side.left + span, bottom + 0.5);
  ctx.stroke();
  // Ticks are round in the reader's zone.
  const shift = new Date(from * 1000).getTimezoneOffset() * 60;
  for (let x = Math.ceil((from - shift) / step) * step + shift; x <= to; x += step) {
    stroke(ctx, Math.round(px(x)) + 0.5, bottom, bottom + 4);
    ctx.fillText(written(x, step), Math.max(side.left + 16, Math.min(side.left + span - 20, px(x))), bottom + 11);
  }
}

function written(x, step) {
  if (step >= 86400) return format.time(x).slice(5, 10);
  if (step >= 60) return format.clock(x).slice(0, 5);
  if (step >= 1) return format.clock(x);
  return format.clock(x).slice(3) + (x % 1).toFixed(1).slice(1);
}

export const pinsTop = pins;
