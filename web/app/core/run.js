// The run that is looked at: what the server says of it, kept up to date by the stream.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { address, path } from "./api.js";
import { nextFrame } from "./tick.js";
import { useEvents, useGet } from "./use.js";

// useRun is what pages get as run:
//   name, describe (GET /runs/{run}), row (its line of the list, with the live steps and progress), live,
//   path("series") for api.get and useGet, url("report") for links, reload(), can("stop") -> {allowed, why_not}.
export function useRun(name) {
  const { data, error, loading, reload } = useGet(name === null ? null : path("runs", name));
  const [live, setLive] = useState(null);
  const waiting = useRef(0);
  const again = () => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => nextFrame(reload), 400);
  };
  useEffect(() => () => clearTimeout(waiting.current), []);
  useEffect(() => setLive(null), [name]);
  useEvents(name, {
    status: (event) => {
      setLive((old) => ({ ...old, status: event.status, live: event.live }));
      again();
    },
    steps: (event) => setLive((old) => ({ ...old, steps: event.steps, progress: event.progress })),
    findings: again,
    reset: again,
  }, { when: name !== null });
  const run = useMemo(() => {
    if (!data) return null;
    const row = { ...data.row };
    if (live?.status) row.status = live.status;
    if (live?.steps) Object.assign(row, { steps: { ...row.steps, ...live.steps }, progress: live.progress ?? row.progress });
    return {
      name, describe: data, row, live: live?.live ?? data.live, reload,
      path: (...parts) => path("runs", name, ...parts),
      url: (...parts) => address(path("runs", name, ...parts)),
      can: (what) => data.controls?.[what] ?? { allowed: false, why_not: "The server does not offer this." },
    };
  }, [data, live, name]);
  return { run: run?.name === name ? run : null, error, loading, reload };
}
