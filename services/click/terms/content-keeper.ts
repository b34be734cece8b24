import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import {
  type GetRevisionResponse,
  type TemplatesService,
  type VersionTexts,
  ContentFormat as WireFormat,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { readPdfText } from "#platform/pdf-text.ts";
import type { BoundText } from "./agreement.ts";
import {
  type AgreementText,
  type ContentFormat,
  findTerms,
  hasText,
  insertShown,
  insertTerms,
  insertText,
  type Texts,
} from "./content-store.ts";
import { type KeptTerms, parseTerms } from "./terms.ts";

/** Keeps what was shown, so that evidence does not depend on the templates service. */
export interface ContentKeeper {
  /**
   * Makes sure that the text and its terms are stored. Undefined when this process knows that they are, which is the
   * case for all but the first of their kind.
   */
  keep(caller: Caller, text: BoundText, terms: KeptTerms): Promise<void> | undefined;
  /** Terms that were kept, by their hash. */
  loadTerms(orgId: OrgId, hash: Buffer): Promise<KeptTerms>;
}

/** So long an acceptance waits for a text that nobody has kept yet: all others of its batch are answered with it. */
const keepMs = 3_000;

/**
 * The same for acceptances. Rejects with SERVICE_UNAVAILABLE when it takes too long, such as for a large file: it is still
 * kept then, so that whoever tries again need not wait.
 */
export function keepSoon(
  content: Pick<ContentKeeper, "keep">,
  what: Parameters<ContentKeeper["keep"]>,
  longestMs = keepMs,
): Promise<void> | undefined {
  const keeping = content.keep(...what);
  if (keeping === undefined) return undefined;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new DomainError("SERVICE_UNAVAILABLE")), longestMs);
  void keeping.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

export interface ContentKeeperDeps {
  readonly pool: pg.Pool;
  readonly templates: Client<typeof TemplatesService>;
}

/** Only names, about 100 bytes each. */
const rememberedKept = 200_000;
/** Up to some ten kilobytes each. */
const cachedTerms = 2_000;

export function createContentKeeper(deps: ContentKeeperDeps): ContentKeeper {
  // As a size: room for `max` entries is taken at once.
  const kept = new LRUCache<string, true>({ maxSize: rememberedKept, sizeCalculation: () => 1 });
  const loaded = new LRUCache<string, KeptTerms>({ max: cachedTerms });
  const running = new Map<string, Promise<void>>();

  const once = (key: string, work: () => Promise<void>): Promise<void> => {
    const same = running.get(key);
    if (same !== undefined) return same;
    const promise = work().finally(() => running.delete(key));
    running.set(key, promise);
    return promise;
  };
  return {
    keep: (caller, text, terms) => {
      const textKey = `${caller.orgId}/${text.versionId}/${text.revision}`;
      const termsKey = `${caller.orgId}/${terms.hash.toString("base64")}`;
      if (kept.get(textKey) && kept.get(termsKey)) return undefined;
      return once(`${textKey} ${termsKey}`, async () => {
        await keepText(deps, caller, text);
        await withOrg(deps.pool, caller.orgId, (tenant) => insertTerms(tenant, terms));
        kept.set(textKey, true);
        kept.set(termsKey, true);
      });
    },
    loadTerms: async (orgId, hash) => {
      const key = `${orgId}/${hash.toString("base64")}`;
      const known = loaded.get(key);
      if (known !== undefined) return known;
      const [row] = await withOrg(deps.pool, orgId, (tenant) => findTerms(tenant, [hash]));
      if (row === undefined) throw new Error("the terms of a session are not stored");
      const terms = parseTerms(row.text);
      loaded.set(key, terms);
      return terms;
    },
  };
}

async function keepText({ pool, templates }: ContentKeeperDeps, caller: Caller, text: BoundText): Promise<void> {
  const { orgId } = caller;
  if (await withOrg(pool, orgId, (tenant) => hasText(tenant, text))) return;
  const { versionId, revision } = text;
  const answer = await templates.getRevision({ versionId, revision }, { headers: callerHeaders(caller) });
  const kept = agreementText(answer);
  if (kept.contentHash !== text.contentHash || sha256Label(kept.content) !== text.contentHash) {
    throw new Error(`the text of revision ${revision} of version ${versionId} is not the one that was resolved`);
  }
  const pdf = await fetchPdf(templates, caller, kept);
  // In one transaction: whoever finds the text finds its file, too.
  await withOrg(pool, orgId, async (tenant) => {
    if (pdf !== undefined) await insertShown(tenant, [pdf]);
    await insertText(tenant, kept);
  });
}

/** Up to 5 MiB. */
const transferMs = 10_000;

/** The file that a text names; undefined for a text that is none. */
async function fetchPdf(
  templates: ContentKeeperDeps["templates"],
  caller: Caller,
  { templateId, content, format, contentHash }: AgreementText,
): Promise<Buffer | undefined> {
  if (format !== "PDF") return undefined;
  const options = { headers: callerHeaders(caller), timeoutMs: transferMs };
  const { content: bytes } = await templates.getTemplateFile({ templateId, contentHash }, options);
  if (sha256Label(bytes) !== readPdfText(content.toString("utf8"))?.hash) {
    throw new Error(`the file of the text ${contentHash} is not the one that it names`);
  }
  return Buffer.from(bytes);
}

function agreementText(answer: GetRevisionResponse): AgreementText {
  const format = contentFormats[answer.format];
  if (format === undefined) throw new Error(`a revision has the unknown format ${answer.format}`);
  const { texts, publishedAt, changeSummary } = answer;
  return {
    templateId: answer.templateId,
    versionId: answer.versionId,
    revision: answer.revision,
    label: answer.label,
    locale: answer.locale,
    title: answer.title ?? null,
    content: Buffer.from(answer.content),
    format,
    contentHash: answer.contentHash,
    texts: { ...textsOf(texts), ...(changeSummary === undefined ? {} : { changeSummary }) },
    publishedAt: publishedAt === undefined ? null : timestampDate(publishedAt),
    publishedBy: answer.publishedBy,
  };
}

export const textsOf = (texts: VersionTexts | undefined): Texts => ({
  consentText: texts?.consentText ?? null,
  buttonText: texts?.buttonText ?? null,
  declineText: texts?.declineText ?? null,
  checkboxText: texts?.checkboxText ?? null,
  linkText: texts?.linkText ?? null,
  purposeTexts: texts?.purposeTexts ?? {},
});

export const contentFormats: Partial<Record<WireFormat, ContentFormat>> = {
  [WireFormat.HTML]: "HTML",
  [WireFormat.MARKDOWN]: "MARKDOWN",
  [WireFormat.TEXT]: "TEXT",
  [WireFormat.PDF]: "PDF",
};
