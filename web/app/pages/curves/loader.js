// Asks the server for series: all that the charts want in one moment goes into as
// few requests as can be, what nobody wants any more is cancelled, and what was
// read is kept as long as there is room.

import { numbers } from "../../core/api.js";

const mostSeries = 64;
const mostLines = 512; // of one request for several runs: two that go on at once read runs together
const atOnce = 2; // more would all come late: what is seen first is asked for first
const mostKept = 8_000_000; // numbers

const columnsOf = ["x", "x_last", "min", "max", "mean", "last_value"];

// A Loader reads with get(path, query, options) of the API.
export class Loader {
  constructor(get) {
    this.get = get;
    this.wanted = new Map(); // key -> {run, s, view, listeners}, not yet asked
    this.kept = new Map(); // key -> series, oldest first
    this.size = 0;
    this.queue = [];
    this.running = new Set();
    this.inFlight = new Map(); // key -> the request's entry
    this.timer = 0;
    this.took = 0; // milliseconds of the last request
  }

  // want asks for a series of a run as a view shows it ({axis, from, to, columns})
  // and calls done(series) or done(null, error). The answer takes the wish back.
  want(run, s, view, done) {
    const key = JSON.stringify([run, s, view.axis, view.from, view.to, view.columns]);
    const kept = this.kept.get(key);
    if (kept) {
      this.kept.delete(key);
      this.kept.set(key, kept);
      done(kept, null);
      return () => {};
    }
    const entry = this.inFlight.get(key) ?? this.wanted.get(key) ?? { key, run, s, view, listeners: new Set() };
    entry.listeners.add(done);
    if (!this.inFlight.has(key)) this.wanted.set(key, entry);
    this.timer ||= setTimeout(() => this.flush(), 0);
    return () => this.unwant(entry, done);
  }

  unwant(entry, done) {
    entry.listeners.delete(done);
    if (entry.listeners.size) return;
    this.wanted.delete(entry.key);
    const request = this.inFlight.get(entry.key)?.request;
    if (!request || request.entries.some((e) => e.listeners.size)) return;
    request.control.abort();
    this.queue = this.queue.filter((r) => r !== request);
    for (const e of request.entries) this.inFlight.delete(e.key);
  }

  // forget drops what was read of a run, or of one series of it: it has grown.
  forget(run, s) {
    for (const [key, series] of this.kept) {
      const [ofRun, ofSeries] = JSON.parse(key);
      if (ofRun !== run || (s !== undefined && ofSeries !== s)) continue;
      this.kept.delete(key);
      this.size -= series.size;
    }
  }

  flush() {
    this.timer = 0;
    for (const request of requests([...this.wanted.values()])) {
      request.control = new AbortController();
      for (const entry of request.entries) {
        entry.request = request;
        this.inFlight.set(entry.key, entry);
      }
      this.queue.push(request);
    }
    this.wanted.clear();
    this.next();
  }

  next() {
    while (this.running.size < atOnce && this.queue.length) {
      const request = this.queue.shift();
      this.running.add(request);
      this.ask(request).finally(() => {
        this.running.delete(request);
        this.next();
      });
    }
  }

  async ask({ runs, series, view, entries, control }) {
    const several = runs.length > 1;
    const query = { s: series, from: view.from, to: view.to, columns: view.columns, axis: view.axis };
    const path = several ? "series/compare" : `runs/${encodeURIComponent(runs[0])}/series`;
    let answer = null;
    let failed = null;
    const began = performance.now();
    try {
      answer = await this.get(path, several ? { run: runs, ...query } : query, { columns: true, signal: control.signal });
    } catch (error) {
      if (error.name === "AbortError") return;
      failed = error;
    }
    this.took = performance.now() - began;
    for (const entry of entries) {
      this.inFlight.delete(entry.key);
      const [series_, error] = failed ? [null, failed] : found(answer, entry, several, series);
      if (series_) this.keep(entry.key, series_);
      for (const done of [...entry.listeners]) done(series_, error);
    }
  }

  keep(key, series) {
    series.size = columnsOf.reduce((sum, c) => sum + series[c].length, 10);
    this.kept.set(key, series);
    this.size += series.size;
    for (const [oldest, { size }] of this.kept) {
      if (this.size <= mostKept || oldest === key) break;
      this.kept.delete(oldest);
      this.size -= size;
    }
  }
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

function found(answer, entry, several, asked) {
  const of = several ? answer.runs.find((r) => r.run === entry.run) : answer;
  if (!of) return [null, new Error("No data came back for this run.")];
  if (of.error) return [null, new Error(sentence(of.error))];
  const one = of.series?.[asked.indexOf(entry.s)];
  if (!one) return [null, new Error("The server left this series out of its answer.")];
  if (one.error) return [null, new Error(sentence(one.error))];
  for (const c of columnsOf) one[c] = numbers(one[c]);
  return [one, null];
}

// requests puts what is wanted together: the same view and the same runs in one
// request, at most 64 series and 512 lines in each.
function requests(entries) {
  const views = new Map();
  for (const entry of entries) {
    const view = JSON.stringify(entry.view);
    if (!views.has(view)) views.set(view, new Map());
    const series = views.get(view);
    if (!series.has(entry.s)) series.set(entry.s, []);
    series.get(entry.s).push(entry);
  }
  const out = [];
  for (const series of views.values()) {
    const alike = new Map(); // the same runs are asked for the same series
    for (const [s, list] of series) {
      const runs = JSON.stringify(list.map((e) => e.run));
      if (!alike.has(runs)) alike.set(runs, []);
      alike.get(runs).push([s, list]);
    }
    for (const lists of alike.values()) out.push(...chunks(lists));
  }
  return out;
}

function* chunks(lists) {
  const runs = lists[0][1].map((e) => e.run);
  const perRequest = Math.min(mostSeries, Math.max(1, Math.floor(mostLines / runs.length)));
  for (let i = 0; i < lists.length; i += perRequest) {
    const part = lists.slice(i, i + perRequest);
    yield { runs, series: part.map(([s]) => s), view: part[0][1][0].view, entries: part.flatMap(([, list]) => list) };
  }
}
