// What the server's answer means for the page: rows, and axes for what they differ in.
import * as api from "../../core/api.js";
import { scale, withAbsent } from "./scales.js";

export const most = 12; // axes of parameters that are drawn side by side

// rowsOf are the runs with their values by parameter.
export function rowsOf(answer) {
  return answer.runs.map((run, i) => ({
    ...run,
    value: api.number(run.value),
    warnings: run.warnings ?? [],
    best: run.name === answer.best,
    of: Object.fromEntries(answer.parameters.map((one) => [one.name, one.values[i]])),
  }));
}

// axesOf has one axis for each parameter, and that of the metric at the end: its better end is the upper one.
export function axesOf(answer, rows) {
  const list = answer.parameters.slice(0, most).map((one) => ({ id: one.name, title: one.name, value: (row) => row.of[one.name], ...withAbsent(one.values, one.numbers) }));
  const metric = metricScale(rows);
  const turned = answer.better === "less";
  const at = (value) => (turned ? 1 - metric.at(value) : metric.at(value));
  list.push({ ...metric, id: "", title: answer.metric, value: (row) => (Number.isFinite(row.value) ? row.value : null), at, ticks: metric.ticks.map((tick) => ({ ...tick, at: turned ? 1 - tick.at : tick.at })) });
  return list;
}

// metricScale is the scale of the metric: of the runs that can be trusted where there are two; a value beyond it is at its edge.
export function metricScale(rows) {
  const finite = rows.filter((row) => Number.isFinite(row.value));
  const trusted = finite.filter((row) => !row.distrust.length);
  const of = scale((trusted.length > 1 ? trusted : finite).map((row) => row.value), true);
  return { ...of, at: (value) => Math.min(1, Math.max(0, of.at(value))) };
}

// Brushes are kept in the address: a part of an axis from 0 to 1, as NAME~0.25~0.5.
export function brushesOf(route) {
  const found = new Map();
  for (const text of route.all("b")) {
    const [, name, low, high] = text.match(/^(.*)~([\d.]+)~([\d.]+)$/s) ?? [];
    if (name !== undefined && Number(low) <= Number(high)) found.set(name, [Number(low), Number(high)]);
  }
  return found;
}

export const spelled = (brushes) => [...brushes].map(([name, [low, high]]) => `${name}~${low.toFixed(3)}~${high.toFixed(3)}`);

// placed reports whether a row has a place on an axis.
export const placed = (axis, row) => axis.absent || !(axis.value(row) === null || axis.value(row) === undefined);

// within reports whether a row lies in every brush.
export function within(row, axes, brushes) {
  for (const axis of axes) {
    const brush = brushes.get(axis.id);
    if (!brush) continue;
    if (!placed(axis, row)) return false;
    const at = axis.at(axis.value(row));
    if (at < brush[0] - 1e-6 || at > brush[1] + 1e-6) return false;
  }
  return true;
}

// kindOf says how a run is drawn.
export const kindOf = (row) => (row.best ? "best" : row.distrust.length ? "doubtful" : "plain");
