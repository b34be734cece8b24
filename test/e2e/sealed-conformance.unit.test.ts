import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ParseSpeeds, PDFDict, PDFDocument, PDFHexString, PDFName } from "pdf-lib";
import { conformanceProblems, describeWithTools, judges } from "#platform/testing/judges.ts";
import { createCompiler } from "../../services/docgen/typesetting/compiler.ts";
import { loadFonts } from "../../services/docgen/typesetting/fonts.ts";
import { structureOf } from "../../services/docgen/typesetting/test/poppler.ts";
import { createTypesetter } from "../../services/docgen/typesetting/typesetter.ts";
import {
  sampleDocument,
  sampleDraft,
  sampleRecipient,
  sampleTime,
} from "../../services/sign/agreement/test/lifecycle-samples.ts";
import { certificateHtml } from "../../services/sign/certificate/print-certificate.ts";
import { createFontLibrary } from "../../services/sign/completion/font-library.ts";
import { checkPdf } from "../../services/sign/intake/check-pdf.ts";
import { prepareSeal } from "../../services/sign/intake/prepare-seal.ts";
import { createPemSigner, type SealSigner } from "../../services/sign/seal/seal-signer.ts";
import { seal } from "../../services/sign/seal/sealer.ts";
import { makeTestCertificate } from "../../services/sign/seal/test-certificate.ts";
import { allMarks, typesetInput } from "./marked-files.ts";

/** Of a standard that the typesetter does not offer. */
const compiled = (pdfStandard: string): Uint8Array => {
  const compiler = createCompiler("= Contract\nI pay 100 EUR.", loadFonts().blobs);
  const made = compiler.compile({ document: "{}", files: [], pdfStandard, createdAt: new Date(0), maxPages: 9 });
  if (made.kind !== "compiled") throw new Error(`no ${pdfStandard} was made`);
  return made.pdf;
};

describeWithTools([judges.conformance, "pdfinfo"], "a sealed file that says to which standard it keeps", () => {
  let folder: string;
  let signer: SealSigner;
  const fonts = createFontLibrary();
  const typesetter = createTypesetter();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "conformance-"));
    const now = new Date("2026-01-01T00:00:00Z");
    signer = createPemSigner(await makeTestCertificate({ name: "Test seal", now, years: 10 }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function sealed(name: string, bytes: Uint8Array, isCertificate = false): Promise<string> {
    const { isSigned, rewritten = bytes } = await checkPdf(Buffer.from(bytes));
    const marks = isCertificate ? [] : allMarks;
    const statement = { name: "Seal", reason: "Everybody has signed", sealedAt: sampleTime };
    const prepared = await prepareSeal({ bytes: rewritten, isSigned, isCertificate, marks, statement }, fonts);
    await seal(prepared, signer);
    const path = join(folder, `${name}.pdf`);
    await writeFile(path, prepared.bytes);
    return path;
  }

  test("keeps to it with all kinds of marks, by the judgement of veraPDF", async () => {
    const files = [
      ["1a", compiled("a-1a")],
      ["1b", compiled("a-1b")],
      ["2a", typesetter.typeset(typesetInput("pdf/a-2a")).pdf],
      ["3a", typesetter.typeset(typesetInput("pdf/a-3a")).pdf],
      ["4", compiled("a-4")],
      ["ua1", typesetter.typeset(typesetInput("pdf/ua-1")).pdf],
    ] as const;
    const paths: (readonly [string, string])[] = [];
    for (const [flavour, bytes] of files) paths.push([flavour, await sealed(flavour, bytes)]);
    expect(await conformanceProblems(...paths)).toBe("");
  });

  test("of another one is found wanting when a font is not in it", async () => {
    const document = await PDFDocument.load(typesetter.typeset(typesetInput("pdf/a-2a")).pdf, {
      updateMetadata: false,
      parseSpeed: ParseSpeeds.Fastest,
    });
    document.getPage(0).drawText("not embedded", { x: 60, y: 100 });
    const path = join(folder, "wanting.pdf");
    await writeFile(path, await document.save());
    expect(await conformanceProblems(["2a", path])).toMatch(/font programs/i);
  });

  test("is PDF/A-3 and PDF/UA when it is a certificate of completion", async () => {
    const recipients = ["1", "2"].map((id) =>
      sampleRecipient(id, { status: "completed", signature: { typed: "王 Ann", font: "caveat", drawnPng: "" } }),
    );
    const documents = [{ ...sampleDocument("1"), sealedSha256: Buffer.alloc(32, 2) }];
    const agreement = sampleDraft(recipients, { status: "completed", documents, completedAt: sampleTime });
    const html = certificateHtml(agreement, [], { organizationName: "Acme & Söhne", at: sampleTime });
    const { pdf } = typesetter.typeset({ ...typesetInput("pdf/a-3a"), html });
    const path = await sealed("certificate", pdf, true);
    expect(await conformanceProblems(["3a", path], ["ua1", path])).toBe("");
  });

  test("tells those who cannot see it what the marks are, in the order of the structure", async () => {
    const { pdf } = typesetter.typeset(typesetInput("pdf/ua-1"));
    const path = await sealed("accessible", pdf);
    const document = await PDFDocument.load(await readFile(path));
    expect(document.getPage(0).node.lookup(PDFName.of("Tabs"))).toBe(PDFName.of("S"));
    expect(structureOf(await readFile(path))).toMatch(/Contract[\s\S]*filled in[\s\S]*Form/);
    const alternatives = document.context.enumerateIndirectObjects().flatMap(([, object]) => {
      const said = object instanceof PDFDict ? object.lookup(PDFName.of("Alt")) : undefined;
      return said instanceof PDFHexString ? [said.decodeText()] : [];
    });
    expect(alternatives).toContain("Ann Example (Ann Example, 2026-11-22 10:00 UTC)");
  });
});
