import fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * What `unit: "binary"` of fast-check is: any character but halves of one. That one keeps a table of all million of them,
 * which takes most of a second to fill and 90 MB in every process of tests.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (text) => {
    const point = typeof text === "string" ? (text.codePointAt(0) ?? surrogates.first) : surrogates.first;
    const isHalf = point >= surrogates.first && point < surrogates.first + surrogates.count;
    if (isHalf || text !== String.fromCodePoint(point)) throw new Error("not one character");
    return point < surrogates.first ? point : point - surrogates.count;
  },
);
