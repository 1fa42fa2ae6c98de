// What a chart draws, made of what the server sent: series of parts/chart with
// their colours, smoothing, groups and expressions.

import { group as together } from "../../core/align.js";
import { evaluate } from "../../core/expression.js";
import { several } from "../../core/format.js";
import { smooth } from "../../core/smooth.js";
import { dash, dashes, seriesToken } from "../../core/theme.js";
import { modeColours } from "../../parts/chart/key.js";

const many = 30;

// lines are the series of one chart. parts: [{label, asks: [{mode, s, label}]}], or
// {label, tree, ask(name)} of an expression; runs: [{name, colour, dash, hidden,
// group}]; got(run, s): what the server sent, or null. What was there before smoothing
// lies behind.
export function lines({ parts, runs, got, settings }) {
  const out = [];
  const single = runs.length === 1;
  parts.forEach((part, p) => {
    const asks = part.tree ? [{ s: "", label: "" }] : part.asks;
    asks.forEach((ask, a) => {
      const place = parts.length > 1 ? p : single ? modeColours[ask.mode] ?? a : a;
      const made = [];
      for (const run of runs) {
        const line = part.tree ? computed(part, run, got) : drawn(got(run.name, ask.s));
        if (!line) continue;
        made.push({
          ...line,
          key: `${run.name} ${p} ${a}`,
          run: run.name,
          group: run.group,
          hidden: run.hidden,
          s: ask.s,
          label: labelled(single ? "" : run.name, parts.length > 1 || (single && asks.length === 1) ? part.label : "", asks.length > 1 ? ask.label : ""),
          colour: single ? seriesToken(place) : run.colour,
          dash: single ? dash(place) : place ? dashes[place % 4] : run.dash,
          width: runs.length > many ? 1 : 1.5,
          role: "curve",
        });
      }
      out.push(...(settings.group && !single ? grouped(made, ask, settings) : made.filter((l) => !l.hidden)));
    });
  });
  out.sort((a, b) => (a.role === "mean") - (b.role === "mean"));
  return settings.smoothing > 0 ? out.map((line) => ({ ...line, y: smooth(line.y, settings.smoothing), behind: line.role === "curve" ? line.y : null })) : out;
}

const labelled = (...parts) => parts.filter(Boolean).join(" · ");

function drawn(series) {
  if (!series || !series.x.length) return null;
  const { raw, points, unit, odd, x, mean } = series;
  const shared = { x, y: mean, odd: odd?.length ? odd : null, points, unit, raw };
  if (raw) return { ...shared, xLast: null, min: null, max: null };
  return { ...shared, xLast: series.x_last, min: series.min, max: series.max };
}

// computed is an expression over the series of one run. One that is not there
// leaves nothing to draw.
function computed(part, run, got) {
  const missing = new Error("missing");
  let points = 0;
  let raw = true;
  try {
    const value = evaluate(part.tree, (name) => {
      const series = got(run.name, part.ask(name));
      if (!series || !series.x.length) throw missing;
      points = Math.max(points, series.points);
      raw &&= series.raw;
      return { x: series.x, y: series.mean };
    });
    if (typeof value === "number" || !value.x.length) return null;
    return { x: value.x, y: value.y, xLast: null, min: null, max: null, odd: null, points, raw, computed: true, unit: "" };
  } catch (error) {
    if (error === missing) return null;
    throw error;
  }
}

// grouped adds mean and band of each group of runs. All runs of a group count,
// also those that are hidden.
function grouped(made, ask, settings) {
  const groups = new Map();
  for (const line of made) {
    if (!groups.has(line.group)) groups.set(line.group, []);
    groups.get(line.group).push(line);
  }
  const [singles, means] = [[], []];
  for (const [name, list] of groups) {
    const { x, mean, low, high } = together(list, settings.band);
    const { colour, dash, unit } = list[0];
    const band = settings.band !== "none" && list.length > 1;
    if (settings.singles) {
      for (const line of list) if (!line.hidden) singles.push({ ...line, width: 1, role: "single", faint: 0.25, min: null, max: null });
    }
    means.push({
      key: `group ${name} ${ask.s}`, run: "", group: name, s: ask.s, label: labelled(name, `mean of ${list.length}`, ask.label), colour, dash, unit,
      x, y: mean, xLast: null, min: band ? low : null, max: band ? high : null, odd: null, width: 2.25, role: "mean",
      points: list.reduce((sum, l) => sum + l.points, 0), raw: list.every((l) => l.raw),
    });
  }
  return [...singles, ...means];
}

// drawnText says what a chart draws: "431 points", "1.2 M points, minimum and
// maximum of 1,600 columns".
export function drawnText(list, { compact, count }) {
  const own = list.filter((l) => l.role !== "mean");
  const shown = own.length ? own : list.filter((l) => l.role === "mean");
  if (!shown.length) return "";
  const points = shown.reduce((sum, l) => sum + (l.points ?? l.x.length), 0);
  const text = several(points, "point", "points", points < 10_000 ? count : compact);
  const columned = shown.filter((l) => !l.raw);
  if (!columned.length) return text;
  const columns = Math.max(...columned.map((l) => l.x.length));
  const part = columned.some((l) => l.computed) ? "computed from the means" : "minimum and maximum";
  return `${text}, ${part} of ${several(columns, "column")}`;
}
