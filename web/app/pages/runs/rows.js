// The rows of the list: read page by page, then kept up to date by the stream. They are kept while other pages are shown.
import { signal, useLayoutEffect } from "../../vendor/preact.js";
import { get } from "../../core/api.js";
import { nextFrame } from "../../core/tick.js";
import { useEvents } from "../../core/use.js";

const known = new Map();

// list is {rows (newest first), building, complete, error, read: when the first rows were there}.
export const list = signal({ rows: [], building: null, complete: false, error: null, read: false });

const first = 60; // rows: more than a screen shows
const seldom = 300; // milliseconds between two looks at values that come page by page

let reading = null;
let again = 0;

// ready makes a row ready to be searched; what was read of its details before stays while only the rest is new.
function ready(row, before) {
  if (before && row.values === undefined && row.parameters === undefined && before.started === row.started) row = { ...row, losses: before.losses, values: before.values, parameters: before.parameters };
  row.came = Date.now();
  row.searched = [row.name, row.title ?? "", row.note ?? "", ...Object.entries(row.tags ?? {}).map(([key, value]) => (value ? `${key}=${value}` : key))];
  return row;
}

function publish(more = {}) {
  const rows = [...known.values()].sort((a, b) => (a.started < b.started ? 1 : a.started > b.started ? -1 : a.name < b.name ? -1 : 1));
  list.value = { ...list.peek(), ...more, rows };
}

// read reads the list: the newest runs whole, so that they are on the screen at once, then all runs without their values, then the values.
export function read() {
  reading?.abort();
  clearTimeout(again);
  const control = (reading = new AbortController());
  pages(control.signal).catch((error) => {
    if (error.name !== "AbortError") list.value = { ...list.peek(), error };
  });
}

async function pages(signal) {
  const seen = new Set();
  let published = -Infinity;
  const page = async (query) => {
    const answer = await get("runs", query, { signal });
    for (const row of answer.runs) {
      seen.add(row.name);
      known.set(row.name, ready(row, known.get(row.name)));
    }
    if (query.fields === "full" && performance.now() - published < seldom) return answer;
    publish({ building: answer.building ?? null, read: true, error: null });
    published = performance.now();
    return answer;
  };
  let answer = await page({ fields: "full", limit: first });
  if (answer.next) {
    const after = answer.next;
    for (let cursor = after; cursor; cursor = answer.next) answer = await page({ fields: "basic", limit: 10000, cursor });
    leave(seen);
    for (let cursor = after; cursor; cursor = answer.next) answer = await page({ fields: "full", limit: 500, cursor });
  }
  leave(seen);
  publish({ complete: true });
  if (answer.building) again = setTimeout(read, 2000);
}

// leave forgets the runs that are in no page: they are gone.
function leave(seen) {
  for (const name of known.keys()) if (!seen.has(name)) known.delete(name);
}

// change replaces a row's members at once; the stream brings what the server made of it.
export function change(name, members) {
  const row = known.get(name);
  if (row) known.set(name, ready({ ...row, ...members }));
  publish();
}

export function forgetRun(name) {
  known.delete(name);
  publish();
}

// useRows keeps the list up to date while the page is shown.
export function useRows() {
  useLayoutEffect(() => {
    read();
    return () => {
      reading?.abort();
      clearTimeout(again);
    };
  }, []);
  useEvents(null, {
    runs: (event) => {
      for (const row of event.rows ?? []) known.set(row.name, ready(row, known.get(row.name)));
      for (const name of event.gone ?? []) known.delete(name);
      nextFrame(publish);
    },
    reset: read,
  });
  return list.value;
}
