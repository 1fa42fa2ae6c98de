// What a chart is made of: the series of a grid's chart, an expression, or all
// series that a pattern picks.

import { matcher } from "../../core/pattern.js";
import { names, parse } from "../../core/expression.js";
import { modeWord } from "../../core/statistics.js";
import { chartKey, found, read, title, written } from "./series.js";

export const mostPicked = 40;

// The modes of a chart, training first.
const order = ["TRAIN", "EVAL", "PREDICT", "GLOBAL"];
const place = ({ mode }) => (order.indexOf(mode) + order.length + 1) % (order.length + 1);

const asked = (chart) => [...chart.asks].sort((a, b) => place(a) - place(b)).map(({ mode, s }) => ({ mode, s, label: modeWord(mode) }));

// ofChart are the parts of a chart of the grid.
export const ofChart = (chart) => ({ parts: [{ label: chart.title, asks: asked(chart) }], error: null, subjects: [chart.tensor] });

// ofExpression are those of an expression: {parts, error: {message, from, to}}.
export function ofExpression(text, given) {
  try {
    const tree = parse(text);
    const series = new Map();
    for (const { name, from, to } of names(tree)) {
      const chart = found(name, given.known);
      if (!chart) throw Object.assign(new Error(unknown(name, given)), { from, to });
      series.set(name, written({ tensor: chart.tensor, stat: chart.stat, mode: chart.mode || asked(chart)[0].mode, worker: chart.worker }));
    }
    if (!series.size) throw Object.assign(new Error("No series occurs in it, so there is nothing to draw."), { from: 0, to: text.length });
    return { parts: [{ label: text, tree, ask: (name) => series.get(name), needs: [...new Set(series.values())] }], error: null, subjects: [] };
  } catch (error) {
    return { parts: [], error: { message: error.message, from: error.from ?? 0, to: error.to ?? text.length }, subjects: [] };
  }
}

function unknown(name, given) {
  const lower = name.toLowerCase();
  const near = given.charts.filter((c) => c.lower.includes(lower)).slice(0, 3).map((c) => `“${c.title}”`);
  return `There is no series “${name}”.${near.length ? ` Is it ${near.join(" or ")}?` : ""}`;
}

// ofPattern are the charts that a pattern picks, in one.
export function ofPattern(text, given) {
  const { test, error } = matcher(text);
  if (error) return { parts: [], error: { message: error, from: 0, to: text.length }, subjects: [] };
  const picked = given.charts.filter((c) => test(c.title));
  if (!picked.length) return { parts: [], error: { message: "No series has such a name.", from: 0, to: text.length }, subjects: [] };
  const parts = picked.slice(0, mostPicked).map((c) => ({ label: c.title, asks: asked(c) }));
  const note = picked.length > mostPicked ? `The first ${mostPicked} of ${picked.length} series; a narrower pattern shows others.` : "";
  return { parts, error: null, note, subjects: picked.map((c) => c.tensor) };
}

// needs are all series that parts ask for.
export const needs = (parts) => [...new Set(parts.flatMap((p) => p.needs ?? p.asks.map((a) => a.s)))];

// ownChart makes a chart of what is in the address or among the pinned ones.
export function ownChart(own, given) {
  const of = own.kind === "expression" ? ofExpression(own.text, given) : own.kind === "pattern" ? ofPattern(own.text, given) : null;
  if (of) return { key: own.key, title: own.text, own, ...of };
  const chart = given.byKey.get(own.text) ?? statisticOf(own.text, given);
  return chart ? { ...chart, key: own.key, of: chart.key, own, ...ofChart(chart) } : null;
}

// statisticOf is a chart of a statistic that the grid does not show now.
function statisticOf(key, given) {
  const { tensor, stat } = read(key);
  const like = given.charts.find((c) => c.tensor === tensor && c.stat);
  if (!like || !stat) return null;
  return { ...like, key: chartKey({ tensor, stat }), title: title({ tensor, stat }), stat, asks: like.asks.map(({ mode }) => ({ mode, s: written({ tensor, stat, mode }) })) };
}
