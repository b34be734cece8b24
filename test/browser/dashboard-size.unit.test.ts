import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";

const folder = join(resolve(import.meta.dirname, "../.."), "web/dist/dashboard");
const mostBytes = 250_000;

/** What the build says of a file of the sources. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest = new Map(
  Object.entries(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<string, Chunk>),
);

/** Everything that a browser loads for these files of the sources. */
function filesOf(sources: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (source: string): string[] => {
    const chunk = manifest.get(source);
    if (chunk === undefined || seen.has(source)) return [];
    seen.add(source);
    return [chunk.file, ...(chunk.css ?? []), ...(chunk.imports ?? []).flatMap(visit)];
  };
  return new Set(sources.flatMap(visit));
}

const compressedBytes = (files: ReadonlySet<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);

test("whichever page of the dashboard is opened first, it takes at most 250 KB", () => {
  const [entry, chunk] = [...manifest].find(([, { isEntry }]) => isEntry === true) ?? [];
  const later = chunk?.dynamicImports ?? [];
  const pages = later.filter((source) => source.includes("/pages/"));
  expect(pages.length).toBeGreaterThan(4);
  // Of the languages a browser loads one.
  const languages = later.filter((source) => source.includes("/texts/"));
  const html = gzipSync(readFileSync(join(folder, "index.html"))).length;
  const tooLarge = pages.flatMap((page) =>
    languages.flatMap((language) => {
      const bytes = html + compressedBytes(filesOf([entry ?? "", page, language]));
      return bytes > mostBytes ? [`${page} with ${language}: ${bytes} bytes`] : [];
    }),
  );
  expect(tooLarge).toEqual([]);
});
