// The bar at the top: where one is, search, whether the page is live, settings.
import { html } from "../vendor/preact.js";
import * as format from "../core/format.js";
import { overlay } from "../core/keys.js";
import * as notice from "../core/notice.js";
import { route } from "../core/router.js";
import { server } from "../core/server.js";
import { connection } from "../core/stream.js";
import { choice, choices } from "../core/theme.js";
import { useClock } from "../core/use.js";
import { Icon } from "../parts/icon.js";
import { Menu } from "../parts/menu.js";
import { Status } from "../parts/severity.js";
import { open as openPalette } from "./palette.js";

export function TopBar({ name, run }) {
  return html`<header class="topbar">
    <a class="brand" href=${route.href("/runs")} aria-label="Vigil: all runs"><${Eye} /><span class="brand-name">Vigil</span></a>
    ${name !== null && html`<span class="faint" aria-hidden="true">/</span>
      <button type="button" class="button plain switcher" onClick=${() => openPalette("runs")} aria-label=${`Run ${name}. Choose another`} title=${name}>
        <span class="cut said">${name}</span><${Icon} name="down" size=${12} /></button>
      ${run && html`<${How} run=${run} />`}`}
    <span class="grow"></span>
    ${server.value?.read_only && html`<span class="tag" title="Started with --read-only: nothing can be changed here">Read only</span>`}
    <${Live} name=${name} run=${run} />
    <button type="button" class="button search-button" onClick=${() => openPalette()} aria-keyshortcuts="Control+K">
      <${Icon} name="search" size=${14} /><span class="search-words">Search<span class="sr"> runs, series and commands</span></span><kbd aria-hidden="true">${/Mac/.test(navigator.platform) ? "⌘ K" : "Ctrl K"}</kbd></button>
    <${Settings} />
  </header>`;
}

const Eye = () => html`<svg class="brand-sign" width="22" height="22" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="currentColor" /><path class="brand-line" d="M4.5 16S9 8.5 16 8.5 27.5 16 27.5 16 23 23.5 16 23.5 4.5 16 4.5 16Z" fill="none" stroke-width="2.4" stroke-linejoin="round" /><circle class="brand-pupil" cx="16" cy="16" r="3.6" /></svg>`;

// How says how the run stands, and how far it is.
function How({ run }) {
  const { row } = run;
  const { progress, status, steps } = run.now.value;
  useClock(!run.live);
  const most = Math.max(0, ...Object.values(steps));
  const ended = row.ended && `ended ${format.ago(row.ended)}`;
  const far = progress?.of ? `step ${format.count(progress.step)} of ${format.count(progress.of)}` : most ? format.several(most, "step") : "";
  return html`<span class="how"><${Status} of=${status} />
    ${run.live && progress?.fraction > 0 && html`<progress class="progress" max="1" value=${progress.fraction} aria-label="Progress"></progress>`}
    <span class="quiet nowrap how-far">${run.live ? far : ended || far}</span></span>`;
}

function Live({ name, run }) {
  if (connection.value === "lost") return html`<span class="live lost" role="status"><span class="dot"></span>Reconnecting</span>`;
  if (connection.value !== "open" || (name !== null && !run?.live)) return null;
  return html`<span class="live" role="status" title="What is new appears by itself"><span class="dot"></span>Live</span>`;
}

function Settings() {
  const words = { system: "As the system", light: "Light", dark: "Dark" };
  return html`<${Menu} label="Settings" icon="gear" words=${false} button="plain" items=${[
    { heading: "Theme" },
    ...choices.map((one) => ({ label: words[one], checked: choice.value === one, run: () => (choice.value = one), keep: true })),
    { divider: true },
    { label: "Notify of new findings", checked: notice.wanted.value, disabled: !notice.possible.value, why: "This browser does not allow notifications here", run: () => notice.allow(!notice.wanted.value), keep: true },
    { divider: true },
    { label: "Keys", icon: "keyboard", key: "?", run: () => (overlay.value = true) },
    server.value && { heading: `Vigil ${server.value.version}${server.value.host ? ` on ${server.value.host}` : ""}` },
  ]} />`;
}
