// Hooks that pages read the API with.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { address, get } from "./api.js";
import { listen } from "./stream.js";

// useGet reads an address: {data, error, loading, reload}. While another is read, data stays what it was, so that nothing flickers.
// path null: nothing is read. {columns: true}: binary. {every: ms}: read again so often while the page is seen.
export function useGet(path, query, { columns = false, every = 0 } = {}) {
  const url = path === null ? null : address(path, query);
  const [state, set] = useState({ data: undefined, error: null, loading: url !== null, url: null });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((turn) => turn + 1), []);
  // What is needed is asked for before the frame is painted: the answer comes a frame sooner.
  useLayoutEffect(() => {
    if (url === null) return set({ data: undefined, error: null, loading: false, url });
    const control = new AbortController();
    set((old) => ({ ...old, loading: true }));
    get(path, query, { columns, signal: control.signal }).then(
      (data) => set({ data, error: null, loading: false, url }),
      (error) => error.name === "AbortError" || set((old) => ({ data: old.url === url ? old.data : undefined, error, loading: false, url })),
    );
    return () => control.abort();
  }, [url, turn, columns]);
  useEffect(() => {
    if (!every || url === null) return undefined;
    const timer = setInterval(() => document.hidden || reload(), every);
    return () => clearInterval(timer);
  }, [url, every]);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}

// useEvents listens to the stream of a run (null: of the list) while the component is shown.
// useEvents(run.name, {steps: (event) => ...}, {series: ["loss||TRAIN|"], metrics: true})
export function useEvents(run, handlers, { series = [], metrics = false, when = true } = {}) {
  const latest = useRef(handlers);
  latest.current = handlers;
  const kinds = Object.keys(handlers).join(" ");
  useEffect(() => {
    if (!when) return undefined;
    const passed = Object.fromEntries(kinds.split(" ").map((kind) => [kind, (event) => latest.current[kind]?.(event)]));
    return listen(run, passed, { series, metrics });
  }, [run, kinds, series.join("\n"), metrics, when]);
}

// useLatest is a value after it has not changed for some milliseconds: for fields whose text is sent to the server.
export function useLatest(value, milliseconds = 150) {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

// useClock draws a component again every few seconds, for times such as "3 min ago".
export function useClock(when = true, every = 10) {
  const [, set] = useState(0);
  useEffect(() => {
    if (!when) return undefined;
    const timer = setInterval(() => document.hidden || set((turn) => turn + 1), every * 1000);
    return () => clearInterval(timer);
  }, [when, every]);
}

// content is the size within the padding, as a ResizeObserver tells it.
function content(element) {
  const style = getComputedStyle(element);
  const inner = (size, ...edges) => edges.reduce((left, edge) => left - (parseFloat(style[edge]) || 0), size);
  const { width, height } = element.getBoundingClientRect();
  return {
    width: inner(width, "paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"),
    height: inner(height, "paddingTop", "paddingBottom", "borderTopWidth", "borderBottomWidth"),
  };
}

// useSize is the width and height of an element, kept up to date: const [ref, {width}] = useSize().
export function useSize() {
  const ref = useRef(null);
  const [size, set] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const take = ({ width, height }) => set((old) => (old.width === width && old.height === height ? old : { width, height }));
    const observer = new ResizeObserver(([entry]) => take(entry.contentRect));
    observer.observe(ref.current);
    take(content(ref.current));
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
