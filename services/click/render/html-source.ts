import { LRUCache } from "lru-cache";
import type pg from "pg";
import { sha256Label } from "#platform/canonical-json.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { readPdfText } from "#platform/pdf-text.ts";
import type { LocatedFinding } from "#platform/restricted-html/findings.ts";
import { type MergeHtml, prepareMerge } from "#platform/restricted-html/merge-html.ts";
import { contentToHtml, UnsafeContentError } from "#platform/restricted-html/read-content.ts";
import { blockChanges, type Difference, foldChanges } from "#platform/text-changes/block-changes.ts";
import { blocksOf } from "#platform/text-changes/text-blocks.ts";
import { createWorkerPool } from "#platform/worker-pool.ts";
import type { BoundText } from "../terms/agreement.ts";
import { type AgreementText, type ContentFormat, findText, type Texts } from "../terms/content-store.ts";
import type { TemplateType } from "../terms/policy.ts";

/** A published text in the form in which it is shown. */
export interface HtmlText extends BoundText {
  /** Null when the version has none. */
  readonly title: string | null;
  readonly texts: Texts;
  readonly html: string;
  /** `sha256:<64 hex>` of the HTML. */
  readonly htmlHash: string;
  /** The placeholders of a GENERATED text; null for any other. */
  readonly merge: MergeHtml | null;
  /** The file that the text is; the HTML is then what it says. Null for any other. */
  readonly pdf: ShownPdf | null;
}

/** A PDF that is shown page by page. */
export interface ShownPdf {
  readonly hash: string;
  readonly size: number;
  /** In points. */
  readonly pages: readonly { readonly width: number; readonly height: number }[];
}

/** Stored texts, as HTML. */
export interface HtmlSource {
  /**
   * The text must be stored already. Returns synchronously when it was read before. Rejects with CLICK_CONTENT_INVALID
   * for a text that must not be shown.
   */
  load(orgId: OrgId, text: BoundText, type: TemplateType): HtmlText | Promise<HtmlText>;
}

/** In characters; a usual text has some ten thousand. */
const cachedCharacters = 16_000_000;

export function createHtmlSource({ pool, converter }: { pool: pg.Pool; converter: HtmlConverter }): HtmlSource {
  const cache = new LRUCache<string, HtmlText>({ maxSize: cachedCharacters });
  const running = new Map<string, Promise<HtmlText>>();
  const read = async (orgId: OrgId, name: BoundText, type: TemplateType): Promise<HtmlText> => {
    const text = await withOrg(pool, orgId, (tenant) => findText(tenant, name));
    if (text === undefined) throw new Error("the text to render is not stored");
    const content = text.content.toString("utf8");
    const job = { format: text.format, content, isGenerated: type === "GENERATED" };
    return htmlText(text, await converter.convert(orgId, job));
  };
  const readOnce = (orgId: OrgId, name: BoundText, type: TemplateType, key: string): Promise<HtmlText> => {
    const same = running.get(key);
    if (same !== undefined) return same;
    const promise = read(orgId, name, type)
      .then((text) => {
        cache.set(key, text, { size: text.html.length * (text.merge === null ? 1 : 2) + 1_000 });
        return text;
      })
      .finally(() => running.delete(key));
    running.set(key, promise);
    return promise;
  };
  return {
    load: (orgId, text, type) => {
      // The type of a template never changes once it is published.
      const key = `${orgId}/${text.versionId}/${text.revision}`;
      return cache.get(key) ?? readOnce(orgId, text, type, key);
    },
  };
}

function htmlText(text: AgreementText, { html, merge, pdf }: ConvertedHtml): HtmlText {
  const { templateId, versionId, revision, label, locale, contentHash, title, texts } = text;
  const bound = { templateId, versionId, revision, label, locale, contentHash };
  return { ...bound, title, texts, html, htmlHash: sha256Label(html), merge, pdf };
}

/** Converts texts to HTML without blocking other work. */
export interface HtmlConverter {
  /**
   * Rejects with CLICK_CONTENT_INVALID for a text that must not be shown, and with SERVICE_UNAVAILABLE when there is no
   * capacity at the moment.
   */
  convert(orgId: OrgId, job: ConversionJob): Promise<ConvertedHtml>;
  /** Rejects with SERVICE_UNAVAILABLE when there is no capacity at the moment. */
  compare(orgId: OrgId, job: ComparisonJob): Promise<Difference>;
  close(): Promise<void>;
}

interface ConvertedHtml {
  readonly html: string;
  readonly merge: MergeHtml | null;
  readonly pdf: ShownPdf | null;
}

/**
 * HTML of this length takes less than 5 ms; Markdown takes longer, and malicious Markdown time quadratic in its length.
 */
const inlineCharacters = { HTML: 12_000, TEXT: 12_000, PDF: 12_000, MARKDOWN: 1_000 };

/** Of one organization; a Markdown text of 1 MiB takes three seconds. */
const maxWaiting = 4;

export function createHtmlConverter(): HtmlConverter {
  const pool = createWorkerPool<ConversionJob | ComparisonJob, Conversion | Difference>({
    module: new URL("./convert-thread.ts", import.meta.url),
    size: 2,
    maxWaiting: 200,
    waitMs: 4_000,
    deadlineMs: 10_000,
    maxHeapMb: 512,
  });
  const queues = new Map<OrgId, { last: Promise<unknown>; waiting: number }>();
  /** One conversion at a time per organization, so that none can occupy all threads. */
  const runInTurn = async (orgId: OrgId, job: ConversionJob | ComparisonJob): Promise<Conversion | Difference> => {
    const queue = queues.get(orgId) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= maxWaiting) throw new DomainError("SERVICE_UNAVAILABLE");
    queues.set(orgId, queue);
    queue.waiting += 1;
    const turn = queue.last.then(() => pool.run(job));
    queue.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(orgId);
    }
  };
  return {
    convert: async (orgId, job) => {
      const isSmall = job.content.length <= inlineCharacters[job.format];
      const conversion = isSmall ? convertContent(job) : ((await runInTurn(orgId, job)) as Conversion);
      if (conversion.kind === "html") return conversion;
      throw unsafe(conversion);
    },
    compare: async (orgId, job) => {
      const isSmall = job.from.length + job.to.length <= inlineCharacters.HTML;
      return isSmall ? compareTexts(job) : ((await runInTurn(orgId, job)) as Difference);
    },
    close: () => pool.close(),
  };
}

const unsafe = ({ findings }: Extract<Conversion, { kind: "unsafe" }>): DomainError =>
  new DomainError("CLICK_CONTENT_INVALID", {
    details: findings.slice(0, 100).map(({ code, message, line, column }) => ({
      field: "content",
      code,
      message: `${message} (${line}:${column})`,
    })),
  });

interface ConversionJob {
  readonly format: ContentFormat;
  readonly content: string;
  /** Whether the text has placeholders. */
  readonly isGenerated: boolean;
}

/** Two texts as HTML. */
interface ComparisonJob {
  readonly from: string;
  readonly to: string;
}

type Conversion =
  /** `merge` is null for a text without placeholders. */
  | ({ readonly kind: "html" } & ConvertedHtml)
  /** The text must not be shown. */
  | { readonly kind: "unsafe"; readonly findings: readonly UnsafePlace[] };

type UnsafePlace = Pick<LocatedFinding, "code" | "message" | "line" | "column">;

/** Takes about 0.4 s for 1 MiB of HTML, and longer for Markdown; run large texts in a thread. */
function convertContent({ format, content, isGenerated }: ConversionJob): Conversion {
  try {
    const html = contentToHtml(format, content);
    const pdf = format === "PDF" ? shownPdf(content) : null;
    return { kind: "html", html, merge: isGenerated ? prepareMerge(html) : null, pdf };
  } catch (error) {
    if (error instanceof UnsafeContentError) {
      const findings = error.findings.map(({ code, message, line, column }) => ({ code, message, line, column }));
      return { kind: "unsafe", findings };
    }
    if (error instanceof RangeError) {
      return { kind: "unsafe", findings: [{ code: "MERGE_FIELD", message: error.message, line: 1, column: 1 }] };
    }
    throw error;
  }
}

function shownPdf(content: string): ShownPdf | null {
  const pdf = readPdfText(content);
  if (pdf === undefined) return null;
  const { hash, size, pages } = pdf;
  return { hash, size, pages: pages.map(({ width, height }) => ({ width, height })) };
}

/** What a thread does. */
export const convertOrCompare = (job: ConversionJob | ComparisonJob): Conversion | Difference =>
  "from" in job ? compareTexts(job) : convertContent(job);

const compareTexts = ({ from, to }: ComparisonJob): Difference =>
  foldChanges(blockChanges(blocksOf(from, "html"), blocksOf(to, "html")));
