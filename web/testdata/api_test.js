// What the page asks the server for, and how it reads the answers.
import { equal } from "./check.js";
import { get } from "../app/core/api.js";
import { mediaType } from "../app/core/columns.js";

// packed is the binary form of an answer without lists of numbers.
function packed(answer) {
  const header = new TextEncoder().encode(JSON.stringify({ ...answer, columns: [] }));
  const bytes = new Uint8Array(12 + header.length);
  bytes.set(new TextEncoder().encode("VIGILCO1"));
  new DataView(bytes.buffer).setUint32(8, header.length, true);
  bytes.set(header, 12);
  return bytes;
}

// answered has fetch answer once, and gives what was asked for and what came of it.
async function answered(answer, options) {
  const before = globalThis.fetch;
  let accept = "";
  globalThis.fetch = async (url, asked) => ((accept = asked.headers.Accept), answer);
  try {
    const said = await get("x", {}, options).catch((error) => `${error.status} ${error.message}`);
    return { accept, said };
  } finally {
    globalThis.fetch = before;
  }
}

export const tests = {
  async "columns are asked for where they are wanted, and problems are read in either form"() {
    const json = { "Content-Type": "application/json" };
    const binary = { "Content-Type": mediaType };
    for (const [what, answer, options, accept, said] of [
      ["JSON", new Response(`{"a": 1}`, { headers: json }), {}, "application/json", { a: 1 }],
      ["columns", new Response(packed({ a: 1 }), { headers: binary }), { columns: true }, `application/json;q=0.5, ${mediaType}`, { a: 1 }],
      ["an answer with columns of its own", new Response(packed({ answer: { columns: [1, 2] } }), { headers: binary }), { columns: true }, `application/json;q=0.5, ${mediaType}`, { columns: [1, 2] }],
      ["JSON in place of columns", new Response(`{"a": 1}`, { headers: json }), { columns: true }, `application/json;q=0.5, ${mediaType}`, { a: 1 }],
      ["a problem", new Response(`{"detail": "No."}`, { status: 422, headers: { "Content-Type": "application/problem+json" } }), { columns: true }, `application/json;q=0.5, ${mediaType}`, "422 No."],
      ["a problem in columns", new Response(packed({ detail: "No." }), { status: 422, headers: binary }), { columns: true }, `application/json;q=0.5, ${mediaType}`, "422 No."],
    ]) {
      const got = await answered(answer, options);
      equal(got.said, said, what);
      equal(got.accept, accept, what);
    }
  },
};
