// What is marked on a chart: findings, checkpoints and epochs on the axis, thresholds across, regions behind.
import { colour } from "../../core/theme.js";
import { scales } from "./paint.js";

const tokens = { error: "--error", warning: "--warning", info: "--info", ok: "--ok", idle: "--idle" };
const tokenOf = (mark) => (mark.kind === "checkpoint" ? "--text-quiet" : mark.kind === "epoch" ? "--chart-axis" : tokens[mark.severity] ?? "--accent");

// paintBehind paints regions {from, to, severity, label} and lines {y, label, severity}.
export function paintBehind(u, regions = [], lines = []) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio || 1;
  const to = scales(u);
  ctx.save();
  clipTo(ctx, bbox);
  for (const region of regions) {
    const left = to.x(region.from);
    ctx.fillStyle = colour(region.token ?? tokens[region.severity] ?? "--idle", region.opacity ?? 0.1);
    ctx.fillRect(left, bbox.top, Math.max(ratio, to.x(region.to) - left), bbox.height);
  }
  for (const { y, label, severity } of lines) {
    const py = Math.round(to.y(y)) + ratio / 2;
    if (!(py >= bbox.top && py <= bbox.top + bbox.height)) continue;
    ctx.strokeStyle = ctx.fillStyle = colour(tokens[severity] ?? "--text-quiet");
    ctx.lineWidth = ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, py);
    ctx.lineTo(bbox.left + bbox.width, py);
    ctx.stroke();
    ctx.setLineDash([]);
    if (!label) continue;
    ctx.font = font(ratio);
    ctx.textAlign = "right";
    ctx.textBaseline = py - bbox.top > 16 * ratio ? "bottom" : "top";
    ctx.fillText(label, bbox.left + bbox.width - 4 * ratio, py - 2 * ratio);
  }
  ctx.restore();
}

// paintMarks paints the marks and gives where each was put, for the pointer: [{mark, left}] in CSS pixels.
export function paintMarks(u, marks) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio || 1;
  const to = scales(u);
  const placed = [];
  const taken = new Map();
  ctx.save();
  for (const mark of marks) {
    const px = to.x(mark.x);
    if (!(px >= bbox.left - ratio && px <= bbox.left + bbox.width + ratio)) continue;
    const token = tokenOf(mark);
    placed.push({ mark, left: (px - bbox.left) / ratio });
    // Of marks that would lie on each other one is painted.
    const last = taken.get(token);
    if (last !== undefined && px - last < 4 * ratio) continue;
    taken.set(token, px);
    ctx.strokeStyle = colour(token, mark.kind === "checkpoint" ? 0.35 : mark.kind === "epoch" ? 0.5 : 0.55);
    ctx.lineWidth = ratio;
    ctx.setLineDash(mark.kind === "epoch" ? [] : [2 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(Math.round(px) + ratio / 2, bbox.top);
    ctx.lineTo(Math.round(px) + ratio / 2, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    if (mark.kind !== "epoch") shape(ctx, mark, px, bbox.top + bbox.height, 4.5 * ratio, token);
  }
  ctx.restore();
  return placed;
}

// shape is the sign of a mark: octagon, triangle or dot by severity, an open diamond for a checkpoint.
function shape(ctx, mark, x, y, size, token) {
  ctx.beginPath();
  if (mark.kind === "checkpoint") polygon(ctx, x, y, size * 0.9, 4, 0);
  else if (mark.severity === "error") polygon(ctx, x, y, size * 1.1, 8, Math.PI / 8);
  else if (mark.severity === "warning") polygon(ctx, x, y, size * 1.25, 3, -Math.PI / 2);
  else ctx.arc(x, y, size * 0.9, 0, 7);
  ctx.fillStyle = colour(mark.kind === "checkpoint" ? "--surface" : token);
  ctx.fill();
  ctx.lineWidth = mark.kind === "checkpoint" ? 1.5 * (devicePixelRatio || 1) : devicePixelRatio || 1;
  ctx.strokeStyle = colour(mark.kind === "checkpoint" ? token : "--surface");
  ctx.stroke();
}

function polygon(ctx, x, y, radius, corners, turn) {
  for (let i = 0; i < corners; i++) {
    const angle = turn + (i * 2 * Math.PI) / corners;
    ctx.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  ctx.closePath();
}

function clipTo(ctx, bbox) {
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
}

export const font = (ratio = 1) => `${11 * ratio}px ${getComputedStyle(document.documentElement).getPropertyValue("--font")}`;
