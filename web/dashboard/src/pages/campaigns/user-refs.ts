/** What one request takes, with room to spare in its bytes. */
const mostReferences = 5_000;
const mostBytes = 800_000;

/** Words above a column of references, in files that were made by programs. */
const headings = /^["\uFEFF]*(user_?ref|user|userid|user_id|id)"?$/i;

/**
 * The references in a file, each once, in their order: those in the first column of a table, those of lines of JSON, which
 * are texts or have a `userRef`, or a reference in each line.
 */
export function userRefsIn(text: string): string[] {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  const rows = headings.test(firstCell(first)) ? lines.slice(1) : lines;
  return [...new Set(rows.map(referenceIn).filter((reference) => reference !== ""))];
}

function referenceIn(line: string): string {
  if (!line.startsWith("{")) return firstCell(line).trim();
  try {
    const { userRef } = JSON.parse(line) as { readonly userRef?: unknown };
    return typeof userRef === "string" ? userRef : "";
  } catch {
    return "";
  }
}

/** Of a line of a table, whose cells may be in quotes; lists with semicolons are tables, too. */
function firstCell(line: string): string {
  const quoted = /^"((?:[^"]|"")*)"/.exec(line)?.[1];
  return quoted === undefined ? (line.split(/[,;\t]/, 1)[0] ?? "") : quoted.replaceAll('""', '"');
}

/** The same in portions that requests take. */
export function portionsOf(userRefs: readonly string[]): string[][] {
  const portions: string[][] = [];
  let bytes = 0;
  for (const reference of userRefs) {
    const size = new TextEncoder().encode(JSON.stringify(reference)).length + 1;
    const last = portions.at(-1);
    if (last === undefined || last.length === mostReferences || bytes + size > mostBytes) {
      portions.push([reference]);
      bytes = size;
    } else {
      last.push(reference);
      bytes += size;
    }
  }
  return portions;
}
