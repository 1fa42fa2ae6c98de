// The rows of the list: of each run the columns that are wanted, read page by page, then kept up to date by the stream. They are kept while other pages are shown.
import { signal, useLayoutEffect } from "../../vendor/preact.js";
import { get } from "../../core/api.js";
import { nextFrame } from "../../core/tick.js";
import { useEvents } from "../../core/use.js";
import { parcels, take } from "./received.js";

const known = new Map();
const noNames = () => ({ values: new Set(), less: new Set(), parameters: new Set() });

// list is {rows (newest first), has: the columns that all rows have, names: {values, less, parameters} that some run has, building, complete, error, read: when the first rows were there}.
export const list = signal({ rows: [], has: new Set(), names: noNames(), building: null, complete: false, error: null, read: false });

const first = 60; // rows: more than a screen shows
const most = 10000; // rows of one answer
const together = 50; // runs that are named in one address
// What is shown of every run, or searched by a text alone.
const base = ["title", "status", "started", "tags", "note", "archived", "damaged", "progress", "findings", "verdict"];

let wanted = [];
let reading = null;
let again = 0;
let open = false;
const changed = new Set();
let refreshing = false;

function publish(more = {}) {
  const rows = [...known.values()].sort((a, b) => (a.started < b.started ? 1 : a.started > b.started ? -1 : a.name < b.name ? -1 : 1));
  list.value = { ...list.peek(), ...more, rows };
}

// ask reads columns of some runs and puts them into the rows. Names are added to names.
async function ask(query, columns, names, signal) {
  const answers = await Promise.all(parcels(columns).map((c, i) => get("table", { ...query, c, names: i ? null : true }, { columns: true, signal })));
  for (const answer of answers) take(answer, known);
  for (const kind in names) for (const name of answers[0].names?.[kind] ?? []) names[kind].add(name);
  return answers[0];
}

// begin does what reads, one at a time. What fails is said, and read again on demand.
function begin(work) {
  reading?.abort();
  clearTimeout(again);
  const control = (reading = new AbortController());
  work(control.signal).then(
    () => { if (reading === control) reading = null; },
    (error) => {
      if (reading === control) reading = null;
      if (error.name !== "AbortError") list.value = { ...list.peek(), error };
    },
  ).then(() => { if (!list.peek().error) more(); });
}

// read reads the list: the newest runs first, so that they are on the screen at once, then all others.
export const read = () => begin(async (signal) => {
  const columns = [...base, ...wanted];
  const seen = new Set();
  const names = noNames();
  let answer = null;
  do {
    // A course of the loss is asked for when its row is seen.
    answer = await ask({ limit: answer ? most : first, cursor: answer?.next }, answer ? columns.filter((id) => id !== "losses") : columns, names, signal);
    for (const name of answer.runs) seen.add(name);
    publish({ has: new Set(columns), names: joined(list.peek().names, names), building: answer.building ?? null, read: true, error: null });
  } while (answer.next);
  for (const name of known.keys()) if (!seen.has(name)) known.delete(name);
  publish({ complete: true, names });
  if (answer.building) again = setTimeout(read, 2000);
});

const joined = (a, b) => Object.fromEntries(Object.keys(a).map((kind) => [kind, new Set([...a[kind], ...b[kind]])]));

// more reads the columns that are wanted and not there.
function more() {
  const { has, names } = list.peek();
  const missing = wanted.filter((id) => !has.has(id));
  if (!open || reading || !missing.length) return;
  const columns = missing.filter((id) => id !== "losses");
  const next = joined(names, noNames());
  begin(async (signal) => {
    let cursor = columns.length ? "" : null;
    while (cursor !== null) cursor = (await ask({ limit: most, cursor }, columns, next, signal)).next || null;
    publish({ has: new Set([...list.peek().has, ...missing]), names: next, error: null });
  });
}

// refresh reads what the stream does not bring of runs that changed.
async function refresh() {
  if (refreshing || !open || !changed.size || list.peek().building) return;
  refreshing = true;
  const run = [...changed].slice(0, together);
  for (const name of run) changed.delete(name);
  const names = joined(list.peek().names, noNames());
  try {
    await ask({ run }, wanted.filter((id) => id !== "losses"), names);
    publish({ names });
  } catch { /* the next change, or the next reading, brings it */ }
  refreshing = false;
  nextFrame(refresh);
}

// change replaces a row's members at once; the stream brings what the server made of it.
export function change(name, members) {
  if (known.has(name)) take({ runs: [name], cells: [], members: [members] }, known);
  publish();
}

export function forgetRun(name) {
  known.delete(name);
  publish();
}

// useRows keeps the list up to date while the page is shown. columns are those that it needs besides the base.
export function useRows(columns) {
  useLayoutEffect(() => {
    wanted = columns;
    more();
  }, [columns.join("\n")]);
  useLayoutEffect(() => {
    open = true;
    read();
    return () => {
      open = false;
      reading?.abort();
      reading = null;
      clearTimeout(again);
    };
  }, []);
  useEvents(null, {
    runs: (event) => {
      const rows = event.rows ?? [];
      take({ runs: rows.map((row) => row.name), cells: [], members: rows }, known);
      for (const row of rows) changed.add(row.name);
      for (const name of event.gone ?? []) known.delete(name);
      nextFrame(publishNow);
      refresh();
    },
    reset: read,
  });
  return list.value;
}

const publishNow = () => publish();
