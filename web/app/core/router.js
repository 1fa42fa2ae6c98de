// The address of the page. The path says where one is (/runs, /runs/NAME/overview), the query holds all else that is on the screen.
import { computed, signal } from "../vendor/preact.js";

const root = new URL(document.baseURI).pathname.replace(/[^/]*$/, "");
export const tabs = ["overview", "curves", "tensors", "findings", "machine", "time", "controls"];

const where = signal(read());
let dirty = 0;

// route is what pages get: route.page, route.run, route.rest, route.get(key), route.set({key: value}) ...
export const route = {
  get page() { return where.value.page; },
  get run() { return where.value.run; },
  // rest holds the parts of the path after the page: /runs/A/findings/X/Y has ["X", "Y"].
  get rest() { return where.value.rest; },
  get query() { return where.value.query; },
  // get is the value of a key, or the default; all is the list of a repeated key.
  get(key, otherwise = "") { return where.value.query[key]?.[0] ?? otherwise; },
  all(key) { return where.value.query[key] ?? []; },
  // set changes keys of the query in place: no step for the back button. "", null, undefined and [] remove a key.
  set(changes) { change(changes, false); },
  // push does the same and adds a step for the back button.
  push(changes) { change(changes, true); },
  // go leads to another place: go("/runs/A/curves", {tensor: "loss"}).
  go(path, query = {}) { move(href(path, query)); },
  // follow goes where a link goes: route.follow(route.to("A", "findings")).
  follow(url) { move(url); },
  // href is the address of a place, for links: every <a href> of ours is followed without loading the page again.
  href,
  // to is the address of a page of a run: to("A", "curves", {q: "loss"}).
  to(run, page = "overview", query = {}, ...rest) { return href(`/runs/${encodeURIComponent(run)}/${[page, ...rest.map(encodeURIComponent)].join("/")}`, query); },
};

// place changes when the path does, and not when only the query does.
export const place = computed(() => JSON.stringify([where.value.page, where.value.run, where.value.rest]));

function read() {
  const parts = location.pathname.slice(root.length).split("/").filter(Boolean).map(unescaped);
  const query = {};
  for (const [key, value] of new URLSearchParams(location.search)) (query[key] ??= []).push(value);
  if (parts.length === 0) return { page: "runs", run: null, rest: [], query };
  if (parts[0] !== "runs") return { page: parts[0], run: null, rest: parts.slice(1), query };
  if (parts.length === 1) return { page: "runs", run: null, rest: [], query };
  return { page: parts[2] || "overview", run: parts[1], rest: parts.slice(3), query };
}

function unescaped(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function search(query) {
  const params = new URLSearchParams();
  for (const [key, values] of Object.entries(query)) for (const value of values) params.append(key, value);
  const text = params.toString();
  return text ? `?${text}` : "";
}

function merged(query, changes) {
  const next = { ...query };
  for (const [key, value] of Object.entries(changes)) {
    const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && one !== undefined && one !== "" && one !== false).map((one) => (one === true ? "1" : String(one)));
    if (values.length) next[key] = values;
    else delete next[key];
  }
  return next;
}

function href(path, query = {}) {
  return root + path.replace(/^\//, "") + search(merged({}, query));
}

function change(changes, step) {
  const query = merged(where.peek().query, changes);
  if (search(query) === search(where.peek().query)) return;
  if (step) flush();
  where.value = { ...where.peek(), query };
  if (step) return history.pushState(null, "", location.pathname + search(query));
  // Browsers count changes of the address: a drag must not make hundreds.
  if (!dirty) dirty = setTimeout(flush, 200);
}

function flush() {
  if (!dirty) return;
  clearTimeout(dirty);
  dirty = 0;
  history.replaceState(history.state, "", location.pathname + search(where.peek().query));
}

function move(url) {
  flush();
  if (url !== location.pathname + location.search) history.pushState(null, "", url);
  where.value = read();
  scrollTo(0, 0);
}

addEventListener("popstate", () => {
  clearTimeout(dirty);
  dirty = 0;
  where.value = read();
});
addEventListener("pagehide", flush);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href, document.baseURI);
  if (url.origin !== location.origin || !url.pathname.startsWith(root) || url.pathname.startsWith(`${root}api/`)) return;
  if (url.hash && url.pathname + url.search === location.pathname + location.search) return;
  event.preventDefault();
  move(url.pathname + url.search + url.hash);
});
