/** A condition on the organization, and what stands in its place when it is taken away. */
export interface Predicate {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Always true, and uses the same parameters: Postgres refuses a statement with one that it cannot type. */
  readonly replacement: string;
}

/** The statement without the predicate. */
export const without = (sql: string, { start, end, replacement }: Predicate): string =>
  sql.slice(0, start) + replacement + sql.slice(end);

/** Every condition on the organization in a statement, whether it was written by hand or by MikroORM. */
export function organizationPredicates(sql: string): Predicate[] {
  const columns = [...sql.matchAll(new RegExp(`(?<![\\w."])${column}(?![\\w"])`, "g"))];
  const found = columns.flatMap((match) => predicateAt(sql, match.index, match.index + match[0].length) ?? []);
  // In a.organization_id = b.organization_id both columns are found.
  return found.filter((one, index) => one.start >= (found[index - 1]?.end ?? 0));
}

const name = '(?:"\\w+"|\\w+)';
const column = `(?:${name}\\.)?"?organization_id"?`;
const parameter = "\\$\\d+(?:::\\w+(?:\\[\\])?)?";
const literal = "'[^']*'(?:::\\w+)?";
const operand = new RegExp(`${parameter}|${literal}|${name}\\.${name}|"?organization_id"?`, "y");

function predicateAt(sql: string, start: number, end: number): Predicate | undefined {
  return equality(sql, start, end) ?? reversed(sql, start, end) ?? tuple(sql, start, end);
}

const matchAt = (pattern: RegExp, sql: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0];
};

/** `organization_id = $1`, `= any($1)`, `= 'literal'` or `= other.organization_id`. */
function equality(sql: string, start: number, end: number): Predicate | undefined {
  const equals = matchAt(/\s*=\s*/y, sql, end);
  if (equals === undefined) return undefined;
  const from = end + equals.length;
  const any = matchAt(/any\s*\(/iy, sql, from);
  if (any !== undefined) {
    const to = closing(sql, from + any.length - 1) + 1;
    return predicate(sql, start, to, alwaysTrue(sql.slice(from + any.length, to - 1), "uuid[]"));
  }
  const other = matchAt(operand, sql, from);
  if (other === undefined) throw new Error(`no known form of a predicate: ${sql.slice(start, from + 40)}`);
  return predicate(sql, start, from + other.length, alwaysTrue(other, "uuid"));
}

/** `$1 = organization_id` */
function reversed(sql: string, start: number, end: number): Predicate | undefined {
  const before = new RegExp(`(${parameter}|${name}\\.${name})\\s*=\\s*$`).exec(sql.slice(0, start));
  if (before === null) return undefined;
  return predicate(sql, before.index, end, alwaysTrue(before[1] ?? "", "uuid"));
}

/**
 * `(organization_id, id) in (($1, $2))`, `in (select organization_id, id …)` or `= (…)`: the first column is compared with
 * itself, so that the others still have to be equal.
 */
function tuple(sql: string, start: number, end: number): Predicate | undefined {
  if (!/\(\s*$/.test(sql.slice(0, start))) return undefined;
  const close = closing(sql, sql.lastIndexOf("(", start));
  const operator = matchAt(/\)\s*(?:in|=)\s*\(\s*/iy, sql, close);
  if (operator === undefined) return undefined;
  const from = close + operator.length;
  const select = matchAt(new RegExp(`select\\s+${column}`, "iy"), sql, from);
  if (select !== undefined) {
    const rest = sql.slice(end, from);
    return predicate(sql, start, from + select.length, `0${rest}select 0`);
  }
  const first = matchAt(new RegExp(`\\(?\\s*(${parameter}|${literal})`, "y"), sql, from);
  const value = first?.replace(/^\(?\s*/, "");
  if (value === undefined) throw new Error(`no known form of a predicate: ${sql.slice(start, from + 40)}`);
  return predicate(sql, start, end, `${value.replace(/::.*/, "")}::uuid`);
}

const predicate = (sql: string, start: number, end: number, replacement: string): Predicate => ({
  start,
  end,
  text: sql.slice(start, end),
  replacement,
});

/** A parameter keeps its type, whatever else it is used for. */
const alwaysTrue = (value: string, type: string): string =>
  value.startsWith("$") ? `${value.includes("::") ? value : `${value}::${type}`} is not null` : "true";

/** Where the parenthesis that opens at this place is closed. */
function closing(sql: string, open: number): number {
  let depth = 0;
  for (let at = open; at < sql.length; at += 1) {
    if (sql[at] === "(") depth += 1;
    if (sql[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`a parenthesis is not closed: ${sql.slice(open, open + 40)}`);
}
