// How runs look, for the cells: a signal, so that a change of the settings reaches them without drawing the rows again.
import { computed } from "../../vendor/preact.js";
import { styler } from "../../core/runstyle.js";
import { columnOf, needsOfColumns } from "./columns.js";
import { list } from "./rows.js";
import { ui } from "./ui.js";

// textOf is a row's text in a field: the name of a column.
export function textOf(row, field) {
  if (field === "name") return row.name;
  const value = columnOf(field)?.value(row);
  return value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
}

// styleNeeds are the columns that styles need.
export const styleNeeds = (styles) => needsOfColumns([styles?.colour_by, styles?.line_by, ...(Array.isArray(styles?.rules) ? styles.rules : []).map((rule) => rule.field)].filter(Boolean));

// looks.value(row) is {colour, line}.
export const looks = computed(() => {
  const { styles } = ui.value;
  const rows = styles?.colour_by || styles?.line_by ? list.value.rows : [];
  return styler(ui.value, rows, textOf);
});
