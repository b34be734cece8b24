/** The header of a PNG of this size, with so many bytes after it. */
export function pngOf(width: number, height: number, rest = 0): Buffer {
  const header = Buffer.from("89504e470d0a1a0a0000000d4948445200000000000000000802000000deadbeef", "hex");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return Buffer.concat([header, Buffer.alloc(rest, 7)]);
}

/** The header of a JPEG of this size, behind what cameras put before it. */
export function jpegOf(width: number, height: number, marker = 0xc2): Buffer {
  const frame = Buffer.from("ff00000b080000000003012200", "hex");
  frame.writeUInt8(marker, 1);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const before = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc4000401fffffe0004ffc0", "hex");
  return Buffer.concat([before, frame, Buffer.from("ffd9", "hex")]);
}
