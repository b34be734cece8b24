import { createLogger } from "#platform/logger.ts";
import { createConverter } from "../../services/convert/converter.ts";
import { findOffice, openOffice } from "../../services/convert/office.ts";
import { cpuSeconds, secondsAlone } from "../../services/convert/test/conversion-rate.ts";
import { makeOfficeFiles, type OfficeFile } from "../../services/convert/test/office-files.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";

const files = 12;

/** P18: Word files that a core converts in a second, against LibreOffice alone. Nothing where there is no LibreOffice. */
export async function conversionMeasures({ rounds }: BenchOptions): Promise<Figure[]> {
  const program = findOffice(process.env.PATH ?? "");
  if (program === undefined) {
    process.stderr.write("P18 needs LibreOffice (soffice) on PATH\n");
    return [];
  }
  const logger = createLogger("bench", "warn");
  const limits = { deadlineMs: 120_000, maxMemoryMb: 768, maxFileBytes: 25 * 1024 * 1024 };
  const office = openOffice(program, limits, logger);
  const converter = createConverter({ office, isApart: office.isApart, places: 2, logger });
  try {
    await office.prepare();
    const all = makeOfficeFiles(files, 1, ["docx"]);
    const [ours, alone]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const begin = cpuSeconds();
      await Promise.all(all.map(convert));
      ours.push(files / (cpuSeconds() - begin));
      alone.push(1 / secondsAlone(program, all));
    }
    const [value, baseline] = [median(ours), median(alone)];
    const note = (await office.isApart()) ? "kept from all other files" : "not kept from other files here";
    return [
      {
        ...{ id: "P18", what: "Word files converted per core ÷ LibreOffice alone", mode: "one process" },
        ...{ value, unit: "/s", baseline, ratio: value / baseline, goal: "≥ 0.9", note },
      },
    ];
  } finally {
    await converter.close();
  }

  function convert({ format, bytes }: OfficeFile): Promise<Uint8Array> {
    return converter.convert("org", format, bytes, new AbortController().signal);
  }
}
