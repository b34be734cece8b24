import { LRUCache } from "lru-cache";
import type pg from "pg";
import { sha256Label } from "#platform/canonical-json.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { changesHtml } from "#platform/text-changes/changes-html.ts";
import { findLastAccepted } from "../receipts/acceptance-store.ts";
import { findShown, findText } from "../terms/content-store.ts";
import type { Terms } from "../terms/terms.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import type { Rendered, ShownWords, ToldChanges } from "./compose.ts";
import type { HtmlConverter, HtmlSource, HtmlText } from "./html-source.ts";

/** What has changed since a person accepted an earlier text of a template. */
export interface ChangesSource {
  /**
   * Undefined unless the policy asks for it and this user's last acceptance was of another text in the same language.
   * Only for a session: whoever creates one says for whom it is, and its page is that person's own.
   */
  since(orgId: OrgId, userRef: string | undefined, text: HtmlText, terms: Terms): Promise<FoundChanges | undefined>;
}

export interface FoundChanges {
  readonly told: ToldChanges;
  /** What `told` names by hashes, to be kept before anybody is told. */
  readonly contents: readonly string[];
}

interface ChangesSourceDeps {
  readonly pool: pg.Pool;
  readonly vault: SubjectVault;
  readonly html: HtmlSource;
  readonly converter: HtmlConverter;
}

/** In characters. What is longer is of a text that was written anew: it has to be read as a whole. */
const maxShown = 262_144;

/** In characters; usual ones have some thousand. */
const cachedCharacters = 8_000_000;

export function createChangesSource({ pool, vault, html, converter }: ChangesSourceDeps): ChangesSource {
  const cache = new LRUCache<string, string>({ maxSize: cachedCharacters });
  const show = async (orgId: OrgId, from: HtmlText, to: HtmlText, changeSummary: string | null): Promise<string> => {
    const key = `${orgId}/${from.versionId}/${from.revision}/${to.versionId}/${to.revision}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const told = { label: from.label, changeSummary, locale: to.locale };
    const difference = await converter.compare(orgId, { from: from.html, to: to.html });
    const full = changesHtml({ ...told, difference });
    const shown = full.length <= maxShown ? full : changesHtml({ ...told, difference: undefined });
    cache.set(key, shown, { size: shown.length + 1_000 });
    return shown;
  };
  return {
    since: async (orgId, userRef, text, { policy, templateId, type }) => {
      if (policy.showChanges !== true || userRef === undefined) return undefined;
      const subjectIndex = vault.subjectIndex(orgId, userRef);
      const former = await withOrg(pool, orgId, (tenant) => findFormer(tenant, { subjectIndex, templateId }, text));
      const from = former && (await loadShowable(html.load(orgId, { ...text, ...former }, type)));
      if (from === undefined) return undefined;
      const changeSummary = text.texts.changeSummary ?? null;
      const shown = await show(orgId, from, text, changeSummary);
      const { versionId, revision, label, contentHash, htmlHash } = from;
      const told: ToldChanges = {
        from: { versionId, revision, label, contentHash, htmlHash },
        to: { htmlHash: text.htmlHash },
        changeSummary,
        shownHash: sha256Label(shown),
      };
      return { told, contents: [from.html, text.html, shown] };
    },
  };
}

/** Texts in two languages differ everywhere, and nobody has accepted the one in the language of the other. */
async function findFormer(
  tenant: Tenant,
  user: { readonly subjectIndex: Buffer; readonly templateId: string },
  { versionId, revision, locale }: HtmlText,
) {
  const last = await findLastAccepted(tenant, user);
  if (last === undefined || (last.versionId === versionId && last.revision === revision)) return undefined;
  const text = await findText(tenant, last);
  return text?.locale === locale ? last : undefined;
}

/** Undefined for a text that could be shown when it was accepted, and by the rules of today can not. */
async function loadShowable(loading: HtmlText | Promise<HtmlText>): Promise<HtmlText | undefined> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof DomainError && error.code === "CLICK_CONTENT_INVALID") return undefined;
    throw error;
  }
}

/** What these words name; undefined when nothing has to be told. */
export async function readChanges(tenant: Tenant, { changes }: ShownWords): Promise<string | undefined> {
  if (changes === undefined) return undefined;
  const shown = (await findShown(tenant, [changes.shownHash])).get(changes.shownHash);
  if (shown === undefined) throw new Error("the changes that a session shows are not stored");
  return shown.toString("utf8");
}

/** For whoever shows the text; undefined when nothing has to be told. */
export function changesMessage({ words, changesHtml: html }: Pick<Rendered, "words" | "changesHtml">) {
  if (words.changes === undefined || html === undefined) return undefined;
  const { from, changeSummary, shownHash } = words.changes;
  const { versionId, revision, label, contentHash } = from;
  return { from: { versionId, revision, label, contentHash }, changeSummary, html, hash: shownHash };
}
