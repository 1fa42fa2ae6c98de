// Painting a flame graph: roots at the top, a frame as wide as its samples.
import { css, difference } from "../../core/ramp.js";
import { colour } from "../../core/theme.js";
import { kind } from "./tree.js";

export const rowHeight = 19;

export function paintFlame(canvas, { width, tree, placed, matches, active, mono }) {
  const ratio = devicePixelRatio || 1;
  const levels = placed.reduce((most, one) => Math.max(most, one.level + 1), 1);
  const height = levels * rowHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.setProperty("height", `${height}px`);
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.font = `11px ${mono}`;
  ctx.textBaseline = "middle";
  const letter = ctx.measureText("m").width;
  const differences = tree.before ? difference() : null;
  for (const { i, from, to, level, above } of placed) {
    const left = from * width;
    const wide = (to - from) * width;
    const top = level * rowHeight;
    ctx.globalAlpha = above ? 0.55 : matches && !matches[i] ? 0.35 : 1;
    const shade = differences ? tone(tree, i) : 0;
    ctx.fillStyle = differences ? css(differences, shade) : matches?.[i] ? colour("--flame-found") : colour(`--flame-${kind(tree, i)}`);
    ctx.fillRect(left, top, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), rowHeight - 1);
    const room = Math.floor((wide - 8) / letter);
    if (room >= 3) {
      const name = tree.name[i];
      ctx.fillStyle = colour(differences && dark(differences, shade) ? "--flame-text-light" : "--flame-text");
      ctx.fillText(name.length > room ? `${name.slice(0, room - 1)}\u2026` : name, left + 4, top + rowHeight / 2);
    }
    ctx.globalAlpha = 1;
    if (i === active) {
      ctx.strokeStyle = colour("--text");
      ctx.lineWidth = 2;
      ctx.strokeRect(left + 1, top + 1, Math.max(1, wide - 3), rowHeight - 3);
    }
  }
  return height;
}

// tone: how much the share of a frame grew or shrank against the other window, as a place in the ramp of differences.
function tone(tree, i) {
  const other = tree.before[i];
  const change = (tree.total[i] - other) / Math.max(tree.total[i], other, 1e-12);
  return Math.round(127.5 + change * 127.5);
}

// dark says whether light text is read better on a colour.
const dark = (colours, i) => 0.299 * colours[i * 3] + 0.587 * colours[i * 3 + 1] + 0.114 * colours[i * 3 + 2] < 128;
