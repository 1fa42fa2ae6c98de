// The charts that there are: one for each series of the runs, its modes together,
// in groups.

import { matcher } from "../../core/pattern.js";
import { chartKey, headed, read, title, written } from "./series.js";

const groupTitles = { losses: "Losses", metrics: "Metrics", training: "Training" };

// groupTitle is a group's heading: "collection weights" is called weights.
export const groupTitle = (name) => groupTitles[name] ?? name.replace(/^collection /, "");

// alike says whether two catalogues have the same charts of the same series.
export const alike = (a, b) => a.charts.length === b.charts.length && a.charts.every((c, i) => c.key === b.charts[i].key && c.group === b.charts[i].group && c.asks.length === b.charts[i].asks.length);

// catalogue brings the curves of several runs together: {charts, groups, known}. A
// chart is {key, title, lower, group, tensor, stat, asks: [{mode, s}], runs}; known
// finds a chart by its title. answers: [{run, curves}] of GET /curves.
export function catalogue(answers) {
  const charts = new Map();
  for (const { run, curves } of answers) {
    for (const curve of curves) {
      const asked = read(curve.series);
      const chart = charts.get(chartKey(asked)) ?? add(charts, asked, curve.group);
      chart.runs.add(run);
      chart.points += curve.points || 0;
      if (!chart.asks.some((a) => a.mode === asked.mode)) chart.asks.push({ mode: asked.mode, s: written(asked) });
    }
  }
  return arranged([...charts.values()]);
}

function add(charts, { tensor, stat }, group) {
  const name = title({ tensor, stat });
  const chart = { key: chartKey({ tensor, stat }), title: name, lower: name.toLowerCase(), group, tensor, stat, asks: [], runs: new Set(), points: 0 };
  charts.set(chart.key, chart);
  return chart;
}

const rank = (group) => ["losses", "metrics", "training"].indexOf(group) + 4 * !(group in groupTitles);

function arranged(charts) {
  const groups = new Map();
  for (const chart of charts) {
    if (!groups.has(chart.group)) groups.set(chart.group, []);
    groups.get(chart.group).push(chart);
  }
  const made = [...groups].map(([name, list]) => {
    const { stat, charts: shown } = headed(name, list);
    return { name, title: stat ? `${groupTitle(name)} · ${stat}` : groupTitle(name), charts: shown };
  });
  return {
    charts,
    groups: made.sort((a, b) => rank(a.name) - rank(b.name)),
    known: new Map(charts.map((c) => [c.title, c])),
    byKey: new Map(charts.map((c) => [c.key, c])),
  };
}

// withStatistics shows the chosen statistics of each tensor in place of the one
// that stands for it. tensors: name -> the statistics that it has.
export function withStatistics(given, tensors, statistics) {
  if (!statistics.length) return given;
  const charts = new Map();
  for (const chart of given.charts) {
    const has = chart.stat && tensors.get(chart.tensor);
    const some = has ? statistics.filter((s) => has.includes(s)) : [];
    if (!has) charts.set(chart.key, chart);
    for (const stat of some) {
      const made = add(charts, { tensor: chart.tensor, stat }, chart.group);
      made.runs = chart.runs;
      made.points = chart.points;
      made.asks = chart.asks.map(({ mode }) => ({ mode, s: written({ tensor: chart.tensor, stat, mode }) }));
    }
  }
  return arranged([...charts.values()]);
}

// searched are the groups with the charts that a text picks, those without any
// left out: {groups, count, error}.
export function searched(given, text) {
  const { test, error } = matcher(text);
  let count = 0;
  const groups = [];
  for (const group of given.groups) {
    const charts = text.trim() === "" ? group.charts : group.charts.filter((c) => test(c.title));
    count += charts.length;
    if (charts.length) groups.push({ ...group, charts });
  }
  return { groups, count, error };
}
