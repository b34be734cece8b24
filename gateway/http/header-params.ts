/** A header such as `file; filename="NDA.pdf"; documentid=3`, or of parameters alone. */
export interface HeaderValue {
  /** In lower case. */
  readonly value: string;
  /** Names in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const maxLength = 4_096;

/** Takes a header apart; undefined when it is malformed, too long, or says a parameter twice. */
export function parseHeaderParams(header: string): HeaderValue | undefined {
  if (header.length > maxLength) return undefined;
  const params = new Map<string, string>();
  const end = indexOrEnd(header, ";", 0);
  const hasValue = !header.slice(0, end).includes("=");
  const value = hasValue ? header.slice(0, end).trim().toLowerCase() : "";
  let at = hasValue ? end + 1 : 0;
  while (at < header.length) {
    const read = readParam(header, at);
    if (read === undefined || params.has(read.name)) return undefined;
    if (read.name !== "") params.set(read.name, read.value);
    at = read.next;
  }
  return { value, params };
}

interface ReadParam {
  readonly name: string;
  readonly value: string;
  /** Where the next one begins. */
  readonly next: number;
}

/** Reads one parameter; a name of nothing is that of an empty one, as after a semicolon at the end. */
function readParam(header: string, from: number): ReadParam | undefined {
  const end = indexOrEnd(header, ";", from);
  const equals = header.indexOf("=", from);
  if (equals < 0 || equals > end) {
    return header.slice(from, end).trim() === "" ? { name: "", value: "", next: end + 1 } : undefined;
  }
  const name = header.slice(from, equals).trim().toLowerCase();
  if (name === "") return undefined;
  let start = equals + 1;
  while (header[start] === " " || header[start] === "\t") start += 1;
  if (header[start] === '"') return readQuoted(header, start + 1, name);
  return { name, value: header.slice(start, Math.max(start, end)).trim(), next: end + 1 };
}

function readQuoted(header: string, from: number, name: string): ReadParam | undefined {
  let value = "";
  for (let at = from; at < header.length; at += 1) {
    const char = header[at] as string;
    if (char === '"') {
      const end = indexOrEnd(header, ";", at);
      return header.slice(at + 1, end).trim() === "" ? { name, value, next: end + 1 } : undefined;
    }
    // Only quotes and backslashes are escaped: browsers of old send paths of Windows.
    if (char === "\\" && (header[at + 1] === '"' || header[at + 1] === "\\")) at += 1;
    value += header[at];
  }
  return undefined;
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found < 0 ? text.length : found;
}
