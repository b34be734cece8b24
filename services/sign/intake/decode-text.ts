/** The text of a file: UTF-16 with its mark, UTF-8, or else windows-1252, which can be any bytes. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = marks.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))?.encoding;
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const marks = [
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" },
];
