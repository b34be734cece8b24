import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { PDFDict, PDFDocument, PDFName, type PDFPage, PDFString } from "pdf-lib";
import type { PreparedFile } from "../../services/sign/seal/byte-range.ts";
import { fixByteRange } from "../../services/sign/seal/byte-range.ts";
import { createPemSigner, type SealSigner } from "../../services/sign/seal/seal-signer.ts";
import { createSealer, type Sealer, seal } from "../../services/sign/seal/sealer.ts";
import { addSignaturePlaceholder } from "../../services/sign/seal/signature-placeholder.ts";
import { makeTestCertificate } from "../../services/sign/seal/test-certificate.ts";
import { findSeals } from "../../services/sign/seal/verify-seals.ts";
import { additionAfter } from "../../services/sign/verification/verify.ts";
import { findSeals as findSealsInBrowser } from "../../web/verify-document/seals.ts";

let sealer: Sealer;
let signer: SealSigner;
let sealed: Buffer;
let gap: PreparedFile;

beforeAll(async () => {
  const files = await makeTestCertificate({ name: "Test seal", now: new Date("2026-01-01T00:00:00Z"), years: 10 });
  signer = createPemSigner(files);
  sealer = createSealer({ signer });
  gap = await prepare(await contract());
  await sealer.seal(gap, "B-B", AbortSignal.timeout(5_000));
  sealed = Buffer.from(gap.bytes);
});

/** With a field, a remark, and a second catalog and page that nothing refers to. */
async function contract(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([400, 300]);
  page.drawText("I pay 100 EUR");
  const field = document.getForm().createTextField("amount");
  field.setText("100");
  field.addToPage(page, { x: 50, y: 50, width: 100, height: 20 });
  const { context } = document;
  context.register(context.obj({ Type: "Page", Parent: document.catalog.get(PDFName.of("Pages")) }));
  return document.save({ useObjectStreams: false });
}

async function prepare(original: Uint8Array): Promise<PreparedFile> {
  const document = await PDFDocument.load(original, { forIncrementalUpdate: true, updateMetadata: false });
  addSignaturePlaceholder(document, sealer.statement("agreement-1", new Date()));
  return fixByteRange(await document.commit({ useObjectStreams: false }));
}

/** What both verifiers say; that they say the same is part of every test. */
async function verdictsOf(file: Buffer) {
  const found = findSeals(file).map(({ isIntact, coversWholeFile, certificate, addedBytes, signedPartSha256 }) => ({
    said: { isIntact, coversWholeFile, isOurs: certificate !== undefined && sealer.isOurs(certificate) },
    ...{ addedBytes, signedPartSha256 },
  }));
  const inBrowser = (await findSealsInBrowser(new Uint8Array(file))).map(
    ({ isIntact, coversWholeFile, certificate }) => ({
      ...{ isIntact, coversWholeFile, isOurs: certificate !== undefined && sealer.isOurs(certificate.whole) },
    }),
  );
  expect(inBrowser).toEqual(found.map(({ said }) => said));
  return found;
}

const holds = { isIntact: true, coversWholeFile: true, isOurs: true };

async function revised(change: (document: PDFDocument, page: PDFPage) => unknown): Promise<Buffer> {
  const document = await PDFDocument.load(sealed, { forIncrementalUpdate: true, updateMetadata: false });
  await change(document, document.getPage(0));
  return Buffer.from(await document.commit({ useObjectStreams: false }));
}

const appended = (text: string): Buffer => Buffer.concat([sealed, Buffer.from(text, "latin1")]);
const lastXref = (): string => /startxref\s+(\d+)/.exec(sealed.subarray(-100).toString("latin1"))?.[1] ?? "";
const lie = "9 0 obj\n<</Length 0>>\nstream\n\nendstream\nendobj\n";

test("a sealed file is intact, ours, and covered as a whole", async () => {
  expect(await verdictsOf(sealed)).toMatchObject([{ said: holds, addedBytes: 0, signedPartSha256: undefined }]);
});

describe("what is added after the seal is told of, with what it is", () => {
  test.each<[string, () => Promise<Buffer> | Buffer, string]>([
    [
      "shadow attack that hides",
      () => revised((document, page) => setContent(document, page, "")),
      "contents of a page",
    ],
    ["shadow attack that replaces", () => revised(setAmount), "written anew"],
    ["shadow attack that hides and replaces", otherCatalog, "another catalog"],
    [
      "shadow attack that draws over it",
      () => revised((_, page) => page.drawText("more")),
      "drawn onto the sealed pages",
    ],
    ["incremental saving of a page", () => revised((document) => document.addPage()), "the list of pages"],
    [
      "incremental saving without a cross-reference",
      () => appended(`${lie}trailer\n<</Root 1 0 R>>\n%%EOF\n`),
      "bytes",
    ],
    ["incremental saving without a trailer", () => appended(lie), "bytes"],
    [
      "incremental saving with a false cross-reference",
      () => appended(`${lie}startxref\n7\n%%EOF\n`),
      "cross-reference",
    ],
    ["incremental saving with the old cross-reference", () => appended(`startxref\n${lastXref()}\n%%EOF\n`), "bytes"],
    ["incremental saving with a copied signature", copiedSignature, "cross-reference"],
    ["evil annotation", () => revised(addNote), "neither the seal nor a mark"],
    ["sneaky signature field", () => revised(addSneakyField), "field"],
    ["blanks", () => appended("\n\n"), "blanks"],
  ])("%s", async (_, make, addition) => {
    const file = Buffer.from(await make());
    const found = await verdictsOf(file);
    const addedBytes = file.length - sealed.length;
    expect(addedBytes).toBeGreaterThan(0);
    const said = { ...holds, coversWholeFile: false };
    expect(found).toMatchObject([{ said, addedBytes, signedPartSha256: createHash("sha256").update(sealed).digest() }]);
    expect(additionAfter(file, addedBytes)).toContain(addition);
  });
});

describe("signature wrapping: nothing holds in which the signature stands elsewhere", () => {
  /** Says where the signature will stand once it is moved to behind it. */
  const trap = (...numbers: readonly number[]): string =>
    `%/ByteRange [0 ${numbers.map((number) => String(number).padStart(10, "0")).join(" ")}]/Contents`;

  async function trapped(...numbers: readonly number[]) {
    const original = Buffer.from(await contract());
    const xref = /startxref\s+(\d+)/.exec(original.subarray(-100).toString("latin1"))?.[1];
    const prepared = await prepare(
      Buffer.concat([original, Buffer.from(`${trap(...numbers)}\nstartxref\n${xref}\n%%EOF\n`)]),
    );
    return { prepared, start: original.length + trap(...numbers).length };
  }

  test("moved to a place that the document has kept for it, which is not even sealed", async () => {
    const { prepared: first, start } = await trapped(0, 0, 0);
    const size = first.end - first.start;
    const { prepared } = await trapped(start, start + size, first.bytes.length - start - size);
    await seal(prepared, signer);
    const file = Buffer.from(prepared.bytes);
    const signature = file.subarray(prepared.start, prepared.end);
    const covered = Buffer.concat([file.subarray(0, prepared.start), file.subarray(prepared.end)]);
    // The very bytes that were signed, and the very signature.
    const moved = Buffer.concat([covered.subarray(0, start), signature, covered.subarray(start)]);
    for (const one of [moved, file]) {
      expect((await verdictsOf(one)).map(({ said }) => said)).toEqual([{ ...holds, isIntact: false }]);
    }
    await expect(sealer.seal(prepared, "B-B", AbortSignal.timeout(5_000))).rejects.toThrow("does not hold");
  });

  test("a gap that holds objects, or more than one text", async () => {
    for (const hidden of [" > 9 0 obj <</Type/Page>> endobj <", "00><00", "0 0"]) {
      const file = Buffer.from(sealed);
      file.write(hidden, gap.end - 1 - hidden.length, "latin1");
      expect((await verdictsOf(file)).map(({ said }) => said.isIntact)).toEqual([false]);
    }
  });

  test("a second range, before and after the true one, that covers more", async () => {
    const { start, end } = gap;
    const longer = appended(`%/ByteRange [0 ${start} ${end} ${sealed.length - end + 100}]`.padEnd(100));
    for (const { said } of await verdictsOf(longer)) expect(said.isIntact && said.coversWholeFile).toBe(false);
    const wider = Buffer.from(sealed.toString("latin1").replace(/\/ByteRange \[ 0 \d+/, "/ByteRange [ 0 9"), "latin1");
    for (const { said } of await verdictsOf(wider)) expect(said).not.toEqual(holds);
  });

  test("so many ranges that the true one is not reached", async () => {
    const crowd = "/ByteRange [0 1 2 3] ".repeat(1_200);
    for (const { said } of await verdictsOf(appended(crowd))) expect(said.isIntact).toBe(false);
  });
});

describe("universal signature forgery: what is missing or empty proves nothing", () => {
  const text = (): string => sealed.toString("latin1");
  const range = /\/ByteRange \[[^\]]*\]/;
  test.each<[string, () => string]>([
    ["no range", () => text().replace(range, "")],
    ["a range that is null", () => text().replace(range, "/ByteRange null")],
    ["a range of one number", () => text().replace(range, "/ByteRange [0]")],
    ["a range of zeros", () => text().replace(range, "/ByteRange [0 0 0 0]")],
    ["a range below zero", () => text().replace(range, "/ByteRange [0 -1 -1 -1]")],
    ["a range that does not begin at the beginning", () => text().replace("/ByteRange [ 0", "/ByteRange [ 1")],
    ["no contents", () => text().replace(/\/Contents\s*<[0-9a-f]{1000,}>/, "")],
    ["contents that are null", () => text().replace(/\/Contents\s*<[0-9a-f]{1000,}>/, "/Contents null")],
    ["contents of nothing", () => withContents("")],
    ["contents of one zero", () => withContents("00")],
    ["contents of zeros", () => withContents("00".repeat(4_000))],
    ["contents of an empty sequence", () => withContents("3000")],
    ["contents without a signer", () => withContents("300b06092a864886f70d010702")],
  ])("%s", async (_, make) => {
    const file = Buffer.from(make(), "latin1");
    expect(file.equals(sealed)).toBe(false);
    for (const { said } of await verdictsOf(file)) expect(said.isIntact).toBe(false);
  });
});

/** In the same room, so that the range still fits. */
function withContents(hex: string): string {
  const file = Buffer.from(sealed);
  file.write(hex.padEnd(gap.end - gap.start - 2, "0"), gap.start + 1, "latin1");
  return file.toString("latin1");
}

function setContent(document: PDFDocument, page: PDFPage, content: string): void {
  page.node.set(PDFName.of("Contents"), document.context.register(document.context.stream(content)));
}

function setAmount(document: PDFDocument): void {
  for (const [ref, object] of document.context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict) || !object.has(PDFName.of("T")) || object.has(PDFName.of("V")) === false) continue;
    if (object.get(PDFName.of("FT")) !== PDFName.of("Tx")) continue;
    object.set(PDFName.of("V"), PDFString.of("1,000,000"));
    document.context.snapshot?.markRefForSave(ref);
  }
}

/** A revision of a cross-reference and a trailer only, which choose another catalog among what was signed. */
function otherCatalog(): Buffer {
  const pages = /(\d+) 0 obj\s*<<\s*\/Type \/Pages/.exec(sealed.toString("latin1"))?.[1];
  const trailer = `<</Size 99/Root ${pages} 0 R/Prev ${lastXref()}>>`;
  return appended(`xref\n0 1\n0000000000 65535 f \ntrailer\n${trailer}\nstartxref\n${sealed.length}\n%%EOF\n`);
}

function copiedSignature(): Buffer {
  const at = sealed.lastIndexOf(" 0 obj", sealed.lastIndexOf("/ByteRange"));
  return Buffer.concat([sealed, Buffer.from("\n8"), sealed.subarray(at, sealed.indexOf("endobj", at) + 7)]);
}

function addNote(document: PDFDocument, page: PDFPage): void {
  const { context } = document;
  const note = { Type: "Annot", Subtype: "FreeText", Rect: [0, 0, 400, 300], Contents: PDFString.of("1,000,000") };
  page.node.addAnnot(context.register(context.obj(note)));
}

function addSneakyField(document: PDFDocument, page: PDFPage): void {
  const { context } = document;
  const look = context.register(context.stream("0 0 400 300 re f", { Subtype: "Form", BBox: [0, 0, 400, 300] }));
  const field = { Type: "Annot", Subtype: "Widget", FT: "Sig", T: PDFString.of("more"), Rect: [0, 0, 400, 300] };
  page.node.addAnnot(context.register(context.obj({ ...field, AP: { N: look }, MK: {} })));
}
