// Painting histograms over steps behind each other: the oldest at the back, bright; the newest in front, dark.
import * as format from "../../core/format.js";
import { css, ramp } from "../../core/ramp.js";
import { colour } from "../../core/theme.js";
import { font } from "../chart/marks.js";

const foot = 22;

// layout: the ridges lie above each other; each may be as high as a third of all.
export function layout({ width, height, steps }) {
  const peak = Math.min(height * 0.34, steps.length > 1 ? height : height - foot - 10);
  const bottom = height - foot;
  return { left: 10, right: width - (steps.length > 1 ? 62 : 14), bottom, top: steps.length > 1 ? peak + 4 : bottom, peak: steps.length > 1 ? peak : height - foot - 10 };
}

export const baseline = (box, i, count) => (count > 1 ? box.top + ((box.bottom - box.top) * i) / (count - 1) : box.bottom);

// positions of the edges between 0 and 1: by value, or all bins equally wide where the values would hide them.
export function positions(edges, even) {
  if (even) return edges.map((_, i) => i / (edges.length - 1));
  const span = edges[edges.length - 1] - edges[0] || 1;
  return Array.from(edges, (edge) => (edge - edges[0]) / span);
}

export function paintRidge(canvas, { width, height, steps, edges, shares, over, even, active, only = null }) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.setProperty("height", `${height}px`);
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  const box = layout({ width, height, steps });
  const at = positions(edges, even);
  const colours = ramp();
  // The height is that of a density, so that wide bins do not look fuller than they are.
  const dense = (row) => Array.from(row, (share, b) => share / Math.max(1e-9, at[b + 1] - at[b]));
  const density = shares.map(dense);
  const highest = Math.max(1e-12, ...density.flat(), ...(over ? dense(over) : []));
  const x = (share) => box.left + share * (box.right - box.left);
  ctx.font = font();
  if (only !== null) {
    ctx.fillStyle = css(colours, 150);
    ctx.fillRect(x(0.5) - 2, box.bottom - box.peak, 4, box.peak);
    axis(ctx, box, [only], [0.5], x, 4);
    return box;
  }
  ctx.textBaseline = "middle";
  const outline = (row, ground) => {
    ctx.beginPath();
    ctx.moveTo(x(0), ground);
    row.forEach((value, b) => {
      const y = ground - (value / highest) * box.peak;
      if (steps.length === 1 || row.length < 24) {
        ctx.lineTo(x(at[b]), y);
        ctx.lineTo(x(at[b + 1]), y);
      } else ctx.lineTo(x((at[b] + at[b + 1]) / 2), y);
    });
    ctx.lineTo(x(1), ground);
    ctx.closePath();
  };
  steps.forEach((step, i) => {
    const ground = baseline(box, i, steps.length);
    const tone = steps.length > 1 ? 40 + Math.round((i / (steps.length - 1)) * 170) : 150;
    outline(density[i], ground);
    ctx.globalAlpha = active === null || active === i || steps.length === 1 ? 0.92 : 0.5;
    ctx.fillStyle = over ? colour("--series-1") : css(colours, tone);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.strokeStyle = active === i ? colour("--text") : colour("--surface");
    ctx.lineWidth = active === i ? 1.75 : 0.75;
    ctx.stroke();
  });
  if (over) {
    outline(dense(over), box.bottom);
    ctx.strokeStyle = colour("--series-2");
    ctx.lineWidth = 2;
    ctx.stroke();
  }
  // Steps on the right, as many as have room.
  if (steps.length > 1) {
    ctx.textAlign = "left";
    const every = Math.max(1, Math.ceil((14 * (steps.length - 1)) / (box.bottom - box.top)));
    steps.forEach((step, i) => {
      if (i === active || (i % every === 0 && (active === null || Math.abs(i - active) >= every))) {
        ctx.fillStyle = colour(i === active ? "--text" : "--chart-text");
        ctx.fillText(format.count(step), box.right + 8, baseline(box, i, steps.length));
      }
    });
  }
  axis(ctx, box, edges, at, x);
  return box;
}

// axis writes values below: of edges that are far enough from each other.
function axis(ctx, box, edges, at, x, digits = 2) {
  ctx.fillStyle = colour("--chart-text");
  ctx.strokeStyle = colour("--chart-axis");
  ctx.lineWidth = 1;
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  ctx.beginPath();
  ctx.moveTo(x(0), box.bottom + 0.5);
  ctx.lineTo(x(1), box.bottom + 0.5);
  ctx.stroke();
  let end = -Infinity;
  for (let i = 0; i < edges.length; i++) {
    const text = format.number(edges[i], digits);
    const half = ctx.measureText(text).width / 2;
    const place = Math.min(Math.max(x(at[i]), half), box.right + 10 - half);
    if (place - half < end + 22) continue;
    ctx.fillText(text, place, box.bottom + 6);
    end = place + half;
  }
}
