// What people set for this folder: archived runs, colours, styles, named views. The server keeps it; where it cannot write, that is said once.
import { signal } from "../../vendor/preact.js";
import { get, patch, path, put, remove } from "../../core/api.js";
import { toast } from "../../core/toast.js";

export const ui = signal({ archived: [], pinned: {}, colours: {}, styles: {} });
export const views = signal([]);
let told = false;

export async function readUI() {
  try {
    take(await get("ui"));
    views.value = (await get("views")).views ?? [];
  } catch (error) {
    if (error.status !== 404) toast(`What is set for this folder could not be read: ${error.message}`, { kind: "warning" });
  }
}

function take(said) {
  ui.value = said;
  if (said.persisted === false && !told && said.why_not) {
    told = true;
    toast(`The folder of the runs cannot be written, so what you set here holds until the server ends. ${said.why_not}`, { kind: "warning", seconds: 15 });
  }
}

// setUI merges a change into what is set: {archived: {RUN: true | null}, colours: {RUN: "3" | null}, styles: {...}}.
export async function setUI(change) {
  try {
    take(await patch("ui", change));
    return true;
  } catch (error) {
    toast(error.message, { kind: "error" });
    return false;
  }
}

export async function saveView(name, view) {
  try {
    await put(path("views", name), view);
    views.value = [...views.value.filter((one) => one.name !== name), { name, view }].sort((a, b) => (a.name < b.name ? -1 : 1));
    readUI();
    return true;
  } catch (error) {
    toast(error.message, { kind: "error" });
    return false;
  }
}

export async function removeView(name) {
  try {
    await remove(path("views", name));
    views.value = views.value.filter((one) => one.name !== name);
    return true;
  } catch (error) {
    toast(error.message, { kind: "error" });
    return false;
  }
}
