import { createFontLibrary } from "../completion/font-library.ts";
import type { Mark } from "../completion/mark.ts";
import { compareFiles } from "../witness/compare-files.ts";
import { witnessedMark } from "../witness/messages.ts";
import { PdfProblem } from "./pdf-problem.ts";
import { prepareSeal } from "./prepare-seal.ts";

/**
 * Puts a text on these pages, makes room for a seal, and compares the file with what it was, as is done before each seal:
 * what would be refused then, when people have signed, is refused now. Costs several times what the check costs.
 */
export async function trySealing(
  bytes: Buffer,
  trial: { readonly isSigned: boolean; readonly mayBeMarked: boolean; readonly pages: readonly number[] },
): Promise<void> {
  const marks = trial.mayBeMarked ? trial.pages.map(markOn) : [];
  const preparation = { bytes, isSigned: trial.isSigned, marks, statement };
  const { bytes: sealed } = await prepareSeal(preparation, fonts);
  const difference = await compareFiles({ shown: bytes, sealed, marks: marks.map(witnessedMark) }, trial.pages);
  if (difference === undefined) return;
  throw new PdfProblem(
    `The PDF cannot be sealed so that everybody sees the same (${difference}). Print it to a new PDF and retry.`,
  );
}

const fonts = createFontLibrary();
const statement = { name: "", reason: "", sealedAt: new Date(0) };
const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0, 0, 0] as const,
};
const markOn = (page: number): Mark => ({
  ...{ kind: "text", page, x: 0, y: 0, width: 100, height: 20 },
  ...{ text: "Trial", style },
});
