import type { PageSize } from "../agreement/agreement.ts";
import type { CheckedPdf } from "./messages.ts";

/** The result of a check: the facts and the rewritten file, or why it was refused. */
export type CheckResult = CheckedPdf | { readonly problem: string };

/** Caches results by organization and hash, so that the same file is not processed twice. */
export interface ResultCache {
  get(key: string): CheckResult | undefined;
  put(key: string, result: CheckResult): void;
}

const maxEntries = 1_000;
/** A page takes about ten bytes: most pages of a file share one size, which is kept once. */
const maxPagesInAll = 100_000;
/** Rewritten files and tabs: those sent again and again are templates of a few pages. */
const maxBytesInAll = 32 * 1024 * 1024;

/** Evicts the least recently used results. */
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
  result !== undefined && "pages" in result
    ? (result.rewritten?.length ?? 0) + (result.tabs?.length ?? 0) * bytesOfTab
    : 0;

/** Most have a name and a place; choices of lists are bounded when a form is read. */
const bytesOfTab = 500;

function shareSizes(pages: readonly PageSize[]): PageSize[] {
  const known = new Map<string, PageSize>();
  return pages.map((page) => {
    const key = `${page.width} ${page.height}`;
    const shared = known.get(key) ?? page;
    known.set(key, shared);
    return shared;
  });
}
