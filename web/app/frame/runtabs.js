// The tabs of a run.
import { html, useEffect, useRef } from "../vendor/preact.js";
import { pages } from "../core/pages.js";
import { route, tabs } from "../core/router.js";
import { worst } from "../parts/severity.js";

export function RunTabs({ name, run, page }) {
  const findings = run?.row.roots ?? run?.row.findings ?? {};
  const open = (findings.error ?? 0) + (findings.warning ?? 0);
  const here = useRef(null);
  // On a narrow screen the tabs scroll; the one that is shown is in sight.
  useEffect(() => {
    const tab = here.current?.querySelector("[aria-current]");
    if (tab) here.current.scrollLeft = tab.offsetLeft - here.current.clientWidth / 2 + tab.clientWidth / 2;
  }, [page]);
  return html`<nav class="runtabs" aria-label="Pages of the run" ref=${here}>
    ${tabs.map((tab) => html`<a key=${tab} href=${route.to(name, tab)} aria-current=${tab === page ? "page" : null}>${pages[tab].title}${tab === "findings" && open > 0 && html`<span class=${`bubble ${worst(findings)}`} aria-label=${`, ${open} open`}>${open}</span>`}</a>`)}
  </nav>`;
}
