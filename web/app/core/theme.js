// Light, dark, or what the system says. Colours themselves are in style/tokens.css; canvases ask for them here.
import { computed, effect, signal } from "../vendor/preact.js";
import { kept, keep } from "./kept.js";

const system = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(system.matches);
system.addEventListener("change", (event) => (systemDark.value = event.matches));

export const choices = ["system", "light", "dark"];
export const choice = signal(choices.includes(kept("theme")) ? kept("theme") : "system");

// theme is "light" or "dark". A canvas that is painted in an effect reads it, so that it is painted again.
export const theme = computed(() => (choice.value === "system" ? (systemDark.value ? "dark" : "light") : choice.value));

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  keep("theme", choice.value === "system" ? null : choice.value);
});

const probe = document.createElement("span");
probe.hidden = true;
let known = new Map();
let knownFor = "";

// colour is a token's colour as the canvas takes it: colour("--text-quiet"). With an opacity below 1 it is translucent.
export function colour(token, opacity = 1) {
  if (knownFor !== theme.peek()) {
    known = new Map();
    knownFor = theme.peek();
    document.documentElement.dataset.theme = knownFor;
  }
  const key = token + opacity;
  if (!known.has(key)) {
    if (!probe.isConnected) document.documentElement.append(probe);
    probe.style.color = opacity < 1 ? `color-mix(in srgb, var(${token}) ${opacity * 100}%, transparent)` : `var(${token})`;
    known.set(key, getComputedStyle(probe).color);
  }
  return known.get(key);
}

// rgb is a token's colour as three numbers, for pixels.
export function rgb(token) {
  const [r, g, b] = colour(token).match(/[\d.]+/g).map(Number);
  return [r, g, b];
}

// seriesToken is the colour of the i-th series; after sixteen they repeat, with dashes (see dash).
const colours = 16;
export const seriesToken = (i) => `--series-${(((i % colours) + colours) % colours) + 1}`;
export const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
export const dash = (i) => dashes[Math.floor(i / colours) % dashes.length];
