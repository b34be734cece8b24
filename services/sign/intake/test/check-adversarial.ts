import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFDict, PDFName } from "pdf-lib";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { createFontLibrary } from "../../completion/font-library.ts";
import { checkPdf, trySealing } from "../check-pdf.ts";
import { prepareSeal } from "../prepare-seal.ts";
import { openDocument } from "../reading/read-graph.ts";
import { adversarialPdf } from "./adversarial-pdfs.ts";
import { emptySignature } from "./signed-pdf.ts";

export interface AdversarialCounts {
  taken: number;
  refused: number;
}

/** Each seed is one file. Rejects with the seed of one that is read differently, or has something in it that acts. */
export async function checkAdversarialFiles(
  first: number,
  count: number,
  toolsEach: number,
): Promise<AdversarialCounts> {
  const counts = { taken: 0, refused: 0 };
  const folder = mkdtempSync(join(tmpdir(), "adversarial-"));
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      try {
        counts[(await isTaken(seed, seed % toolsEach === 0 ? folder : undefined)) ? "taken" : "refused"] += 1;
      } catch (error) {
        throw new Error(`seed ${seed} of the adversarial PDFs`, { cause: error });
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return counts;
}

async function isTaken(seed: number, folder: string | undefined): Promise<boolean> {
  const sent = adversarialPdf(seed);
  const checked = await checkPdf(sent).catch(() => undefined);
  if (checked === undefined) return false;
  const { isSigned } = checked;
  if (isSigned) refuseForgery(sent);
  const shown = Buffer.from(checked.rewritten ?? sent);
  const again = await checkPdf(sent);
  if (!shown.equals(again.rewritten ?? sent)) throw new Error("the same file became two");
  const sealed = Buffer.from((await prepareSeal({ bytes: shown, isSigned, marks: [], statement }, fonts)).bytes);
  const found = forbidden.exec(sealed.toString("latin1"));
  if (found !== null) throw new Error(`the sealed file has ${found[0]}`);
  refuseDifferences(sealed);
  if ((await textOf(shown)) !== (await textOf(sealed))) throw new Error("pdf.js reads another text after the seal");
  if (seed % 10 === 0) await trySealing(shown, { isSigned, mayBeMarked: true, pages: [1] });
  if (folder !== undefined) compareWithTools(folder, shown, sealed);
  return true;
}

/** The signature covers all around it, up to where its revision ends. */
function refuseForgery(sent: Buffer): void {
  const text = sent.toString("latin1");
  const found = /\/ByteRange\[(\d+) (\d+) (\d+) (\d+) \]/.exec(text)?.slice(1).map(Number);
  const [start = -1, before = 0, after = 0, length = 0] = found ?? [];
  const end = after + length;
  const isWhole = start === 0 && text.slice(before, after) === `<${emptySignature.toString("hex")}>`;
  if (!isWhole || !text.slice(0, end).endsWith("%%EOF\n")) throw new Error("a forged signature was taken");
}

/** Where readers look for them: a remark may have an entry of the same name, which says nothing. */
function refuseDifferences(sealed: Buffer): void {
  const document = openDocument(sealed);
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  if (form instanceof PDFDict && form.has(PDFName.of("NeedAppearances")))
    throw new Error("its fields have no pictures");
  if (document.getPages().some(({ node }) => node.has(PDFName.of("UserUnit"))))
    throw new Error("a page has a UserUnit");
}

/** The files have no other text in which these could stand. */
const forbidden =
  /\/(?:JavaScript|JS|Launch|GoToR|GoToE|ImportData|SubmitForm|XFA|Movie|Screen|AA|Ref)\b|javascript:|file:|http:/;

const fonts = createFontLibrary();
const statement = { name: "Seal", reason: "Everybody has signed", sealedAt: new Date(0) };

async function textOf(bytes: Buffer): Promise<string> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0, stopAtErrors: true, disableFontFace: true });
  const document = await task.promise;
  const page = await document.getPage(1);
  const { items } = await page.getTextContent();
  await task.destroy();
  return items.map((item) => ("str" in item ? item.str : "")).join("\n");
}

function compareWithTools(folder: string, shown: Buffer, sealed: Buffer): void {
  const [before, after] = [join(folder, "shown.pdf"), join(folder, "sealed.pdf")];
  writeFileSync(before, shown);
  writeFileSync(after, sealed);
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { encoding: "latin1", stdio: "pipe" });
  for (const file of [before, after]) run("qpdf", "--check", file);
  const contents = (file: string) =>
    run("qpdf", "--qdf", "--object-streams=disable", "--no-original-object-ids", file, "-").match(/BT .* ET/g);
  if (String(contents(before)) !== String(contents(after)))
    throw new Error("qpdf reads another content after the seal");
  if (run("pdftotext", before, "-") !== run("pdftotext", after, "-")) throw new Error("poppler reads another text");
}
