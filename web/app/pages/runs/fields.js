// What can be asked of a run in the search: the fields that every run has, and the tags, parameters and values of those that are listed.
const seconds = (text) => (text ? Date.parse(text) / 1000 : null);
const findings = (row, severity) => row.findings?.[severity] ?? 0;

// names are those by which a finding is asked for, those of before among them.
const names = (one) => [one.rule, one.severity, ...[one.check, ...(one.former ?? [])].flatMap((check) => [check, `${one.rule}/${check}`])];

// statuses of a run, what goes on first.
export const statuses = ["running", "failed", "stopped", "lost", "ended", "completed"];

// needs: the columns of the server that a field needs besides those that every row has.
const every = [
  { name: "name", type: "text", contains: true, get: (row) => [row.name, row.title ?? ""] },
  { name: "status", type: "choice", choices: statuses, get: (row) => [row.status] },
  { name: "tag", type: "tags", get: (row) => row.tags ?? {} },
  { name: "note", type: "text", contains: true, get: (row) => [row.note ?? ""] },
  { name: "finding", type: "text", needs: ["found"], get: (row) => (row.found ?? []).flatMap(names), of: (row) => (row.found ?? []).map((one) => one.rule) },
  { name: "root", type: "text", needs: ["found"], get: (row) => (row.found ?? []).filter((one) => one.root).flatMap(names) },
  { name: "findings", type: "number", get: (row) => findings(row, "error") + findings(row, "warning") + findings(row, "info") },
  { name: "errors", type: "number", get: (row) => findings(row, "error") },
  { name: "warnings", type: "number", get: (row) => findings(row, "warning") },
  { name: "notes", type: "number", get: (row) => findings(row, "info") },
  { name: "started", type: "time", get: (row) => seconds(row.started) },
  { name: "ended", type: "time", needs: ["ended"], get: (row) => seconds(row.ended) },
  { name: "duration", type: "duration", needs: ["duration"], get: (row) => row.duration },
  { name: "steps", type: "number", get: (row) => row.progress?.step ?? 0 },
  { name: "progress", type: "share", get: (row) => row.progress?.fraction ?? null },
  { name: "lost", type: "share", needs: ["lost_share"], get: (row) => row.lost_share },
  { name: "overhead", type: "share", needs: ["overhead_percent"], get: (row) => (typeof row.overhead_percent === "number" ? row.overhead_percent / 100 : null) },
  { name: "host", type: "text", contains: true, needs: ["host"], get: (row) => [row.host ?? ""] },
  { name: "user", type: "text", needs: ["user"], get: (row) => [row.user ?? ""] },
  { name: "gpu", type: "text", contains: true, needs: ["machine"], get: (row) => row.machine?.gpus ?? [] },
  { name: "gpus", type: "number", needs: ["machine"], get: (row) => row.machine?.gpus?.length ?? 0 },
  { name: "cpus", type: "number", needs: ["machine"], get: (row) => row.machine?.cpus ?? null },
  { name: "framework", type: "text", contains: true, needs: ["framework"], get: (row) => [`${row.framework?.name ?? ""} ${row.framework?.version ?? ""}`] },
  { name: "damaged", type: "choice", choices: ["yes", "no"], get: (row) => [row.damaged ? "yes" : "no"] },
  { name: "archived", type: "choice", choices: ["yes", "no"], get: (row) => [row.archived ? "yes" : "no"] },
];

export const ownFields = every.map(({ name, type }) => ({ name, type }));
// own is a member of an object by a name that people chose: never one that every object has.
export const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

export const stats = ["last", "best", "min", "max"];

// valueOf is the last, best, least or greatest value of a series; null where there is none, or where it was not asked for.
export const valueOf = (row, name, stat) => row.cells?.[`${stat}.${name}`] ?? null;

// parameterOf is a parameter as the run was given it; undefined where there is none.
export const parameterOf = (row, name) => row.cells?.[`param.${name}`];

const texts = (row) => row.searched ?? [row.name, row.title ?? "", row.note ?? "", ...Object.entries(row.tags ?? {}).map(([key, value]) => `${key}=${value}`)];

// fields is what query() of core/query.js asks with. names: {tags, parameters, values}, each a Set of names that some run has.
// A name that several have means, in this order, a field, a value, a parameter, a tag; "value.loss", "param.lr" and "tag.lr" say it.
export function fields(names) {
  const table = new Map(every.map((field) => [field.name, field]));
  const value = (text) => {
    for (const stat of ["", ...stats]) {
      const name = stat ? text.slice(0, -stat.length - 1) : text;
      if ((!stat || text.endsWith(`.${stat}`)) && names.values.has(name)) {
        return { name: text, type: "number", needs: [`${stat || "last"}.${name}`], get: (row) => valueOf(row, name, stat || "last") };
      }
    }
    return null;
  };
  const parameter = (name) => (names.parameters.has(name) ? { name, type: "mixed", needs: [`param.${name}`], get: (row) => parameterOf(row, name) } : null);
  const tag = (name) => (names.tags.has(name) ? { name, type: "mixed", get: (row) => own(row.tags, name) } : null);
  return {
    anywhere: texts,
    names: () => [...table.keys(), ...names.values, ...names.parameters, ...names.tags],
    known(text) {
      const prefixed = /^(value|param|tag)\.(.+)$/i.exec(text);
      if (prefixed) return { value, param: parameter, tag }[prefixed[1].toLowerCase()](prefixed[2]);
      return table.get(text.toLowerCase()) ?? value(text) ?? parameter(text) ?? tag(text) ?? null;
    },
  };
}

// needsOf are the columns that a query needs: of the fields that it names, also of one that is about to be compared.
export function needsOf(text, terms, table) {
  const lower = text.toLowerCase();
  const named = terms.map((term) => term.field && table.known(term.field.text)).concat(every.filter((field) => lower.includes(field.name)));
  return named.flatMap((field) => field?.needs ?? []);
}
