// How a run's line looks: as it was set, by rule or by field in the list of runs,
// else the next colour of the palette.

import { styler } from "../../core/runstyle.js";
import { seriesToken } from "../../core/theme.js";

// Dashes are of a run only where the user set them: of themselves they say which
// series of a run a line is.
const dashes = { solid: [], dashed: [6, 3], dotted: [2, 3] };

// fieldOf is a run's text in a column of the list of runs: "name", "status",
// "tag.NAME", "param.NAME", "last.SERIES" ...
export function fieldOf(row, field) {
  const dot = field.indexOf(".");
  const [kind, name] = [field.slice(0, dot), field.slice(dot + 1)];
  const value = dot < 0 ? row[field] : kind === "tag" ? row.tags?.[name] : kind === "param" ? row.parameters?.[name] : row.values?.[name]?.[kind];
  return value === null || value === undefined || typeof value === "object" ? "" : String(value);
}

// styles gives a function from a run's name and place to {colour, dash}. ui is what
// GET /ui says, rows are the runs' rows by name.
export function styles(ui, rows) {
  const look = styler(ui, [...rows.values()], fieldOf);
  return (name, place) => {
    const { colour, line } = look(rows.get(name) ?? { name });
    return { colour: seriesToken(colour ? colour - 1 : place), dash: dashes[line] ?? [] };
  };
}

// ofPlace is the look of the n-th thing that nothing was set for.
export const ofPlace = (place) => ({ colour: seriesToken(place), dash: [] });
