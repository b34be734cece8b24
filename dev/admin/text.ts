/** A command's result for people: one line per field, or one line per entry of a list. */
export function toText(result: object): string {
  const fields = Object.entries(result);
  const [first] = fields;
  if (fields.length === 1 && first !== undefined && Array.isArray(first[1])) return listText(first[0], first[1]);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`).join("");
}

function listText(name: string, entries: readonly object[]): string {
  const [first] = entries;
  if (first === undefined) return `no ${name}\n`;
  const columns = Object.keys(first);
  const rows = [columns, ...entries.map((entry) => Object.values(entry).map(cell))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, index) => text.padEnd(widths[index] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.join(" ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}=${part === null ? "default" : cell(part)}`)
    .join(" ");
}
