// The time axis that all charts share: step numbers at the top, phases, what happened, and the time of day at the bottom.
import { html, effect, useLayoutEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { theme } from "../../core/theme.js";
import { nextFrame } from "../../core/tick.js";
import { useSize } from "../../core/use.js";
import { join, tell } from "../../parts/chart/sync.js";
import { Pins } from "./pins.js";
import { height, paint, rows, side } from "./strip-paint.js";

// Strip draws a timeline (of the API) over the frame. open(finding) goes to a finding.
export function Strip({ timeline, frame, pins, label }) {
  const [box, { width }] = useSize();
  const canvas = useRef(null);
  const [drag, setDrag] = useState(null);
  const cursor = useRef(null);
  const state = useRef(null);
  state.current = { timeline, frame, width, drag, cursor: cursor.current };
  const draw = useMemo(() => () => canvas.current && paint(canvas.current, { ...state.current, cursor: cursor.current }), []);
  const span = Math.max(1, width - side.left - side.right);
  // A drag may outlast a drawing, on a run that goes on: what it marks is read by the frame that is shown then.
  const toX = (px) => {
    const { frame, width } = state.current;
    return frame.view[0] + ((px - side.left) / Math.max(1, width - side.left - side.right)) * (frame.view[1] - frame.view[0]);
  };
  const toPx = (x) => side.left + ((x - frame.view[0]) / (frame.view[1] - frame.view[0])) * span;

  useLayoutEffect(() => effect(() => {
    theme.value;
    nextFrame(draw);
  }), []);
  useLayoutEffect(() => nextFrame(draw), [timeline, frame.view[0], frame.view[1], width, drag]);
  // It follows the cursor of the charts, and leads it.
  const member = useMemo(() => ({
    follow(x) {
      cursor.current = x;
      nextFrame(draw);
    },
  }), []);
  useLayoutEffect(() => join("machine", member), []);

  const place = (event) => event.clientX - canvas.current.getBoundingClientRect().left;
  const down = (event) => {
    if (event.button || event.target.closest("a, button")) return;
    const start = place(event);
    let end = start;
    const move = (event) => {
      end = Math.max(side.left, Math.min(width - side.right, place(event)));
      setDrag([Math.max(side.left, Math.min(start, end)), Math.max(start, end)]);
    };
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      setDrag(null);
      if (Math.abs(end - start) > 4) state.current.frame.show([toX(Math.min(start, end)), toX(Math.max(start, end))]);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  };
  const over = (event) => {
    const px = place(event);
    const x = px >= side.left && px <= width - side.right ? toX(px) : null;
    cursor.current = x;
    nextFrame(draw);
    tell("machine", member, x);
  };
  const leave = () => {
    cursor.current = null;
    nextFrame(draw);
    tell("machine", member, null);
  };
  return html`<div class="strip" ref=${box} onPointerDown=${down} onPointerMove=${over} onPointerLeave=${leave} onDblClick=${() => frame.reset()}
      ref=${box}>
    <canvas ref=${canvas} role="img" aria-label=${label}></canvas>
    <span class="strip-names" aria-hidden="true">${rows.map(({ name, top }) => html`<span key=${name} ref=${(node) => node?.style.setProperty("top", `${top}px`)}>${name}</span>`)}</span>
    ${width > 0 && html`<${Pins} pins=${pins} toPx=${toPx} from=${side.left} to=${width - side.right} zoom=${frame.show} />`}
  </div>`;
}

export { height };
