// Painting series on the canvas: lines, bands between minimum and maximum, bars, dots, values that are not finite.
import { colour, dash } from "../../core/theme.js";
import { after, middles, token } from "./values.js";

// scales are functions from values to pixels of the canvas, quick where an axis is linear.
export function scales(u) {
  const of = (key) => {
    const scale = u.scales[key];
    if (scale.distr && scale.distr !== 1) return (value) => u.valToPos(value, key, true);
    const from = u.valToPos(scale.min, key, true);
    const step = (u.valToPos(scale.max, key, true) - from) / (scale.max - scale.min);
    return (value) => from + (value - scale.min) * step;
  };
  return { x: of("x"), y: of("y") };
}

// paintSeries paints all that is shown; what is pointed at comes last and stronger, the rest steps back.
export function paintSeries(u, all, { hidden, strong }) {
  const { ctx, bbox } = u;
  const to = scales(u);
  const ratio = devicePixelRatio || 1;
  const positive = u.scales.y.distr === 3;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 3 * ratio, bbox.top - 3 * ratio, bbox.width + 6 * ratio, bbox.height + 6 * ratio);
  ctx.clip();
  const order = [...all.keys()].filter((i) => !hidden.has(all[i].label)).sort((a, b) => (a === strong) - (b === strong));
  for (const i of order) {
    const series = all[i];
    const fade = series.faint ? (series.faint === true ? 0.35 : series.faint) : strong >= 0 && i !== strong && all.length > 1 ? 0.3 : 1;
    const pen = { ctx, to, ratio, positive, token: token(series, i), fade, bbox, quick: order.length > many, from: u.scales.x.min, until: u.scales.x.max };
    const range = [Math.max(0, after(series.x, pen.from) - 1), Math.min(series.x.length, after(series.x, pen.until) + 1)];
    if (series.kind === "bars") bars(pen, series, range);
    else if (series.kind === "points") dots(pen, series, range, 3);
    else {
      if (series.min && series.max && series.band !== false) band(pen, series, range);
      ctx.lineWidth = (series.width ?? (i === strong ? 2.25 : 1.5)) * ratio;
      ctx.setLineDash((series.dash ?? dash(series.colour ?? i)).map((length) => length * ratio));
      if (series.behind) {
        const width = ctx.lineWidth;
        ctx.lineWidth = ratio;
        line({ ...pen, fade: fade * 0.35 }, { ...series, y: series.behind }, range);
        ctx.lineWidth = width;
      }
      line(pen, series, range);
      ctx.setLineDash([]);
      const room = bbox.width / ratio / Math.max(1, range[1] - range[0]);
      if (series.kind !== "line" && (room > 10 || range[1] - range[0] <= 1)) dots(pen, series, range, room > 24 ? 2.5 : 2);
    }
    if (series.odd) odd(pen, series, range);
  }
  ctx.restore();
}

const many = 12; // bands of more series are painted in the quickest way

const drawable = (value, positive) => Number.isFinite(value) && (!positive || value > 0);

// line draws y; where a column of pixels has more points than one, their lowest and highest are drawn.
function line({ ctx, to, ratio, positive, token, fade, bbox }, { x: first, xLast, y, kind }, [from, end]) {
  const x = middles(first, xLast);
  ctx.strokeStyle = colour(token, fade);
  ctx.lineJoin = "bevel";
  ctx.beginPath();
  if (end - from > bbox.width * 1.5) columns(ctx, to, positive, x, y, from, end);
  else points(ctx, to, positive, x, y, from, end, kind === "steps");
  ctx.lineWidth = Math.max(ctx.lineWidth, ratio * 0.75);
  ctx.stroke();
}

function points(ctx, to, positive, x, y, from, end, steps) {
  let open = false;
  for (let i = from; i < end; i++) {
    if (!drawable(y[i], positive)) {
      open = false;
      continue;
    }
    const px = to.x(x[i]);
    const py = to.y(y[i]);
    if (!open) ctx.moveTo(px, py);
    else {
      if (steps) ctx.lineTo(px, to.y(y[i - 1]));
      ctx.lineTo(px, py);
    }
    open = true;
  }
}

function columns(ctx, to, positive, x, y, from, end) {
  let at = NaN;
  let low = 0, high = 0, rising = false, open = false;
  const close = () => {
    if (Number.isNaN(at)) return;
    const first = rising ? high : low;
    if (open) ctx.lineTo(at, first);
    else ctx.moveTo(at, first);
    if (low !== high) ctx.lineTo(at, rising ? low : high);
    open = true;
  };
  for (let i = from; i < end; i++) {
    if (!drawable(y[i], positive)) {
      close();
      at = NaN;
      open = false;
      continue;
    }
    const px = Math.round(to.x(x[i]));
    const py = to.y(y[i]);
    if (px !== at) {
      close();
      at = px;
      low = high = py;
    } else if (py < low) {
      low = py;
      rising = true;
    } else if (py > high) {
      high = py;
      rising = false;
    }
  }
  close();
}

// band fills what lies between minimum and maximum of each column; a column is at least one pixel high, so no spike is lost.
function band(pen, series, range) {
  if (pen.quick) return quickBand(pen, series, range);
  const { ctx, to, ratio, positive, token, fade } = pen;
  const { xLast, min, max } = series;
  const [from, end] = range;
  const x = middles(series.x, xLast);
  ctx.fillStyle = colour(token, 0.22 * fade);
  ctx.strokeStyle = colour(token, 0.4 * fade);
  ctx.lineWidth = ratio * 0.75;
  for (let i = from; i < end; ) {
    if (!drawable(max[i], positive)) {
      i++;
      continue;
    }
    const start = i;
    ctx.beginPath();
    for (; i < end && drawable(max[i], positive); i++) ctx.lineTo(to.x(x[i]), to.y(max[i]) - ratio / 2);
    for (let j = i - 1; j >= start; j--) ctx.lineTo(to.x(x[j]), to.y(positive && min[j] <= 0 ? max[j] : min[j]) + ratio / 2);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
  }
}

// quickBand fills a rectangle for each column: several times quicker than one shape.
function quickBand({ ctx, to, ratio, positive, token, fade }, { x, xLast, min, max }, [from, end]) {
  ctx.fillStyle = colour(token, 0.16 * fade);
  for (let i = from; i < end; i++) {
    if (!drawable(max[i], positive)) continue;
    const left = Math.round(to.x(x[i]));
    const right = Math.round(to.x(i + 1 < x.length ? x[i + 1] : xLast ? xLast[i] : x[i]));
    const top = to.y(max[i]);
    ctx.fillRect(left, top, Math.max(ratio, right - left), Math.max(ratio, to.y(positive && min[i] <= 0 ? max[i] : min[i]) - top));
  }
}

function bars({ ctx, to, ratio, positive, token, fade, bbox }, { x, y, base, xLast }, [from, end]) {
  ctx.fillStyle = colour(token, fade);
  const ground = bbox.top + bbox.height;
  for (let i = from; i < end; i++) {
    if (!drawable(y[i], positive)) continue;
    const left = to.x(x[i]);
    const right = xLast ? to.x(xLast[i]) : i + 1 < x.length ? to.x(x[i + 1]) : i > 0 ? 2 * left - to.x(x[i - 1]) : left + 12 * ratio;
    const gap = right - left > 6 * ratio ? ratio : 0;
    const foot = base ? to.y(base[i]) : positive ? ground : Math.min(ground, Math.max(bbox.top, to.y(0)));
    const top = to.y(y[i]);
    ctx.fillRect(left, Math.min(top, foot), Math.max(ratio, right - left - gap), Math.max(Math.abs(foot - top), y[i] === (base ? base[i] : 0) ? 0 : ratio));
  }
}

function dots({ ctx, to, ratio, positive, token, fade }, { x: first, xLast, y }, [from, end], size) {
  const x = middles(first, xLast);
  ctx.fillStyle = colour(token, fade);
  ctx.beginPath();
  for (let i = from; i < end; i++) {
    if (!drawable(y[i], positive)) continue;
    const px = to.x(x[i]);
    const py = to.y(y[i]);
    ctx.moveTo(px + size * ratio, py);
    ctx.arc(px, py, size * ratio, 0, 7);
  }
  ctx.fill();
}

// odd marks columns with values that are not finite: a small cross at the upper edge.
function odd({ ctx, to, ratio, bbox }, { x, odd }, [from, end]) {
  ctx.strokeStyle = colour("--odd");
  ctx.lineWidth = 1.5 * ratio;
  ctx.beginPath();
  let last = -Infinity;
  const size = 3 * ratio;
  const y = bbox.top + size + ratio;
  for (let i = from; i < end; i++) {
    const px = to.x(x[i]);
    if (!odd[i] || px - last < size * 2) continue;
    last = px;
    ctx.moveTo(px - size, y - size);
    ctx.lineTo(px + size, y + size);
    ctx.moveTo(px + size, y - size);
    ctx.lineTo(px - size, y + size);
  }
  ctx.stroke();
}
