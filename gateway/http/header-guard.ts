/** Headers that decide whom a request is from and how it is read: two of them let two readers disagree. */
const singleHeaders = ["host", "authorization", "content-type"] as const;

/** What makes the head of a request ambiguous; undefined when nothing does. */
export function findHeaderProblem(rawHeaders: readonly string[], httpVersion: string): string | undefined {
  // Node reads a line without a version, such as one that was cut in two, as HTTP/0.9.
  if (httpVersion === "0.9") return "The version of HTTP is missing.";
  for (const name of singleHeaders) {
    const count = headerCount(rawHeaders, name);
    if (count > 1) return `The header ${name} was sent more than once.`;
    if (count === 0 && name === "host" && httpVersion === "1.1") return "The header host is missing.";
  }
  // Node reads any list that ends with chunked, and leaves the encodings before it to nobody.
  const encodings = headerValues(rawHeaders, "transfer-encoding");
  if (encodings.length > 1 || encodings.some((sent) => sent.trim().toLowerCase() !== "chunked")) {
    return "The only transfer encoding is chunked.";
  }
  return undefined;
}

/** How often a header was sent; `name` is in lower case. */
export const headerCount = (rawHeaders: readonly string[], name: string): number =>
  headerValues(rawHeaders, name).length;

function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i];
    if (sent?.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? "");
  }
  return values;
}
