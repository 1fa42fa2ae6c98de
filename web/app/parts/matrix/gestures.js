// What the pointer does on a matrix: it reads the cell below it, dragging moves, Ctrl and the wheel, two fingers or a double click zoom.
import { fitted, place, zoomed } from "./place.js";

// gestures listens on a canvas; state() is {view, shape, onView}, and where cells are not those of a matrix {place}. The answer ends it.
export function gestures(canvas, state, setCursor) {
  const fingers = new Map();
  let moved = false;
  const geometry = () => (state().place ?? place)(state().view, canvas.clientWidth, canvas.clientHeight);
  const cell = (event) => {
    const at = geometry();
    const row = Math.floor(at.row(event.offsetY)), column = Math.floor(at.column(event.offsetX));
    const { shape, view } = state();
    const seen = at.column(event.offsetX) >= view.left && at.row(event.offsetY) >= view.top && row < (state().place ? shape[0] : Math.min(shape[0], view.top + view.rows)) && column < shape[1];
    return seen ? { row, column } : null;
  };
  const set = (view) => state().onView(view);
  const near = (factor, x, y) => {
    const at = geometry();
    set(zoomed(state().view, state().shape, factor, at.row(y), at.column(x)));
  };
  const on = {
    pointerdown(event) {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      canvas.parentElement.focus({ preventScroll: true });
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      moved = false;
    },
    pointermove(event) {
      const before = fingers.get(event.pointerId);
      if (!before) return setCursor(cell(event));
      const now = [event.offsetX, event.offsetY];
      const { view, shape } = state();
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const distance = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
        near(distance(before) / distance(now), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      } else if (moved || Math.hypot(now[0] - before[0], now[1] - before[1]) > 3) {
        moved = true;
        const at = geometry();
        set(fitted({ ...view, left: view.left - (now[0] - before[0]) / at.cellWidth, top: view.top - (now[1] - before[1]) / at.cellHeight }, shape));
      } else return;
      fingers.set(event.pointerId, now);
    },
    pointerup(event) {
      if (fingers.delete(event.pointerId) && !moved) setCursor(cell(event));
    },
    pointercancel(event) {
      fingers.delete(event.pointerId);
    },
    pointerleave(event) {
      if (event.pointerType === "mouse" && !fingers.size) setCursor(null);
    },
    dblclick(event) {
      near(event.shiftKey ? 2 : 0.4, event.offsetX, event.offsetY);
    },
    wheel(event) {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas.parentElement) return;
      event.preventDefault();
      near(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 150), event.offsetX, event.offsetY);
    },
  };
  for (const [name, act] of Object.entries(on)) canvas.addEventListener(name, act, name === "wheel" ? { passive: false } : undefined);
  return () => {
    for (const [name, act] of Object.entries(on)) canvas.removeEventListener(name, act);
  };
}
