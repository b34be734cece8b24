/**
 * Decodes Base64 (RFC 4648 §4) into a buffer of its own; undefined when the text is invalid. With `lineBreaks`,
 * CR and LF are skipped, as in MIME.
 */
export function decodeBase64(text: string, lineBreaks = false): Uint8Array<ArrayBuffer> | undefined {
  const plain = lineBreaks ? text.replaceAll("\r", "").replaceAll("\n", "") : text;
  if (plain.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array((plain.length / 4) * 3 - paddingOf(plain));
  const buffer = Buffer.from(bytes.buffer);
  // The decoder skips invalid characters, which yields fewer bytes, and also accepts the URL alphabet.
  const isComplete = buffer.write(plain, "base64") === bytes.length && Buffer.byteLength(plain) === plain.length;
  const isOther = plain.includes("-") || plain.includes("_");
  return isComplete && !isOther && endsAsEncoded(plain, buffer) ? bytes : undefined;
}

/** Whether the last four characters have no bits behind the end of the bytes. */
const endsAsEncoded = (text: string, bytes: Buffer): boolean =>
  bytes.toString("base64", Math.max(0, bytes.length - (3 - paddingOf(text)))) === text.slice(-4);

function paddingOf(text: string): number {
  if (text.endsWith("==")) return 2;
  return text.endsWith("=") ? 1 : 0;
}
