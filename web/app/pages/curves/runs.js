// The runs of a comparison: how each is drawn, which group it is in.

import { fieldOf, ofPlace, styles } from "./style.js";

// groupings are the ways to group runs: {value, label}, of tags and parameters only
// those in which the runs differ.
export function groupings(rows) {
  const list = [{ value: "", label: "No groups" }, { value: "all", label: "All runs together" }, { value: "name", label: "Name without its number" }];
  const of = (field, prefix, word) => {
    const keys = new Set(rows.flatMap((row) => Object.keys(row[field] ?? {})));
    for (const key of [...keys].sort()) {
      const values = new Set(rows.map((row) => String(row[field]?.[key] ?? "")));
      if (values.size > 1 && values.size < rows.length) list.push({ value: `${prefix}.${key}`, label: `${word} ${key}` });
    }
  };
  of("tags", "tag", "Tag");
  of("parameters", "param", "Parameter");
  return list;
}

// groupOf is the group of a run by a setting, "" where there are no groups.
export function groupOf(name, row, setting) {
  if (!setting) return "";
  if (setting === "all") return "all runs";
  if (setting === "name") return name.replace(/[-_. ]*\d+$/, "") || name;
  const key = setting.slice(setting.indexOf(".") + 1);
  const value = row ? fieldOf(row, setting) : "";
  return value === "" ? `without ${key}` : `${key} ${value}`;
}

// asBefore is a list of looks that was there before, if it looks the same.
export function asBefore(before, next) {
  const same = (a, b) => a.name === b.name && a.colour === b.colour && a.dash.join() === b.dash.join() && a.group === b.group && a.hidden === b.hidden;
  return before?.length === next.length && before.every((run, i) => same(run, next[i])) ? before : next;
}

// looks are the runs with colour, dashes, group and whether they are hidden. In
// groups a run has the colour of its group.
export function looks(names, rows, { ui, settings }) {
  const look = styles(ui, rows);
  const groups = [];
  return names.map((name, i) => {
    const row = rows.get(name);
    const group = groupOf(name, row, settings.group);
    if (group && !groups.includes(group)) groups.push(group);
    const place = group ? groups.indexOf(group) : i;
    const { colour, dash } = group ? ofPlace(place) : look(name, place);
    return { name, colour, dash, group, hidden: settings.hidden.has(name) };
  });
}
