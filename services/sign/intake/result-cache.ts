import type { PageSize } from "../domain/agreement.ts";
import type { PdfFacts } from "./messages.ts";

/** What is known of a file: its facts, or why it is refused. */
export type CheckResult = PdfFacts | { readonly problem: string };

/** Results by organization and hash, so that the same file is not parsed again. Never the files. */
export interface ResultCache {
  get(key: string): CheckResult | undefined;
  put(key: string, result: CheckResult): void;
}

const maxEntries = 1_000;
/** A page takes about ten bytes: most pages of a file are of one size, which is kept once. */
const maxPagesInAll = 100_000;

/** The ones that were not asked for longest are dropped first. */
export function createResultCache(): ResultCache {
  const entries = new Map<string, CheckResult>();
  let pagesInAll = 0;
  const drop = (key: string): void => {
    pagesInAll -= pagesOf(entries.get(key));
    entries.delete(key);
  };
  return {
    get: (key) => {
      const result = entries.get(key);
      if (result !== undefined) {
        entries.delete(key);
        entries.set(key, result);
      }
      return result;
    },
    put: (key, result) => {
      drop(key);
      entries.set(key, "pages" in result ? { ...result, pages: shareSizes(result.pages) } : result);
      pagesInAll += pagesOf(result);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && pagesInAll <= maxPagesInAll) break;
        drop(oldest);
      }
    },
  };
}

const pagesOf = (result: CheckResult | undefined): number =>
  result !== undefined && "pages" in result ? result.pages.length : 0;

function shareSizes(pages: readonly PageSize[]): PageSize[] {
  const known = new Map<string, PageSize>();
  return pages.map((page) => {
    const key = `${page.width} ${page.height}`;
    const shared = known.get(key) ?? page;
    known.set(key, shared);
    return shared;
  });
}
