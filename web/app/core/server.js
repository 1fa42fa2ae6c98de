// What the server says of itself, and whether it is newer than this page.
import { computed, effect, signal, untracked } from "../vendor/preact.js";
import { get } from "./api.js";
import { connection } from "./stream.js";

export const server = signal(null);
// trouble is "" or why the server cannot be asked: "unreachable", "refused".
export const trouble = signal("");
const own = document.querySelector("meta[name=vigil-app]")?.content || null;
let first = own;

// newer is true when the server has another page than this one.
export const newer = computed(() => Boolean(server.value && first && server.value.app && server.value.app !== first));

// ask reads /server now.
export async function ask() {
  try {
    const said = await get("server");
    first ??= said.app;
    server.value = said;
    trouble.value = "";
  } catch (error) {
    trouble.value = error.status === 0 ? "unreachable" : error.status === 401 ? "refused" : "";
  }
}

// watch asks now and then, when the page is looked at again, and when the stream breaks or is back.
export function watch() {
  let before = null;
  effect(() => {
    const now = connection.value;
    if (before === null || before === "lost" || now === "lost") untracked(ask);
    before = now;
  });
  let turn = 0;
  setInterval(() => document.hidden || (!trouble.value && ++turn % 10) || ask(), 3000);
  document.addEventListener("visibilitychange", () => document.hidden || ask());
}
