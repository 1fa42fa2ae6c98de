// A chart as a file: PNG as it is seen, SVG of its lines, CSV of its values.
import { colour } from "../../core/theme.js";
import { after, figures, token } from "./values.js";

// save gives the reader a file.
export function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 120);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function png(u, title) {
  const ratio = devicePixelRatio || 1;
  const source = u.ctx.canvas;
  const canvas = document.createElement("canvas");
  const head = 28 * ratio;
  canvas.width = source.width;
  canvas.height = source.height + head;
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = colour("--surface");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.fillStyle = colour("--text");
  ctx.font = `600 ${13 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textBaseline = "middle";
  ctx.fillText(title, 12 * ratio, head / 2 + 2 * ratio);
  ctx.drawImage(source, 0, head);
  canvas.toBlob((blob) => save(`${title}.png`, blob), "image/png");
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

// svg draws the same axes and series as lines that other programs can edit.
export function svg(u, title, all) {
  const { left, top, width, height } = u.over.getBoundingClientRect();
  const outer = u.root.getBoundingClientRect();
  const dx = left - outer.left;
  const dy = top - outer.top + 24;
  const x = (value) => dx + u.valToPos(value, "x");
  const y = (value) => dy + u.valToPos(value, "y");
  const one = (value) => value.toFixed(2);
  const parts = [`<rect width="100%" height="100%" fill="${colour("--surface")}"/>`, `<text x="12" y="18" font-size="13" font-weight="600" fill="${colour("--text")}">${escaped(title)}</text>`];
  for (const [i, axis] of u.axes.entries()) {
    const texts = axis._values ?? [];
    (axis._splits ?? []).forEach((value, k) => {
      if (texts[k] === "" || texts[k] === null || texts[k] === undefined) return;
      if (i === 0) parts.push(`<text x="${one(x(value))}" y="${one(dy + height + 18)}" text-anchor="middle" font-size="11" fill="${colour("--chart-text")}">${escaped(texts[k])}</text>`);
      else parts.push(`<line x1="${one(dx)}" x2="${one(dx + width)}" y1="${one(y(value))}" y2="${one(y(value))}" stroke="${colour("--chart-grid")}"/><text x="${one(dx - 6)}" y="${one(y(value) + 4)}" text-anchor="end" font-size="11" fill="${colour("--chart-text")}">${escaped(texts[k])}</text>`);
    });
  }
  parts.push(`<line x1="${one(dx)}" x2="${one(dx + width)}" y1="${one(dy + height)}" y2="${one(dy + height)}" stroke="${colour("--chart-axis")}"/><clipPath id="c"><rect x="${one(dx)}" y="${one(dy)}" width="${one(width)}" height="${one(height)}"/></clipPath><g clip-path="url(#c)" fill="none" stroke-linejoin="round">`);
  all.forEach((series, i) => {
    const from = Math.max(0, after(series.x, u.scales.x.min) - 1);
    const end = Math.min(series.x.length, after(series.x, u.scales.x.max) + 1);
    const positive = u.scales.y.distr === 3;
    const fine = (value) => Number.isFinite(value) && (!positive || value > 0);
    const paint = colour(token(series, i));
    if (series.min && series.max) {
      const there = [], back = [];
      for (let k = from; k < end; k++) if (fine(series.min[k]) && fine(series.max[k])) { there.push(`${one(x(series.x[k]))},${one(y(series.max[k]))}`); back.unshift(`${one(x(series.x[k]))},${one(y(series.min[k]))}`); }
      parts.push(`<polygon points="${[...there, ...back].join(" ")}" fill="${paint}" fill-opacity="0.22"/>`);
    }
    const path = (values) => {
      let d = "", open = false;
      for (let k = from; k < end; k++) {
        if (!fine(values[k])) { open = false; continue; }
        d += `${open ? "L" : "M"}${one(x(series.x[k]))} ${one(y(values[k]))}`;
        open = true;
      }
      return d;
    };
    if (series.behind) parts.push(`<path d="${path(series.behind)}" stroke="${paint}" stroke-width="1" stroke-opacity="0.3"><title>${escaped(series.label)}, before smoothing</title></path>`);
    parts.push(`<path d="${path(series.y)}" stroke="${paint}" stroke-width="1.5"><title>${escaped(series.label)}</title></path>`);
  });
  save(`${title}.svg`, `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(outer.width)}" height="${Math.ceil(outer.height + 24)}" font-family="system-ui, sans-serif">${parts.join("")}</g></svg>`, "image/svg+xml");
}

// A name is text: quoted where it must be, and never a formula to a spreadsheet.
const cell = (text) => {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : String(text);
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};

// csv has a line per point and series: long form, which every tool reads.
export function csv(title, all, kind) {
  const smoothed = all.some((series) => series.behind);
  const lines = [`series,${kind || "x"},mean,min,max${smoothed ? ",smoothed" : ""}`];
  for (const one of all) {
    const { label, x, y, min, max } = one;
    const mean = one.behind ?? figures(one);
    for (let i = 0; i < x.length; i++) lines.push(`${cell(label)},${x[i]},${mean[i]},${min ? min[i] : mean[i]},${max ? max[i] : mean[i]}${smoothed ? `,${y[i]}` : ""}`);
  }
  save(`${title}.csv`, `${lines.join("\n")}\n`, "text/csv");
}
