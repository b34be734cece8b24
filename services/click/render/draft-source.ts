import { type Client, ConnectError } from "@connectrpc/connect";
import type { TemplatesService, Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { contentFormats, textsOf } from "../accept/content-keeper.ts";
import type { HtmlConverter } from "./html-converter.ts";
import type { HtmlText } from "./html-source.ts";
import { createWeightedLru } from "./weighted-lru.ts";

/** Texts that are not published, for their authors. */
export interface DraftSource {
  /**
   * As it stands now; undefined when the template has no such version. Rejects with CLICK_CONTENT_INVALID: nobody has
   * checked it so far.
   */
  read(caller: Caller, templateId: string, versionId: string): Promise<HtmlText | undefined>;
}

const answerMs = 5_000;

/** Characters; authors look at the same draft again and again. */
const cachedCharacters = 4_000_000;

export function createDraftSource(templates: Client<typeof TemplatesService>, converter: HtmlConverter): DraftSource {
  const cache = createWeightedLru<string>(cachedCharacters);
  const convert = async (orgId: OrgId, { contentHash, format: wireFormat, content }: Version): Promise<string> => {
    const format = contentFormats[wireFormat];
    if (format === undefined) throw new Error(`a version has the unknown format ${wireFormat}`);
    const key = `${format} ${contentHash}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const { html } = await converter.convert(orgId, { format, content, isGenerated: false });
    cache.set(key, html, html.length + 1_000);
    return html;
  };
  return {
    read: async (caller, templateId, versionId) => {
      try {
        const options = { headers: callerHeaders(caller), timeoutMs: answerMs };
        const { version } = await templates.getVersion({ templateId, versionId }, options);
        return version && draftText(version, await convert(caller.orgId, version));
      } catch (error) {
        const isUnknown = error instanceof ConnectError && fromConnectError(error)?.code === "CLICK_VERSION_NOT_FOUND";
        if (isUnknown) return undefined;
        throw error;
      }
    },
  };
}

function draftText(version: Version, html: string): HtmlText {
  const { templateId, id, locale, label, contentHash, title, texts } = version;
  return {
    templateId,
    versionId: id,
    revision: 0,
    label: label ?? "",
    locale,
    contentHash,
    title: title ?? null,
    texts: textsOf(texts),
    html,
    htmlHash: sha256Label(html),
    merge: null,
  };
}
