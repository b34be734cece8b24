import { beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { PDFDocument } from "pdf-lib";
import { fixByteRange } from "../../seal/byte-range.ts";
import { createPemSigner } from "../../seal/seal-signer.ts";
import { seal } from "../../seal/sealer.ts";
import { addSignaturePlaceholder } from "../../seal/signature-placeholder.ts";
import { makeTestCertificate } from "../../seal/test-certificate.ts";
import { findSeals } from "../../seal/verify-seals.ts";

const sealedAt = new Date("2026-11-21T10:00:00Z");
let sealed: Buffer;
let gap: { start: number; end: number };

beforeAll(async () => {
  const files = await makeTestCertificate({ name: "Test seal", now: new Date("2026-01-01T00:00:00Z"), years: 10 });
  const document = await PDFDocument.create();
  document.addPage().drawText("Agreed");
  addSignaturePlaceholder(document, { name: "Assent", reason: "Sealed", sealedAt });
  const prepared = fixByteRange(await document.save({ useObjectStreams: false }));
  await seal(prepared, createPemSigner(files));
  sealed = Buffer.from(prepared.bytes);
  gap = prepared;
});

/** A file that has this signature, over all the rest of it. */
function withSignature(contents: string): Buffer {
  const at = sealed.indexOf("/ByteRange");
  const after = sealed.subarray(gap.end);
  const head = (end: number): string =>
    `%PDF-1.7\n/ByteRange [0 ${pad(at)} ${pad(end)} ${pad(after.length)}] /Contents`;
  const start = head(0).length;
  const end = start + contents.length;
  const range = head(end).replace(pad(at), pad(start));
  return Buffer.concat([Buffer.from(range + contents, "latin1"), after]);
}

const pad = (n: number): string => String(n).padStart(10, "0");

const milliseconds = (work: () => void): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

describe("signatures of files of strangers", () => {
  test("tell when they were made", () => {
    expect(findSeals(sealed)).toMatchObject([{ isIntact: true, coversWholeFile: true, claimedAt: sealedAt }]);
  });

  test("nothing can hide in the gap that the signature leaves: all of it must be its digits", () => {
    const digits = sealed.toString("latin1", gap.start + 1, gap.end - 1);
    const hidden = " > 9 0 obj <</Type/Page>> endobj <";
    const end = digits.length - hidden.length;
    // As many bytes as before, so that the range still fits; the padding behind the signature makes room.
    const changed = Buffer.from(sealed);
    changed.write(digits.slice(0, end) + hidden, gap.start + 1, "latin1");
    expect(findSeals(changed)).toMatchObject([{ isIntact: false, coversWholeFile: true }]);
  });

  test("any bytes changed, removed or doubled never make it throw, and never leave another file intact", () => {
    const bytes = fc.nat({ max: sealed.length - 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(bytes, fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 }), (changes) => {
        const changed = Buffer.from(sealed);
        for (const [at, value] of changes) changed.writeUInt8(value, at);
        const isCovered = changes.some(([at]) => (at < gap.start || at >= gap.end) && changed[at] !== sealed[at]);
        for (const { isIntact } of findSeals(changed)) if (isIntact) expect(isCovered).toBe(false);
      }),
      { numRuns: 400 },
    );
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const changed = Buffer.concat([sealed.subarray(0, a), sealed.subarray(b)]);
        for (const { isIntact, coversWholeFile } of findSeals(changed)) {
          if (isIntact && coversWholeFile) expect(changed.equals(sealed)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("large hostile files take no longer than they are large", () => {
    const place = "/ByteRange [0 1 2 3] ";
    const many = Buffer.from(place.repeat(1_500_000));
    const nested = withSignature(`<${"3080".repeat(30_000)}>`);
    const long = withSignature(`<${"30".repeat(12_000_000)}>`);
    const items = withSignature(`<3083${(60_000 * 2).toString(16).padStart(6, "0")}${"0500".repeat(60_000)}>`);
    for (const file of [many, nested, long, items]) {
      let found: unknown[] = [];
      expect(milliseconds(() => (found = findSeals(file)))).toBeLessThan(30_000);
      for (const one of found) expect(one).toMatchObject({ isIntact: false });
    }
    expect(findSeals(nested)).toHaveLength(1);
  });
});
