import type { PageSize } from "../agreement/agreement.ts";
import type { CheckedPdf } from "./messages.ts";

/** What is known of a file: its facts and what it has become, or why it is refused. */
export type CheckResult = CheckedPdf | { readonly problem: string };

/** Results by organization and hash, so that the same file is neither read nor written again. */
export interface ResultCache {
  get(key: string): CheckResult | undefined;
  put(key: string, result: CheckResult): void;
}

const maxEntries = 1_000;
/** A page takes about ten bytes: most pages of a file are of one size, which is kept once. */
const maxPagesInAll = 100_000;
/** Of files that were written anew: those that are sent again and again are templates of a few pages. */
const maxBytesInAll = 32 * 1024 * 1024;

/** The ones that were not asked for longest are dropped first. */
export function createResultCache(): ResultCache {
  const entries = new Map<string, CheckResult>();
  let pagesInAll = 0;
  let bytesInAll = 0;
  const drop = (key: string): void => {
    pagesInAll -= pagesOf(entries.get(key));
    bytesInAll -= bytesOf(entries.get(key));
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
      if (bytesOf(result) > maxBytesInAll / 8) return;
      entries.set(key, "pages" in result ? { ...result, pages: shareSizes(result.pages) } : result);
      pagesInAll += pagesOf(result);
      bytesInAll += bytesOf(result);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && pagesInAll <= maxPagesInAll && bytesInAll <= maxBytesInAll) break;
        drop(oldest);
      }
    },
  };
}

const pagesOf = (result: CheckResult | undefined): number =>
  result !== undefined && "pages" in result ? result.pages.length : 0;

const bytesOf = (result: CheckResult | undefined): number =>
  result !== undefined && "pages" in result ? (result.rewritten?.length ?? 0) : 0;

function shareSizes(pages: readonly PageSize[]): PageSize[] {
  const known = new Map<string, PageSize>();
  return pages.map((page) => {
    const key = `${page.width} ${page.height}`;
    const shared = known.get(key) ?? page;
    known.set(key, shared);
    return shared;
  });
}
