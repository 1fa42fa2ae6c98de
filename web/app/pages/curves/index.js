// The page Curves: every scalar and statistic of a run, or of several runs over
// each other.

import { html, signal, useCallback, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { get } from "../../core/api.js";
import { useCommands } from "../../core/commands.js";
import { useKeys } from "../../core/keys.js";
import { toast } from "../../core/toast.js";
import { Empty, Failed, Loading } from "../../parts/empty.js";
import { Icon } from "../../parts/icon.js";
import { Key } from "../../parts/chart/key.js";
import * as format from "../../core/format.js";
import { Bar } from "./bar.js";
import { Card } from "./card.js";
import { alike, catalogue, searched, withStatistics } from "./catalogue.js";
import { Choose } from "./choose.js";
import { Compose } from "./compose.js";
import { useCurves, useRows, useSet, useTensorStatistics } from "./data.js";
import { Group, whole } from "./grid.js";
import { pageKeys } from "./keys.js";
import { Growth } from "./live.js";
import { Loader } from "./loader.js";
import { read as readOwn } from "./own.js";
import { ownChart } from "./parts.js";
import { asBefore, looks } from "./runs.js";
import { Shared, Watched } from "./shared.js";
import { changed, joined, namesOf, read } from "./settings.js";
import { Side } from "./side.js";
import { useLive, useLiveRuns } from "./use-live.js";

const none = [];

export function Page({ run, route }) {
  const listed = namesOf(route, "runs");
  const names = useStable(run ? [run.name] : listed);
  const single = names.length === 1;
  const settings = read(route);
  const kept = useMemo(() => ({ loader: new Loader(get), growth: single && run ? new Growth() : null, shared: new Shared(), watched: new Watched(), tick: signal(0) }), [names, settings.axis]);
  const [turn, setTurn] = useState(0);
  const [dialog, setDialog] = useState(null);
  const [needStatistics, setNeed] = useState(settings.statistics.length > 0);
  const field = useRef(null);

  const curves = useCurves(names, settings.picked);
  const rows = useRows(names, run?.row);
  const { ui, pinned, pin } = useSet(run ? run.name : "*");
  const statistics = useTensorStatistics(names, needStatistics);
  kept.shared.log = settings.logY;

  const before = useRef({});
  const all = useMemo(() => {
    const next = catalogue(curves.answers);
    if (!before.current.all || !alike(before.current.all, next)) before.current.all = next;
    return before.current.all;
  }, [curves.answers]);
  const given = useMemo(() => withStatistics(all, statistics?.tensors ?? new Map(), settings.statistics), [all, statistics, settings.statistics.join(",")]);
  const found = useMemo(() => searched(given, settings.search), [given, settings.search]);
  const runs = useMemo(() => (before.current.runs = asBefore(before.current.runs, looks(names, rows, { ui, settings }))), [names, rows, ui, settings.group, [...settings.hidden].join("\n")]);
  const own = useMemo(() => settings.own.map(readOwn).filter(Boolean).map((o) => ownChart(o, given)).filter(Boolean), [settings.own.join("\n"), given]);
  const pins = useMemo(() => pinned.map(readOwn).filter(Boolean).map((o) => ownChart(o, given)).filter(Boolean), [pinned.join("\n"), given]);

  const refresh = useCallback(() => {
    for (const name of names) kept.loader.forget(name);
    setTurn((n) => n + 1);
  }, [names, kept]);
  const grew = useCallback((list) => {
    for (const s of list) kept.loader.forget(names[0], s);
    kept.growth?.grew(list);
    kept.tick.value++;
  }, [names, kept]);
  useLive({ run, watched: kept.watched, loader: kept.loader, refresh, grew, found: () => curves.reload(names[0]), empty: !all.charts.length });
  useLiveRuns({ names, refresh, when: !run && [...rows.values()].some((row) => row.status === "running") });

  // Findings stand on the curves of one run, and of the one that was picked.
  const about = single ? names[0] : settings.picked;
  const marked = curves.answers.find((a) => a.run === about) ?? null;
  const started = (run?.describe.run ?? rows.get(about))?.started ?? null;
  const epochs = !curves.answers.length || curves.answers.some((a) => a.epochs?.length);
  const set = (changes) => route.set(changed(changes));
  const latest = useRef(null);
  const page = {
    run, runs, route, settings, set, turn, marked, started, refresh, pinned, given, epochs,
    loader: kept.loader, growth: kept.growth, tick: kept.growth ? kept.tick : null, shared: kept.shared,
    watched: kept.watched,
    // gone is called when the last chart of a series is: while it is not seen, nothing says that it grows.
    gone: (s) => {
      if (!latest.current.run?.live) return;
      kept.growth?.forget(s);
      kept.loader.forget(run.name, s);
    },
    pick: (name) => name && !single ? set({ picked: name === settings.picked ? "" : name }) : name || set({ picked: "" }),
    enlarge: (key) => route.push(changed({ large: key })),
    openFinding: (id) => route.go(`/runs/${encodeURIComponent(about)}/findings`, { finding: id }),
    pin: (key, yes, instead) => pin(key, yes, instead).catch((error) => toast(error.message, { kind: "error" })),
    compose: (which) => setDialog({ compose: which }),
    compare: () => setDialog({ compare: true }),
    without: (name) => route.set({ runs: joined(names.filter((n) => n !== name)) }),
    removeOwn(key) {
      if (pinned.includes(key)) this.pin(key, false);
      set({ own: settings.own.filter((o) => o !== key), large: settings.large === key ? "" : settings.large });
    },
  };
  useKeys("Curves", pageKeys(page, field));
  latest.current = page;
  useCommands(() => [
    { group: "Curves", title: "Add a chart of an expression or a pattern", keys: "e", run: () => latest.current.compose(null) },
    { group: "Curves", title: "Compare with other runs", run: () => latest.current.compare() },
    { group: "Curves", title: "One range for all charts", keys: "r", run: () => latest.current.set({ oneRange: !latest.current.settings.oneRange }) },
  ]);

  const added = (key, before) => {
    setDialog(null);
    if (before && pinned.includes(before)) page.pin(key, true, before);
    set({ own: [...settings.own.filter((o) => o !== before && o !== key), key], ...(settings.large === before ? { large: key } : {}) });
  };
  const compared = (next) => {
    setDialog(null);
    if (run) route.go("/curves", { ...route.query, runs: joined(next) });
    else route.push({ runs: joined(next) });
  };
  const dialogs = html`${dialog?.compose !== undefined && html`<${Compose} own=${dialog.compose} given=${given} close=${() => setDialog(null)} done=${(key) => added(key, dialog.compose?.key)} />`}
    ${dialog?.compare && html`<${Choose} names=${names} close=${() => setDialog(null)} done=${compared} />`}`;

  if (!names.length) {
    return html`<h1>Curves</h1><${Empty} icon="search">Choose the runs whose curves lie over each other. <button type="button" class="button" onClick=${page.compare}>Choose runs</button><//>${dialogs}`;
  }
  const large = settings.large && [...own, ...pins].find((c) => c.key === settings.large || c.of === settings.large);
  const one = large || (settings.large && (given.byKey.has(settings.large) ? whole(given.byKey.get(settings.large)) : ownChart(readOwn(`s:${settings.large}`), given)));
  return html`<div class=${`cv ${single && run ? "" : "several"}`}>
    <header class="line cv-head"><h1>Curves</h1><output class="small quiet n">${run ? "" : `${format.several(names.length, "run")}, `}${counted(found, given, settings)}</output><${Key} modes=${single ? given.charts.flatMap((c) => c.asks.map((a) => a.mode)) : none} kinds=${marked ? [...(marked.marks.length ? ["finding"] : none), ...(marked.checkpoints.length ? ["checkpoint"] : none)] : none} /><span class="grow"></span>
      ${run && html`<button type="button" class="button" onClick=${page.compare}>Compare</button>`}
      <button type="button" class="button" onClick=${() => page.compose(null)}><${Icon} name="plus" size=${14} />Chart</button></header>
    <${Bar} page=${page} found=${found} field=${field} statistics=${statistics?.statistics} needStatistics=${() => setNeed(true)} />
    ${!run && html`<${Side} page=${page} latest=${latest} rows=${rows} errors=${curves.errors} />`}
    <div class="cv-main"><div class="cv-charts">${one ? html`<${Large} chart=${one} page=${page} />` : html`<${Charts} page=${page} curves=${curves} found=${found} own=${own} pins=${pins} names=${names} />`}</div></div>
    ${dialogs}
  </div>`;
}

const counted = (found, given, settings) => (settings.search ? `${format.count(found.count)} of ${format.several(given.charts.length, "chart")}` : format.several(given.charts.length, "chart"));

const Large = ({ chart, page }) => html`<p><button type="button" class="button small" onClick=${() => page.enlarge("")}>← All charts</button></p><${Card} key=${chart.key} chart=${chart} page=${page} large />`;

function Charts({ page, curves, found, own, pins, names }) {
  const { settings } = page;
  if (!curves.answers.length) {
    if (curves.waiting) return html`<${Loading}>Reading the curves<//>`;
    if (curves.errors.length) return html`<${Failed} what="The curves could not be read." error=${curves.errors[0].error} again=${() => names.forEach(curves.reload)} />`;
  }
  const free = own.filter((c) => !pins.some((p) => p.key === c.key));
  const none = !curves.waiting && !found.groups.length;
  return html`
    ${pins.length > 0 && html`<${Group} name="pinned" title="Pinned" charts=${pins} page=${page} whole />`}
    ${free.length > 0 && html`<${Group} name="own" title="Your charts" charts=${free} page=${page} whole />`}
    ${found.error && html`<p class="cv-fault" role="alert">${found.error}</p>`}
    ${none && !found.error && (settings.search
      ? html`<${Empty} icon="search" compact>No curve has “${settings.search}” in its name.<//>`
      : page.run?.live ? html`<${Empty} icon="running">No step has been captured yet. The curves appear by themselves.<//>`
      : html`<${Empty} command="vigil run -- python train.py">This run has no curves: nothing that changes over steps was captured.<//>`)}
    ${found.groups.map((g) => ({ ...g, charts: once(g.charts, pins) })).filter((g) => g.charts.length).map((g) => html`<${Group} key=${g.name} name=${g.name} title=${g.title} charts=${g.charts} page=${page} />`)}`;
}

// once leaves out the charts that stand among the pinned ones.
function once(charts, pins) {
  const there = new Set(pins.map((pin) => pin.of));
  return there.size ? charts.filter((chart) => !there.has(chart.key)) : charts;
}

// useStable gives the same list as long as it holds the same names.
function useStable(names) {
  return useMemo(() => names, [names.join("\n")]);
}
