import { PDFDocument, StandardFonts } from "pdf-lib";
import { createFontLibrary } from "../../services/sign/completion/font-library.ts";
import type { Mark } from "../../services/sign/completion/mark.ts";
import { prepareSeal } from "../../services/sign/intake/prepare-seal.ts";
import { createPemSigner } from "../../services/sign/seal/seal-signer.ts";
import { createSealer, type Sealer } from "../../services/sign/seal/sealer.ts";
import { makeTestCertificate } from "../../services/sign/seal/test-certificate.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";

const pages = 10;
const repetitions = 30;

/** P7: what sealing a document costs, with two signatures on it, against loading and saving it with the same library. */
export async function sealingMeasures(options: BenchOptions): Promise<Figure[]> {
  const pdf = await tenPages();
  const certificate = await makeTestCertificate({ name: "Bench", now: new Date(Date.now() - 60_000), years: 1 });
  const sealer = createSealer({ signer: createPemSigner(certificate) });
  const sealOnce = sealing(pdf, sealer);
  const saveOnce = async (): Promise<void> => {
    await (await PDFDocument.load(pdf)).save();
  };
  const seals: number[] = [];
  const saves: number[] = [];
  // What is measured first pays for the compiler.
  for (const once of [saveOnce, sealOnce]) await cpuOf(once);
  for (let round = 0; round < options.rounds; round += 1) {
    saves.push(await cpuOf(saveOnce));
    seals.push(await cpuOf(sealOnce));
  }
  const [value, baseline] = [median(seals), median(saves)];
  return [
    {
      ...{ id: "P7", what: "CPU of sealing 10 pages ÷ load and save with pdf-lib", mode: "one process", unit: "ms" },
      ...{ value, baseline, ratio: value / baseline, goal: "≤ 2.5" },
      note: "two signatures drawn, sealed and verified",
    },
  ];
}

function sealing(bytes: Uint8Array, sealer: Sealer): () => Promise<void> {
  const fonts = createFontLibrary();
  const { signal } = new AbortController();
  const marks: Mark[] = [20, 200].map((x) => ({
    ...{ kind: "signature", text: "Ann Example", font: "caveat", caption: "Ann Example, 2026-11-21 10:00 UTC" },
    ...{ page: pages, x, y: 700, width: 110, height: 35 },
  }));
  return async () => {
    const statement = sealer.statement("00000000-0000-7000-8000-000000000000", new Date());
    await sealer.seal(await prepareSeal({ bytes, isSigned: false, marks, statement }, fonts), "B-T", signal);
  };
}

/** CPU milliseconds of one time. */
async function cpuOf(once: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < repetitions; time += 1) await once();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / repetitions;
}

async function tenPages(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  for (let number = 1; number <= pages; number += 1) {
    const page = document.addPage([595, 842]);
    for (let line = 0; line < 45; line += 1) {
      const text = `${number}.${line} The parties agree on what stands here, and on nothing else that they have said before.`;
      page.drawText(text, { x: 50, y: 790 - line * 16, size: 11, font });
    }
  }
  return document.save();
}
