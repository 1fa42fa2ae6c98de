// The HTTP API, below api/v1 of the address that the document was served from (so that a path prefix works).
import { decode, mediaType } from "./columns.js";

export const base = new URL("api/v1/", document.baseURI);

// A problem is an error that has a sentence for a person in it. status is 0 where the server did not answer.
export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail || title);
    this.name = "Problem";
    this.status = status;
    this.title = title;
  }
}

// path joins the parts of a path and escapes each: path("runs", name, "series").
export const path = (...parts) => parts.map(encodeURIComponent).join("/");

// address is the URL of path with a query. A list is a repeated key; null, undefined and "" are left out.
export function address(path, query = {}) {
  const url = new URL(path, base);
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") url.searchParams.append(key, one);
    }
  }
  return url.href;
}

// get reads JSON; with {columns: true} it asks for binary columns, and arrays of numbers come as typed arrays.
export const get = (path, query, options = {}) => ask("GET", address(path, query), undefined, options);
export const post = (path, body = {}, options) => ask("POST", address(path), body, options);
export const put = (path, body = {}, options) => ask("PUT", address(path), body, options);
export const patch = (path, body = {}, options) => ask("PATCH", address(path), body, options);
export const remove = (path, query, options) => ask("DELETE", address(path, query), undefined, options);

async function ask(method, url, body, { columns = false, signal } = {}) {
  // What is wanted most is last: the server takes no notice of a q at the end.
  const headers = { Accept: columns ? `application/json;q=0.5, ${mediaType}` : "application/json" };
  if (method !== "GET") headers["X-Vigil"] = "1";
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "No answer", "The server does not answer. Is `vigil ui` still running?");
  }
  if (!answer.ok) throw await problem(answer);
  if (answer.status === 204) return null;
  try {
    return await content(answer);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(answer.status, "Broken answer", `The server's answer could not be read: ${error.message}`);
  }
}

// content is what an answer says, in either form.
const content = async (answer) => ((answer.headers.get("Content-Type") || "").startsWith(mediaType) ? decode(await answer.arrayBuffer()) : answer.json());

// problem reads problem+json; what is no such document becomes a sentence of its own.
async function problem(answer) {
  const known = { 401: "This browser has no access. Open the address that `vigil ui` printed, it holds the token.", 404: "There is no such thing here. It may have been deleted." };
  try {
    const said = await content(answer);
    if (said.detail || said.title) return new Problem(answer.status, said.title || answer.statusText, said.detail);
  } catch { /* not JSON: below */ }
  return new Problem(answer.status, answer.statusText, known[answer.status] || `The server answered ${answer.status} ${answer.statusText}.`);
}

// number turns what JSON cannot hold ("NaN", "Inf", "-Inf") into numbers.
export function number(value) {
  if (typeof value === "number") return value;
  if (value === "Inf") return Infinity;
  if (value === "-Inf") return -Infinity;
  return NaN;
}

// numbers is an array of numbers from either form of an answer.
export const numbers = (list) => (ArrayBuffer.isView(list) ? list : Float64Array.from(list || [], number));
