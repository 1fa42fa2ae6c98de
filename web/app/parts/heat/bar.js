// The colour bar: what a colour means.
import { effect, html, useLayoutEffect, useRef } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { css, difference, ramp } from "../../core/ramp.js";
import { theme } from "../../core/theme.js";

export function Bar({ range: [low, high], two, words = false, log, unit, at = null, holes, odd }) {
  const ref = useRef(null);
  useLayoutEffect(() => effect(() => {
    theme.value;
    const ctx = ref.current.getContext("2d");
    const colours = two ? difference() : ramp();
    for (let i = 0; i < 256; i++) {
      ctx.fillStyle = css(colours, i);
      ctx.fillRect(i, 0, 1, 1);
    }
  }), [two]);
  // Where each row has colours of its own, the ends have words until a row is pointed at.
  const ends = words ? [two ? "below 0" : "lowest of the row", two ? "above 0" : "highest of the row"] : [format.withUnit(low, unit, 3), format.withUnit(high, unit, 3)];
  const middle = log ? Math.sqrt(low * high) : (low + high) / 2;
  return html`<div class="heat-bar"><span class="n">${ends[0]}</span>
    <span class="heat-ramp"><canvas ref=${ref} width="256" height="1" role="img" aria-label=${`Colours from ${ends[0]} ${two ? "(blue) over 0 (grey)" : "(bright)"} to ${ends[1]} ${two ? "(orange)" : "(dark)"}${log ? ", logarithmic" : ""}`}></canvas>
      ${at !== null && html`<i ref=${(node) => node?.style.setProperty("left", `${at * 100}%`)}></i>`}
      <span class="heat-middle n" aria-hidden="true">${words ? "" : format.withUnit(middle, unit, 2)}</span></span>
    <span class="n">${ends[1]}</span>
    ${holes && html`<span class="heat-sign"><i class="hole"></i>no value</span>`}${odd && html`<span class="heat-sign"><i class="odd"></i>not finite</span>`}</div>`;
}
