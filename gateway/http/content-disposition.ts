/**
 * The value of Content-Disposition that lets a browser save an answer under a name (RFC 6266). What is no plain ASCII
 * stands in its extended form (RFC 8187) only; the other one is for programs that do not know it.
 */
export function attachment(fileName: string): string {
  const safe = fileName
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029/\\]/gu, "_")
    .trim();
  const name = safe === "" ? "file" : safe;
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, "_").replaceAll(/["%]/g, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}

/** Percent-encodes all but the attr-char of RFC 8187 §3.2.1. */
const extended = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
