// The values of a chart as a table: one row per place, one column per series.
import { html, useMemo } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Table } from "../table.js";
import { position } from "./axes.js";
import { after, figures } from "./values.js";

export function Values({ series, kind, height, unit }) {
  const rows = useMemo(() => {
    const places = new Set();
    for (const one of series) for (const x of one.x) places.add(x);
    return [...places].sort((a, b) => a - b).map((x) => ({ x }));
  }, [series]);
  const columns = useMemo(() => {
    const at = (one, x) => {
      const i = after(one.x, x);
      return one.x[i] === x ? i : -1;
    };
    const list = [{ id: "x", title: kind === "time" ? "time" : kind || "x", value: (row) => row.x, cell: (row) => position(row.x, kind), width: 150 }];
    series.forEach((one, s) => {
      const column = (name, values, suffix) => list.push({ id: `${s}${suffix}`, title: suffix ? `${name} ${suffix}` : name, number: true, width: suffix ? 110 : 140, value: (row) => values[at(one, row.x)], cell: (row) => (at(one, row.x) < 0 ? "" : format.withUnit(values[at(one, row.x)], one.unit || unit, 6)) });
      column(one.label, figures(one), "");
      if (one.min && series.length <= 4) column(one.label, one.min, "min");
      if (one.max && series.length <= 4) column(one.label, one.max, "max");
    });
    return list;
  }, [series, kind, unit]);
  return html`<${Table} label="Values of the chart" rows=${rows} columns=${columns} rowKey=${(row) => row.x} height=${height} dense />`;
}
