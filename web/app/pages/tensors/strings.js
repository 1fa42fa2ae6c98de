// Strings and tokens as text: a line a row, a cell a string.
import { html, useMemo } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Table } from "../../parts/table.js";

export function Strings({ answer, shape }) {
  // One row of strings is read best as a list; several rows as a table.
  const width = shape.length > 1 && shape.at(-2) > 1 ? shape.at(-1) : 1;
  const first = width > 1 ? answer.rows[0] : answer.columns[0];
  const rows = useMemo(() => {
    const list = [];
    for (let i = 0; i < answer.strings.length; i += width) list.push({ row: first + i / width, texts: answer.strings.slice(i, i + width) });
    return list;
  }, [answer]);
  const columns = useMemo(() => [
    { id: "row", title: width > 1 ? "row" : "index", number: true, width: 72, pin: true, value: ({ row }) => row, cell: ({ row }) => format.count(row) },
    ...Array.from({ length: Math.min(width, 200) }, (_, c) => ({
      id: `c${c}`, title: width > 1 ? format.count(c) : "string", width: width > 1 ? 140 : 640, value: ({ texts }) => texts[c],
      cell: ({ texts }) => html`<span class="said mono tensors-string" title=${texts[c]}>${visible(texts[c] ?? "")}</span>`,
    })),
  ], [width]);
  return html`<div class="stack tight"><${Table} label="Strings" rows=${rows} columns=${columns} rowKey=${({ row }) => row} height=${Math.min(420, 60 + 26 * rows.length)} dense />
    <p class="small faint">${format.several(answer.strings.length, "string")}${answer.more ? `, ${format.count(answer.more)} more are not shown` : ""}. Shape ${shape.join(" \u00d7 ") || "scalar"}.</p></div>`;
}

// visible shows what has no shape: ends of lines, tabs, marks of direction.
const visible = (text) => text.replace(/[\n\r\t\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => ({ "\n": "\u21b5", "\r": "\u240d", "\t": "\u21e5" })[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
