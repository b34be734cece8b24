import { execFileSync } from "node:child_process";
import type { Converter } from "../converter.ts";
import type { OfficeFile } from "./office-files.ts";

export interface Comparison {
  readonly differences: readonly string[];
  readonly formats: readonly string[];
}

/** Converts files, and compares with what LibreOffice prints of them directly. */
export async function compareConversions(converter: Converter, files: readonly OfficeFile[]): Promise<Comparison> {
  const compared = await Promise.all(
    files.map(async (file): Promise<string[]> => {
      const { name, format, bytes, words, pdf: direct } = file;
      const never = new AbortController().signal;
      const pdf = await converter.convert("org", format, bytes, never).catch((error: unknown) => String(error));
      if (typeof pdf === "string") return [`${name}.${format}: ${pdf}`];
      const [text, expected] = [flatText(pdf), flatText(direct)];
      const [pages, expectedPages] = [pagesOf(pdf), pagesOf(direct)];
      return [
        ...(pages === expectedPages ? [] : [`${name}.${format}: ${pages} pages instead of ${expectedPages}`]),
        ...(text === expected ? [] : [`${name}.${format}: other text: ${differenceOf(text, expected)}`]),
        ...words.filter((word) => !text.includes(word)).map((word) => `${name}.${format}: ${word} is missing`),
      ];
    }),
  );
  return { differences: compared.flat(), formats: [...new Set(files.map(({ format }) => format))].sort() };
}

/** All of the text in one line. */
export const flatText = (pdf: Uint8Array): string =>
  execFileSync("pdftotext", ["-raw", "-enc", "UTF-8", "-", "-"], { input: pdf, encoding: "utf8", maxBuffer: 2 ** 26 })
    .replaceAll(/\s+/g, " ")
    .trim();

const pagesOf = (pdf: Uint8Array): number =>
  Number(/^Pages:\s+(\d+)$/m.exec(execFileSync("pdfinfo", ["-"], { input: pdf, encoding: "utf8" }))?.[1]);

function differenceOf(one: string, other: string): string {
  const at = [...one].findIndex((character, index) => character !== other[index]);
  return `${JSON.stringify(one.slice(at, at + 40))} for ${JSON.stringify(other.slice(at, at + 40))}`;
}
