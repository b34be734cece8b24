import { describe, expect, test } from "@jest/globals";
import { fromBER, ObjectIdentifier } from "asn1js";
import fc from "fast-check";
import { elementsIn, encode, encodeIdentifier, readElement, tags } from "../cms.ts";

const octets = fc.uint8Array({ maxLength: 300 }).map((bytes) => encode(tags.octets, bytes));

/** Elements within elements. */
const { tree } = fc.letrec<{ tree: Buffer }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    octets,
    fc.array(tie("tree"), { maxLength: 4 }).map((parts) => encode(tags.sequence, ...parts)),
  ),
}));

/** The same with an end in place of every length, as some programs write their signatures. */
function endless(der: Buffer): Buffer {
  const element = readElement(der);
  if (element.tag !== tags.sequence) return der;
  return Buffer.concat([Buffer.of(element.tag, 0x80), ...elementsIn(element).map(({ bytes }) => endless(bytes)), end]);
}

const end = Buffer.of(0, 0);

describe("DER", () => {
  test("what is written is what a general library reads", () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const der = encode(tags.octets, Buffer.alloc(length, 7));
      const { offset, result } = fromBER(new Uint8Array(der));
      expect([offset, result.valueBlock.blockLength]).toEqual([der.length, length]);
      expect(readElement(der).content).toHaveLength(length);
    }
    for (const identifier of ["1.2.840.113549.1.9.16.2.47", "2.16.840.1.101.3.4.2.1", "0.4.0.127"]) {
      const { result } = fromBER(new Uint8Array(encodeIdentifier(identifier)));
      expect(result instanceof ObjectIdentifier && result.valueBlock.toString()).toBe(identifier);
    }
  });

  test("lengths that are not told change nothing of what is read", () => {
    const read = (der: Buffer): unknown => {
      const element = readElement(der);
      if (element.tag !== tags.sequence) return element.content.toString("hex");
      return elementsIn(element).map(({ bytes }) => read(bytes));
    };
    fc.assert(fc.property(tree, (der) => expect(read(endless(der))).toEqual(read(der))));
  });

  test("what is cut off is refused", () => {
    fc.assert(
      fc.property(tree, fc.nat(), (der, at) => {
        for (const whole of [der, endless(der)]) {
          expect(() => readElement(whole.subarray(0, at % whole.length))).toThrow();
        }
      }),
    );
  });
});
