import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithTools, judgeSignatures, judges } from "#platform/testing/judges.ts";
import { createTypesetter } from "../../services/docgen/typesetting/typesetter.ts";
import { createFontLibrary } from "../../services/sign/completion/font-library.ts";
import type { Mark } from "../../services/sign/completion/mark.ts";
import { checkPdf } from "../../services/sign/intake/check-pdf.ts";
import { prepareSeal } from "../../services/sign/intake/prepare-seal.ts";
import { createPemSigner } from "../../services/sign/seal/seal-signer.ts";
import { seal } from "../../services/sign/seal/sealer.ts";
import { makeTestCertificate } from "../../services/sign/seal/test-certificate.ts";
import { allMarks, typesetInput } from "./marked-files.ts";

const run = promisify(execFile);

describeWithTools([judges.signatures, "pdfsig", "pdftotext", "qpdf"], "files that others have signed", () => {
  let folder: string;
  const fonts = createFontLibrary();
  const pathOf = (name: string): string => join(folder, `${name}.pdf`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "signed-before-"));
    await writeFile(pathOf("source"), createTypesetter().typeset(typesetInput("pdf")).pdf);
    await run(judges.signatures, ["make", pathOf("source"), folder]);
    await run("qpdf", ["--linearize", "--object-streams=generate", pathOf("source"), pathOf("web")]);
    await run(judges.signatures, ["make", pathOf("web"), folder, "web-"]);
    await writeFile(pathOf("source"), createTypesetter().typeset(typesetInput("pdf/ua-1")).pdf);
    await run(judges.signatures, ["make", pathOf("source"), folder, "accessible-"]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function sealed(kind: string, marks: readonly Mark[]): Promise<string> {
    const bytes = await readFile(pathOf(kind));
    const { isSigned } = await checkPdf(bytes);
    expect(isSigned).toBe(true);
    const statement = { name: "Seal", reason: "Everybody has signed", sealedAt: new Date(0) };
    const prepared = await prepareSeal({ bytes, isSigned, marks, statement }, fonts);
    const now = new Date("2026-01-01T00:00:00Z");
    await seal(prepared, createPemSigner(await makeTestCertificate({ name: "Test seal", now, years: 10 })));
    expect(Buffer.from(prepared.bytes).subarray(0, bytes.length).equals(bytes)).toBe(true);
    await writeFile(pathOf(`${kind}-sealed`), prepared.bytes);
    return pathOf(`${kind}-sealed`);
  }

  test.each([
    ["approved", allMarks],
    ["accessible-approved", allMarks],
    ["web-approved", allMarks],
    ["locked-include", allMarks],
    ["certified-2", []],
    ["certified-3", []],
    ["locked-include-2", []],
  ])("keep a signature that is valid, and permits what was added, when one is %s", async (kind, marks) => {
    const path = await sealed(kind, marks);
    const [signatures = []] = await judgeSignatures([path]);
    expect(signatures).toMatchObject([
      { field: "Before", isIntact: true, changes: "FORM_FILLING", arePermitted: true },
      { isIntact: true, changes: "NONE", arePermitted: true },
    ]);
    const { stdout } = await run("pdfsig", ["-nocert", path]);
    expect(stdout.match(/Signature is Valid/g)).toHaveLength(2);
    const text = (await run("pdftotext", [path, "-"])).stdout;
    for (const mark of marks) if (mark.kind === "text") expect(text).toContain(mark.text);
    expect(text).toContain("I pay 100 EUR.");
  });

  test("no longer claim to be PDF/UA with marks that cannot be tagged, and still do without marks", async () => {
    expect((await checkPdf(await readFile(pathOf("accessible-approved")))).warnings).toEqual(["PDF_UA_CLAIM_DROPPED"]);
    const claims = async (marks: readonly Mark[]): Promise<boolean> => {
      const bytes = await readFile(await sealed("accessible-approved", marks));
      const { stdout } = await run("pdfinfo", ["-meta", pathOf("accessible-approved-sealed")]);
      expect(bytes.length).toBeGreaterThan(0);
      return stdout.includes("pdfuaid:part");
    };
    expect([await claims(allMarks), await claims([])]).toEqual([false, true]);
  });

  test.each(["certified-1", "locked-all", "locked-exclude", "locked-include-1"])(
    "are refused when what they lock is %s",
    async (kind) => {
      await expect(checkPdf(await readFile(pathOf(kind)))).rejects.toThrow("The PDF is signed, and");
    },
  );

  test("are what the judge warns of when the content of their pages is changed", async () => {
    const bytes = await readFile(pathOf("approved"));
    const statement = { name: "Seal", reason: "", sealedAt: new Date(0) };
    const prepared = await prepareSeal({ bytes, isSigned: false, marks: allMarks, statement }, fonts);
    await writeFile(pathOf("changed"), prepared.bytes);
    const [signatures = []] = await judgeSignatures([pathOf("changed")]).catch(() => [[]]);
    expect(signatures.find(({ field }) => field === "Before")?.arePermitted ?? false).toBe(false);
  });
});
