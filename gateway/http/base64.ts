/**
 * Decodes Base64 (RFC 4648 §4) into memory of its own; undefined when the text is anything else. With `lineBreaks` CR and
 * LF are passed over, as MIME has them.
 */
export function decodeBase64(text: string, lineBreaks = false): Uint8Array<ArrayBuffer> | undefined {
  const plain = lineBreaks ? text.replaceAll("\r", "").replaceAll("\n", "") : text;
  if (plain.length % 4 !== 0) return undefined;
  const bytes = new Uint8Array((plain.length / 4) * 3 - paddingOf(plain));
  const buffer = Buffer.from(bytes.buffer);
  const written = buffer.write(plain, "base64");
  // Decoding passes over what is no Base64, and takes that of URLs as well, so the text has to come out the same again.
  return written === bytes.length && buffer.toString("base64") === plain ? bytes : undefined;
}

function paddingOf(text: string): number {
  if (text.endsWith("==")) return 2;
  return text.endsWith("=") ? 1 : 0;
}
