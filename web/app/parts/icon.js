// Small drawings of 16 x 16 units, in the colour of the text. They never stand alone: a word or an aria-label says the same.
import { html } from "../vendor/preact.js";

const line = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  right: "M6 4l4 4-4 4",
  left: "M10 4L6 8l4 4",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  gear: "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  table: "M2 3.5h12v9H2zM2 6.5h12M6.5 6.5v6",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  expand: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5L9 7M2.5 13.5L7 9",
  reset: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
  pin: "M6 2h4l-.5 4.5L12 9H4l2.5-2.5zM8 9v5",
  tag: "M2 2.5h5.5L14 9l-5 5-7-6.5zM5 5.5h.01",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5L7.5 13a2.8 2.8 0 0 1-4-4L5 7.5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  edit: "M10.5 3l2.5 2.5L6 12.5l-3 .5.5-3zM9 4.5L11.5 7",
  trash: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  hidden: "M2 2l12 12M6.3 4a6 6 0 0 1 1.7-.3c4 0 6.5 4.3 6.5 4.3a11 11 0 0 1-2 2.4M4.2 5.2A10 10 0 0 0 1.5 8S4 12.3 8 12.300c.9 0 1.8-.2 2.5-.6",
  stop: "M3.5 3.5h9v9h-9z",
  play: "M5 3l8 5-8 5z",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  check: "M3 8.500l3.5 3.500L13 4.5",
  bell: "M3.5 11.500h9L11 9.500V7a3 3 0 0 0-6 0v2.500zM6.8 13.500h2.4",
  mute: "M3.5 11.500h9L11 9.500V7a3 3 0 0 0-6 0v2.500zM2 2l12 12",
  keyboard: "M1.5 4h13v8.500h-13zM4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 10h6",
  filter: "M2 3h12L9.5 8.500V13l-3-1.500v-3z",
  error: "M5.3 1.800h5.400l3.5 3.500v5.400l-3.5 3.500H5.300l-3.5-3.500V5.300zM5.8 5.800l4.4 4.400M10.2 5.800l-4.4 4.4",
  warning: "M8 2L14.8 13.500H1.200zM8 6.500v3.200M8 11.600h.01",
  info: "M8 14.200A6.2 6.2 0 1 0 8 1.800a6.2 6.2 0 0 0 0 12.400ZM8 7.300v3.700M8 5h.01",
  ok: "M8 14.200A6.2 6.2 0 1 0 8 1.800a6.2 6.2 0 0 0 0 12.400ZM5.2 8.200l2 2 3.6-4",
  idle: "M8 14.200A6.2 6.2 0 1 0 8 1.800a6.2 6.2 0 0 0 0 12.400ZM5.2 8h5.6",
  running: "M8 14.200A6.2 6.2 0 1 0 8 1.800a6.2 6.2 0 0 0 0 12.400ZM6.7 5.500l3.8 2.5-3.8 2.500z",
  checkpoint: "M8 1.800L14.2 8 8 14.2 1.8 8z",
};

export const names = Object.keys(line);

export function Icon({ name, size = 16, label }) {
  return html`<svg class="ico" width=${size} height=${size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"
    role=${label ? "img" : null} aria-label=${label} aria-hidden=${label ? null : "true"}><path d=${line[name]} /></svg>`;
}
