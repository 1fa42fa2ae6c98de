// The run that is looked at: what the server says of it, kept up to date by the stream.
import { signal, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { address, path } from "./api.js";
import { Stand } from "./stand.js";
import { nextFrame } from "./tick.js";
import { useEvents, useGet } from "./use.js";

// useRun is what pages get as run:
//   name, describe (GET /runs/{run}), row (its line of the list), live,
//   now, a signal of what changes with each step: {status, steps, progress} (only who reads run.now.value is drawn again),
//   path("series") for api.get and useGet, url("report") for links, reload(), can("stop") -> {allowed, why_not}.
export function useRun(name) {
  const { data, error, loading, reload } = useGet(name === null ? null : path("runs", name));
  const [live, setLive] = useState(null);
  const now = useMemo(() => signal({ status: "", steps: {}, progress: null }), [name]);
  const stand = useMemo(() => new Stand(), [name]);
  const waiting = useRef(0);
  const again = () => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => nextFrame(reload), 400);
  };
  useEffect(() => () => clearTimeout(waiting.current), []);
  useEffect(() => setLive(null), [name]);
  useEvents(name, {
    // A new stream begins with how the run stands, often before the run is read.
    status: (event) => {
      now.value = { ...now.value, status: event.status };
      setLive(event.live);
      if (stand.tells(event)) again();
    },
    steps: (event) => {
      now.value = { ...now.value, steps: { ...now.value.steps, ...event.steps }, progress: event.progress ?? now.value.progress };
    },
    findings: again,
    reset: again,
  }, { when: name !== null });
  useEffect(() => {
    const row = data?.row ?? data;
    if (row?.name === name && stand.reads(row)) again();
  }, [data, name]);
  const lives = live ?? data?.live;
  const run = useMemo(() => {
    if (!data) return null;
    const row = data.row ?? data;
    now.value = { status: row.status, steps: row.steps ?? {}, progress: row.progress ?? null };
    return {
      name, describe: data, row, now, live: lives, reload,
      path: (...parts) => path("runs", name, ...parts),
      url: (...parts) => address(path("runs", name, ...parts)),
      can: (what) => data.controls?.[what] ?? { allowed: false, why_not: "The server does not offer this." },
    };
  }, [data, lives, name, now]);
  // While another run is read, the old one is not shown as if it were the new one.
  return { run: run && run.row.name === name ? run : null, error, loading, reload };
}
