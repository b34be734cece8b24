import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readImage } from "../domain/asset.ts";
import { jpegOf, pngOf } from "./images.ts";

describe("readImage", () => {
  test("reads the size of a PNG", () => {
    expect(readImage(pngOf(640, 70_000))).toEqual({ contentType: "image/png", width: 640, height: 70_000 });
  });

  test.each([0xc0, 0xc1, 0xc2, 0xcf])(
    "reads the size of a JPEG with the frame %i, behind tables and comments",
    (marker) => {
      expect(readImage(jpegOf(640, 480, marker))).toEqual({ contentType: "image/jpeg", width: 640, height: 480 });
    },
  );

  test("reads from within a larger buffer", () => {
    const whole = Buffer.concat([Buffer.from("before"), pngOf(3, 4)]);
    expect(readImage(whole.subarray(6))).toMatchObject({ width: 3, height: 4 });
  });

  test.each([
    ["nothing", ""],
    ["a GIF", "474946383961010001008000"],
    ["a text", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("hex")],
    ["the signature of a PNG alone", "89504e470d0a1a0a"],
    ["a PNG that does not begin with its header", pngOf(1, 1).toString("hex").replace("49484452", "49444154")],
    ["a PNG without width", pngOf(0, 1).toString("hex")],
    ["a JPEG without height", jpegOf(1, 0).toString("hex")],
    ["a JPEG without a frame", "ffd8ffda000c03010002110311003f00"],
    ["a JPEG that goes on with anything", "ffd8000102030405060708090a0b0c"],
    ["a JPEG with segments without end", "ffd8ffe0fffffffffffffffffffff"],
  ])("does not take %s for an image", (_name, hex) => {
    expect(readImage(Buffer.from(hex, "hex"))).toBeUndefined();
  });

  test("ends on any bytes", () => {
    const seed = Date.now() % 2 ** 31;
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, fc.constantFrom("", "ffd8", "89504e470d0a1a0a0000000d49484452"), (rest, start) => {
        readImage(Buffer.concat([Buffer.from(start, "hex"), rest]));
      }),
      { seed, numRuns: 2000 },
    );
  });
});
