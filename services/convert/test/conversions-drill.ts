// Converts 200 files of all formats, and compares them with what LibreOffice prints directly; then says how many files a
// core converts in a second, beside LibreOffice alone.
import { availableParallelism } from "node:os";
import { createLogger } from "#platform/logger.ts";
import { createConverter } from "../converter.ts";
import { findOffice, openOffice } from "../office.ts";
import { compareConversions } from "./compare-conversions.ts";
import { cpuSeconds, secondsAlone } from "./conversion-rate.ts";
import { paragraph, word } from "./hostile-files.ts";
import { makeOfficeFiles } from "./office-files.ts";

const count = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 1e6));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const program = findOffice(process.env.PATH ?? "");
if (program === undefined) throw new Error("there is no soffice on PATH");
const logger = createLogger("drill", "warn");
const limits = { deadlineMs: 120_000, maxMemoryMb: 768, maxFileBytes: 25 * 1024 * 1024 };
const office = openOffice(program, limits, logger);
const never = new AbortController().signal;
const converter = createConverter({ office, isApart: office.isApart, places: 2, logger });
try {
  say(`seed ${seed}: making ${count} files`);
  const formats = office.formats.map(({ name }) => name);
  const files = makeOfficeFiles(count, seed, formats);
  await office.prepare();
  const differences: string[] = [];
  const begin = cpuSeconds();
  const start = performance.now();
  // As many at once as a process takes of one organization.
  for (let at = 0; at < files.length; at += 16) {
    differences.push(...(await compareConversions(converter, files.slice(at, at + 16))).differences);
  }
  const took = (performance.now() - start) / 1000;
  const own = (cpuSeconds() - begin) / files.length;
  for (const difference of differences) say(difference);
  say(
    `${files.length} files in ${took.toFixed(1)} s on ${availableParallelism()} cores, ${differences.length} differences`,
  );
  say(
    `a file takes ${own.toFixed(2)} s of a core with us, ${secondsAlone(program, files.slice(0, 20)).toFixed(2)} s with LibreOffice alone`,
  );
  const pages = word(
    Array.from({ length: 10_000 }, () => `${paragraph("x")}<w:p><w:r><w:br w:type="page"/></w:r></w:p>`).join(""),
  );
  const long = await converter.convert("org", "docx", pages, never).then(
    (pdf) => `became a PDF of ${pdf.length} bytes`,
    (error: Error) => `was refused: ${error.message}`,
  );
  say(`a file of 10,000 pages ${long}`);
  if (differences.length > 0) process.exitCode = 1;
} finally {
  await converter.close();
}
