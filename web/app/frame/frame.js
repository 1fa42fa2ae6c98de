// The frame of every page: top bar, tabs of the run, the page itself, and what floats above it.
import { html, useEffect, useLayoutEffect, useState } from "../vendor/preact.js";
import * as api from "../core/api.js";
import * as notice from "../core/notice.js";
import { pages } from "../core/pages.js";
import { route } from "../core/router.js";
import { useRun } from "../core/run.js";
import { useEvents } from "../core/use.js";
import { Boundary } from "../parts/boundary.js";
import { Dialogs } from "../parts/dialog.js";
import { Empty, Failed, Loading } from "../parts/empty.js";
import { KeysOverlay } from "./keys.js";
import { Palette } from "./palette.js";
import { RunTabs } from "./runtabs.js";
import { Notices, Toasts } from "./toasts.js";
import { TopBar } from "./topbar.js";

export function Frame() {
  const name = route.run;
  const { run, error, reload } = useRun(name);
  const page = pages[route.page] ? route.page : null;
  useEffect(() => {
    notice.title.value = [name, name === null && !pages[page]?.root ? "Runs" : pages[page]?.title ?? "Not found"].filter(Boolean).join(" \u00b7 ") + " \u2013 Vigil";
  }, [name, page]);
  useEvents(name, {
    findings: (event) => notice.found(name, event.findings ?? [], () => route.go(`/runs/${encodeURIComponent(name)}/findings`)),
  }, { when: name !== null });
  return html`
    <button type="button" class="skip button main" onClick=${() => document.getElementById("main").focus()}>Skip to the page</button>
    <${TopBar} name=${name} run=${run} />
    ${name !== null && html`<${RunTabs} name=${name} run=${run} page=${page} />`}
    <${Notices} />
    <main id="main" tabindex="-1">
      <${Boundary} what="This page" of=${`${name}/${page}`}><${Place} name=${name} run=${run} page=${page} error=${error} reload=${reload} /><//>
    </main>
    <${Toasts} /><${Dialogs} /><${KeysOverlay} /><${Palette} run=${run} />`;
}

// Place is the page that the address names, or why it cannot be shown.
function Place({ name, run, page, error, reload }) {
  const [loaded, failed, again] = useModule(page);
  if (!page || (name === null && page !== "runs" && !pages[page].root)) return html`<${Empty} icon="search">There is no page at this address. <a href=${route.href("/runs")}>All runs</a><//>`;
  if (name !== null && !run && error) {
    if (error.status === 404) return html`<${Empty} icon="search">There is no run <strong class="said">${name}</strong> here. It may have been deleted or renamed. <a href=${route.href("/runs")}>All runs</a><//>`;
    return html`<${Failed} what="This run could not be read." error=${error} again=${reload} />`;
  }
  if (failed) return html`<${Failed} what="This page could not be loaded." error=${failed} again=${again} />`;
  if (!loaded || (name !== null && !run)) return html`<${Loading} />`;
  return html`<${loaded.Page} key=${`${name}/${page}`} run=${run} api=${api} route=${route} />`;
}

const modules = new Map();

function useModule(page) {
  const [state, set] = useState({});
  const [turn, setTurn] = useState(0);
  useLayoutEffect(() => {
    if (!page || modules.has(page)) return undefined;
    let here = true;
    pages[page].load().then(
      (module) => {
        modules.set(page, module);
        if (here) set({ page });
      },
      (error) => here && set({ page, error }),
    );
    return () => {
      here = false;
    };
  }, [page, turn]);
  return [modules.get(page), state.page === page ? state.error : null, () => {
    set({});
    setTurn(turn + 1);
  }];
}
