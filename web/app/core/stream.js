// Events of the server (SSE). The browser resumes after a break by the last event's id. All events of a frame are delivered together.
import { signal } from "../vendor/preact.js";
import { address } from "./api.js";
import { nextFrame } from "./tick.js";

const kinds = ["runs", "status", "steps", "metrics", "findings", "rules", "plan", "reset"];
const streams = new Map();

// connection is "" where nobody listens, "open", or "lost".
export const connection = signal("");

// listen calls handlers[kind](data) for events of a run, or of the list of runs (run null); the answer ends it.
// series asks for points of series ("loss||TRAIN|"), metrics for those of the machine.
export function listen(run, handlers, { series = [], metrics = false } = {}) {
  const key = run ?? "";
  let stream = streams.get(key);
  if (!stream) streams.set(key, (stream = new Stream(run)));
  const listener = { handlers, series, metrics };
  stream.add(listener);
  return () => {
    stream.delete(listener);
    if (stream.listeners.size === 0) streams.delete(key);
  };
}

class Stream {
  constructor(run) {
    this.run = run;
    this.listeners = new Set();
    this.events = [];
    this.deliver = this.deliver.bind(this);
    this.connect = this.connect.bind(this);
  }

  add(listener) {
    this.listeners.add(listener);
    nextFrame(this.connect);
  }

  delete(listener) {
    this.listeners.delete(listener);
    nextFrame(this.connect);
  }

  // connect opens the stream that all listeners together ask for; the old one ends when the new one is open, so nothing is missed.
  connect() {
    const asked = [...this.listeners];
    const series = [...new Set(asked.flatMap((listener) => listener.series))].sort();
    const url = asked.length && address("stream", { run: this.run, s: series, metrics: asked.some((listener) => listener.metrics) ? 1 : null });
    if (url === (this.url ?? 0)) return;
    this.url = url || null;
    const old = this.source;
    this.source = null;
    if (!url) {
      old?.close();
      if (streams.size === 0) connection.value = "";
      return;
    }
    const source = (this.source = new EventSource(url));
    source.onopen = () => {
      old?.close();
      if (source === this.source) connection.value = "open";
    };
    source.onerror = () => {
      old?.close();
      if (source !== this.source) return source.close();
      connection.value = "lost";
      if (source.readyState === EventSource.CLOSED) this.again(source);
    };
    for (const kind of kinds) {
      source.addEventListener(kind, (event) => {
        if (source === this.source) this.queue(kind, event.data);
      });
    }
  }

  // again connects again after an answer that was no stream, which the browser does not do by itself.
  again(source) {
    setTimeout(() => {
      if (this.source !== source) return;
      this.url = null;
      this.source = null;
      this.connect();
      this.queue("reset", "{}");
    }, 3000);
  }

  queue(kind, data) {
    this.events.push([kind, data]);
    nextFrame(this.deliver);
  }

  deliver() {
    const events = this.events;
    this.events = [];
    for (const [kind, text] of events) {
      let data = {};
      try {
        data = text ? JSON.parse(text) : {};
      } catch (error) {
        console.error("event", kind, error);
        continue;
      }
      for (const listener of [...this.listeners]) listener.handlers[kind]?.(data);
    }
  }
}
