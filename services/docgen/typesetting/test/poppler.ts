import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";

/** Needs poppler: skipped with one line where it is missing, an error in CI. */
export function describeWithPoppler(name: string, suite: () => void): void {
  const isThere = spawnSync("pdfinfo", ["-v"]).status === 0;
  if (!isThere && process.env.CI !== "true") {
    process.stderr.write(`skipped without poppler: ${name}\n`);
    describe.skip(name, () => test("needs poppler", () => undefined));
    return;
  }
  describe(name, suite);
}

/** The text of all pages, in the order of the content. */
export const textOf = (pdf: Uint8Array): string => run("pdftotext", pdf, ["-raw", "-enc", "UTF-8"], ["-"]);

/** The text on one line, without hyphens at line ends. */
export const flatTextOf = (pdf: Uint8Array): string => textOf(pdf).replaceAll(/\s+/g, " ");

/** What pdfinfo says, by its names. */
export function infoOf(pdf: Uint8Array, ...flags: string[]): ReadonlyMap<string, string> {
  const lines = run("pdfinfo", pdf, flags).split("\n");
  return new Map(lines.map((line) => [line.split(":")[0]?.trim() ?? "", line.slice(line.indexOf(":") + 1).trim()]));
}

/** The tree of tags with their text. */
export const structureOf = (pdf: Uint8Array): string => run("pdfinfo", pdf, ["-struct-text"]);

/** The font names that the file has. */
export const fontsOf = (pdf: Uint8Array): string[] =>
  run("pdffonts", pdf, [])
    .split("\n")
    .slice(2)
    .map((line) => line.split(/\s+/)[0]?.replace(/^[A-Z]{6}\+/, "") ?? "")
    .filter((font) => font !== "");

/** Draws each page; throws when a page cannot be drawn. */
export const drawPages = (pdf: Uint8Array): void => void run("pdftoppm", pdf, ["-r", "20", "-png"], ["page"]);

function run(tool: string, pdf: Uint8Array, before: readonly string[], after: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), "assent-pdf-"));
  try {
    writeFileSync(join(folder, "a.pdf"), pdf);
    return execFileSync(tool, [...before, "a.pdf", ...after], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
