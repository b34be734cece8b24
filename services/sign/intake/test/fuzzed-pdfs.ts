import { DomainError } from "#platform/errors.ts";
import type { CheckedFile } from "../../agreement/definition.ts";
import { createFontLibrary } from "../../completion/font-library.ts";
import type { Mark } from "../../completion/mark.ts";
import type { Intake } from "../intake.ts";
import { prepareSeal } from "../prepare-seal.ts";
import { onePage, ordinaryPdf } from "./pdfs.ts";
import { pdfFile } from "./start-intake.ts";

/** What becomes of damaged files. */
export interface FuzzCounts {
  taken: number;
  refused: number;
}

/** Each seed is one damaged file. Rejects with the seed for which something else happens than taking or refusing it. */
export async function checkDamagedFiles(intake: Intake, firstSeed: number, seeds: number): Promise<FuzzCounts> {
  const originals = [
    await ordinaryPdf(3, true),
    await ordinaryPdf(3, false),
    onePage({ content: "BT /F 9 Tf (a) Tj ET" }),
  ];
  const counts = { taken: 0, refused: 0 };
  let next = firstSeed;
  const worker = async () => {
    for (let seed = next++; seed < firstSeed + seeds; seed = next++) {
      const bytes = damage(originals[seed % originals.length] as Buffer, seed);
      try {
        counts[(await isTaken(intake, bytes, seed)) ? "taken" : "refused"] += 1;
      } catch (error) {
        throw new Error(`seed ${seed} of the damaged PDFs`, { cause: error });
      }
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return counts;
}

async function isTaken(intake: Intake, bytes: Buffer, seed: number): Promise<boolean> {
  const [checked] = (await resultOf(intake.check("org", [pdfFile(bytes)]))) ?? [];
  if (checked === undefined) return false;
  await sealTaken(checked);
  // Searching may find out more: it reads what is on the pages.
  if (seed % 5 === 0) {
    const wanted = [{ text: "line 3", caseSensitive: false, wholeWord: false }];
    await resultOf(intake.findTexts("org", [{ documentId: "1", bytes }], wanted));
  }
  return true;
}

/** Undefined when the file is refused. */
async function resultOf<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && error.code === "CORRUPTED_DOCUMENT") return undefined;
    throw error;
  }
}

/** What is done to a file when everybody has signed: nothing that was taken may fail here. */
async function sealTaken({ bytes, pages, isSigned }: CheckedFile): Promise<void> {
  const marks = pages.map((_, index): Mark => ({ kind: "text", text: "signed", style, page: index + 1, ...box }));
  const prepared = await prepareSeal({ bytes, isSigned, marks, statement }, fonts);
  if (prepared.end <= prepared.start) throw new Error("there is no room for a seal");
}

const box = { x: 10, y: 10, width: 100, height: 16 };
const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0, 0, 0] as const,
};
const statement = { name: "Seal", reason: "Everybody has signed", sealedAt: new Date(0) };
const fonts = createFontLibrary();

/** Some bytes changed, or a part cut out or repeated. */
function damage(original: Buffer, seed: number): Buffer {
  const random = randomFrom(seed);
  const bytes = Buffer.from(original);
  const flips = 1 + Math.floor(random() ** 3 * 60);
  for (let n = 0; n < flips; n += 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  const [from, to] = [random(), random()].map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  const kind = random();
  if (kind < 0.1) return bytes.subarray(0, to);
  if (kind < 0.2) return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  return kind < 0.3 ? Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]) : bytes;
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
