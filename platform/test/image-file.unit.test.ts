import { crc32, deflateSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { onePixel } from "#api/kinds.ts";
import { ImageFault, readWholeImage } from "../image-file.ts";

const limits = { maxPixels: 1_000_000, maxSide: 2_000 };

function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), framed.length - 4);
  return framed;
}

interface Kind {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly colour?: number;
  readonly interlace?: number;
}

function header({ width, height, depth = 8, colour = 0, interlace = 0 }: Kind): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour, 0, 0, interlace], 8);
  return chunk("IHDR", data);
}

const signature = Buffer.from("89504e470d0a1a0a", "hex");
const png = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([signature, ...chunks]);
/** A picture whose lines have so many bytes, one of them for the filter. */
const plain = (kind: Kind, lineBytes: number, lines = kind.height): Buffer =>
  png(header(kind), chunk("IDAT", deflateSync(Buffer.alloc(lineBytes * lines))), chunk("IEND"));

/** Eight by four grey pixels, as a browser writes them. */
const jpeg = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAEAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKgA/9k=",
  "base64",
);

const refused = async (bytes: Uint8Array): Promise<string> => {
  try {
    return JSON.stringify(await readWholeImage(bytes, limits));
  } catch (error) {
    if (error instanceof ImageFault) return error.message;
    throw error;
  }
};

describe("a PNG", () => {
  test.each([
    ["the smallest there is", Buffer.from(onePixel, "base64"), 1, 1],
    ["grey", plain({ width: 5, height: 3 }, 6), 5, 3],
    ["one bit a pixel", plain({ width: 9, height: 3, depth: 1 }, 3), 9, 3],
    ["all colours in sixteen bits", plain({ width: 2, height: 2, depth: 16, colour: 6 }, 17), 2, 2],
    // Five passes with pixels: lines of 2, 2, 3, twice 3, and twice 5 bytes.
    ["interlaced", plain({ width: 4, height: 4, interlace: 1 }, 23, 1), 4, 4],
  ])("is read when it is whole: %s", async (_name, bytes, width, height) => {
    expect(await readWholeImage(bytes, limits)).toEqual({ contentType: "image/png", width, height });
  });

  const kind = { width: 5, height: 3 };
  const data = chunk("IDAT", deflateSync(Buffer.alloc(18)));
  const damaged = "is a damaged PNG";
  test.each([
    ["without pixels", png(header({ width: 0, height: 3 }), data, chunk("IEND")), "must have at least one pixel"],
    [
      "too wide",
      plain({ width: 2_001, height: 1 }, 2_002),
      "must have at most 1 million pixels, and 2000 on each side",
    ],
    [
      "too large",
      png(header({ width: 2_000, height: 2_000 })),
      "must have at most 1 million pixels, and 2000 on each side",
    ],
    ["of a kind that there is not", plain({ ...kind, depth: 3 }, 6), "is a PNG of an unknown kind"],
    ["with a line too few", plain(kind, 6, 2), damaged],
    ["with a byte too many", plain(kind, 7), damaged],
    [
      "that grows without end",
      png(header(kind), chunk("IDAT", deflateSync(Buffer.alloc(9_000_000))), chunk("IEND")),
      damaged,
    ],
    [
      "with a filter that there is not",
      png(header(kind), chunk("IDAT", deflateSync(Buffer.alloc(18, 9))), chunk("IEND")),
      damaged,
    ],
    ["whose data are no data", png(header(kind), chunk("IDAT", Buffer.from("nothing")), chunk("IEND")), damaged],
    [
      "with something behind its data",
      png(
        header(kind),
        chunk("IDAT", Buffer.concat([deflateSync(Buffer.alloc(18)), Buffer.from("PK")])),
        chunk("IEND"),
      ),
      damaged,
    ],
    ["without data", png(header(kind), chunk("IEND")), damaged],
    ["whose data are apart", png(header(kind), data, chunk("tIME"), data, chunk("IEND")), damaged],
    ["without an end", png(header(kind), data), damaged],
    ["with two headers", png(header(kind), header(kind), data, chunk("IEND")), damaged],
    ["without the colours that it names", plain({ ...kind, colour: 3 }, 6), damaged],
    [
      "with something that must be understood and is not",
      png(header(kind), chunk("ABCD"), data, chunk("IEND")),
      damaged,
    ],
    ["that moves", png(header(kind), chunk("acTL"), data, chunk("IEND")), "must be one picture, and not move"],
    [
      "that goes on behind its end",
      Buffer.concat([plain(kind, 6), Buffer.from("PK\u0003\u0004")]),
      "must end where the picture ends",
    ],
  ])("is refused %s", async (_name, bytes, message) => {
    expect(await refused(bytes)).toBe(message);
  });

  test("is refused wherever it is cut off, and wherever a bit of it is another one", async () => {
    const whole = plain({ width: 5, height: 3 }, 6);
    for (let length = 0; length < whole.length; length += 1) {
      expect(await refused(whole.subarray(0, length))).toMatch(/^(is|must) /);
    }
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 1;
      expect(await refused(changed)).toMatch(/^(is|must) /);
    }
  });
});

describe("a JPEG", () => {
  test("is read when it is whole, behind fill bytes and comments too", async () => {
    const facts = { contentType: "image/jpeg", width: 8, height: 4 };
    expect(await readWholeImage(jpeg, limits)).toEqual(facts);
    const comment = Buffer.from("fffffe000568692e", "hex");
    expect(await readWholeImage(Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]), limits)).toEqual(
      facts,
    );
  });

  test("is refused when its pixels are drawn over and over again", async () => {
    const scan = jpeg.subarray(jpeg.indexOf(Buffer.from("ffda", "hex")), -2);
    const with_ = (scans: number): Buffer =>
      Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(scans - 1).fill(scan), jpeg.subarray(-2)]);
    expect(await readWholeImage(with_(100), limits)).toMatchObject({ width: 8 });
    expect(await refused(with_(101))).toBe("must have at most 100 scans");
  });

  test("is refused when it is cut off or goes on, and when its parts are missing", async () => {
    for (let length = 0; length < jpeg.length; length += 1) {
      expect(await refused(jpeg.subarray(0, length))).toMatch(/^(is|must) /);
    }
    expect(await refused(Buffer.concat([jpeg, Buffer.from("PK")]))).toBe("must end where the picture ends");
    expect(await refused(Buffer.from("ffd8ffd9", "hex"))).toBe("is a damaged JPEG");
    const frame = jpeg.indexOf(Buffer.from("ffc0", "hex"));
    for (const [at, value, message] of [
      [frame + 1, 0xc3, "is a JPEG of an unknown kind"],
      [frame + 4, 12, "is a JPEG of an unknown kind"],
      [frame + 5, 0xff, "must have at most 1 million pixels, and 2000 on each side"],
      [frame + 1, 0xfe, "is a damaged JPEG"],
    ] as const) {
      const changed = Buffer.from(jpeg);
      changed[at] = value;
      expect(await refused(changed)).toBe(message);
    }
  });
});

test("nothing else is a picture, and reading ends on any bytes", async () => {
  for (const text of ["", "GIF89a", "<svg/>", "%PDF-1.7", "PK\u0003\u0004"]) {
    expect(await refused(Buffer.from(text))).toBe("must be a PNG or JPEG");
  }
  const beginnings = fc.constantFrom(Buffer.alloc(0), signature, jpeg.subarray(0, 2), jpeg.subarray(0, 40));
  await fc.assert(
    fc.asyncProperty(beginnings, fc.uint8Array({ maxLength: 200 }), async (beginning, bytes) => {
      await refused(Buffer.concat([beginning, bytes]));
    }),
    { numRuns: 300 },
  );
});
