import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import { describeWithTools } from "#platform/testing/judges.ts";
import { coveredPieces, fixByteRange } from "../byte-range.ts";
import { createPemSigner, type SealSigner } from "../seal-signer.ts";
import { seal } from "../sealer.ts";
import { addSignaturePlaceholder } from "../signature-placeholder.ts";
import { type CertificateFiles, makeTestCertificate } from "../test-certificate.ts";
import { findSeals } from "../verify-seals.ts";

const run = promisify(execFile);
const now = new Date("2026-11-21T10:00:00Z");
const statement = { name: "Assent", reason: "Sealed when everybody had signed", sealedAt: now };

let files: CertificateFiles;
let signer: SealSigner;
let folder: string;

beforeAll(async () => {
  files = await makeTestCertificate({ name: "Test seal", now: new Date("2026-01-01T00:00:00Z"), years: 10 });
  signer = createPemSigner(files);
  folder = await mkdtemp(join(tmpdir(), "seal-"));
  await writeFile(join(folder, "certificate.pem"), files.certificates);
});

afterAll(() => rm(folder, { recursive: true }));

async function twoPages(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const text of ["One", "Two"]) document.addPage().drawText(text);
  return document.save();
}

async function sealed(bytes: Uint8Array, isIncremental = false): Promise<Buffer> {
  const document = await PDFDocument.load(bytes, { forIncrementalUpdate: isIncremental });
  addSignaturePlaceholder(document, statement);
  const prepared = fixByteRange(
    isIncremental
      ? await document.commit({ useObjectStreams: false })
      : await document.save({ useObjectStreams: false }),
  );
  await expect(seal(prepared, signer)).resolves.toBe("B-B");
  return Buffer.from(prepared.bytes);
}

async function inFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describeWithTools(["pdfsig", "qpdf", "openssl"], "seal", () => {
  test("pdfsig, qpdf and openssl accept what was sealed", async () => {
    const file = await sealed(await twoPages());
    const path = await inFile("sealed.pdf", file);

    const { stdout } = await run("pdfsig", ["-nocert", path]);
    expect(stdout).toContain("Signature Validation: Signature is Valid.");
    expect(stdout).toContain("Signature Type: ETSI.CAdES.detached");
    expect(stdout).toContain("Total document signed");
    await run("qpdf", ["--check", path]);

    const [found] = /\/ByteRange \[ 0 \d+ \d+/.exec(file.toString("latin1")) ?? [];
    const [start = 0, end = 0] = (found ?? "").split(" ").slice(3).map(Number);
    const covered = Buffer.concat(coveredPieces({ bytes: file, start, end }));
    const signature = await inFile("seal.der", Buffer.from(file.toString("latin1", start + 1, end - 1), "hex"));
    const content = await inFile("covered.bin", covered);
    const certificate = join(folder, "certificate.pem");
    await run("openssl", [
      "cms",
      "-verify",
      "-binary",
      "-inform",
      "DER",
      "-in",
      signature,
      "-content",
      content,
      "-CAfile",
      certificate,
      "-purpose",
      "any",
      "-out",
      join(folder, "out"),
    ]);
    const attributes = await run("openssl", ["cms", "-cmsout", "-print", "-inform", "DER", "-in", signature]);
    expect(attributes.stdout).toContain("signingCertificateV2");
    expect(attributes.stdout).not.toContain("signingTime");
  });

  test("any changed byte that it covers is found", async () => {
    const file = await sealed(await twoPages());
    expect(findSeals(file)).toMatchObject([{ isIntact: true, coversWholeFile: true }]);
    const start = file.indexOf("/Contents <");
    for (let at = 20; at < file.length - 1; at += Math.ceil(file.length / 200)) {
      // The signature itself has padding whose bytes mean nothing.
      if (at > start - 200 && at < start + 30_000) continue;
      const changed = Buffer.from(file);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(findSeals(changed).every(({ isIntact }) => !isIntact)).toBe(true);
    }
  });

  test("a file that carries a signature keeps it", async () => {
    const first = await sealed(await twoPages());
    const second = await sealed(first, true);
    expect(second.subarray(0, first.length).equals(first)).toBe(true);
    expect(findSeals(second)).toMatchObject([
      { isIntact: true, coversWholeFile: false },
      { isIntact: true, coversWholeFile: true },
    ]);
    const path = await inFile("twice.pdf", second);
    const { stdout } = await run("pdfsig", ["-nocert", path]);
    expect(stdout.match(/Signature is Valid/g)).toHaveLength(2);
    await run("qpdf", ["--check", path]);
  });

  test("what was added after the seal is found", async () => {
    const file = await sealed(await twoPages());
    const longer = Buffer.concat([file, Buffer.from("\n% more\n")]);
    expect(findSeals(longer)).toMatchObject([{ isIntact: true, coversWholeFile: false }]);
  });

  test("a time-stamping authority that fails is told of, and the file is sealed without it", async () => {
    const document = await PDFDocument.load(await twoPages());
    addSignaturePlaceholder(document, statement);
    const prepared = fixByteRange(await document.save({ useObjectStreams: false }));
    const failures: unknown[] = [];
    const level = await seal(prepared, signer, {
      stamp: () => Promise.reject(new Error("away")),
      onFailure: (error) => failures.push(error),
    });
    expect(level).toBe("B-B");
    expect(failures).toHaveLength(1);
    expect(findSeals(Buffer.from(prepared.bytes))).toMatchObject([{ isIntact: true }]);
  });

  test("a key that does not fit the certificate, or is weak, is refused", async () => {
    const other = await makeTestCertificate({ name: "Other", now, years: 1 });
    expect(() => createPemSigner({ key: other.key, certificates: files.certificates })).toThrow("does not belong");
    expect(() => createPemSigner({ key: files.key, certificates: "" })).toThrow("no certificate");
  });
});
