// The small buttons of a chart. They appear when the pointer or the focus is in it.
import { html } from "../../vendor/preact.js";
import { Icon } from "../icon.js";
import { Menu } from "../menu.js";
import { csv, png, svg } from "./export.js";

export function Tools({ title, plot, series, kind, zoomed, log, table, said, set, more }) {
  const drawing = !table;
  return html`<span class=${`chart-tools ${zoomed ? "stay" : ""}`}>
    ${zoomed && html`<button type="button" class="button plain small" onClick=${set.reset}><${Icon} name="reset" size=${14} />Show all</button>`}
    <${Menu} label=${`Chart ${title}`} icon="more" words=${false} button="plain small" items=${[
      ...more,
      more.length > 0 && { divider: true },
      { label: "Logarithmic axis", key: "l", checked: log, run: set.log },
      { label: "Values as a table", key: "t", checked: table, run: set.table },
      { label: "In words", checked: said, run: set.said },
      { divider: true },
      { heading: "Save as" },
      { label: "PNG", icon: "download", disabled: !drawing, run: () => png(plot.current.u, title) },
      { label: "SVG", icon: "download", disabled: !drawing, run: () => svg(plot.current.u, title, series) },
      { label: "CSV", icon: "download", run: () => csv(title, series, kind) },
    ]} />
  </span>`;
}
