import type pg from "pg";
import { sha256Label } from "#platform/canonical-json.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { MergeHtml } from "#platform/restricted-html/merge-html.ts";
import type { BoundText } from "../domain/agreement.ts";
import type { TemplateType } from "../domain/policy.ts";
import { type AgreementText, findText, type Texts } from "../store/content-store.ts";
import type { ConvertedHtml, HtmlConverter } from "./html-converter.ts";
import { createWeightedLru } from "./weighted-lru.ts";

/** A published text in the form in which it is shown. */
export interface HtmlText extends BoundText {
  /** Null when the version has none. */
  readonly title: string | null;
  readonly texts: Texts;
  readonly html: string;
  /** `sha256:<64 hex>` of the HTML. */
  readonly htmlHash: string;
  /** The places to fill in of a GENERATED text; null for any other. */
  readonly merge: MergeHtml | null;
}

/** Texts that are kept, as HTML. */
export interface HtmlSource {
  /**
   * The text must be kept; at once when it was read before. Rejects with CLICK_CONTENT_INVALID for a text that must not
   * be shown.
   */
  load(orgId: OrgId, text: BoundText, type: TemplateType): HtmlText | Promise<HtmlText>;
}

/** Characters; a text of the usual length has some ten thousand. */
const cachedCharacters = 16_000_000;

export function createHtmlSource({ pool, converter }: { pool: pg.Pool; converter: HtmlConverter }): HtmlSource {
  const cache = createWeightedLru<HtmlText>(cachedCharacters);
  const running = new Map<string, Promise<HtmlText>>();
  const read = async (orgId: OrgId, name: BoundText, type: TemplateType): Promise<HtmlText> => {
    const text = await withOrg(pool, orgId, (client) => findText(orgId, client, name));
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
        cache.set(key, text, text.html.length * (text.merge === null ? 1 : 2) + 1_000);
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

function htmlText(text: AgreementText, { html, merge }: ConvertedHtml): HtmlText {
  const { templateId, versionId, revision, label, locale, contentHash, title, texts } = text;
  const bound = { templateId, versionId, revision, label, locale, contentHash };
  return { ...bound, title, texts, html, htmlHash: sha256Label(html), merge };
}
