import { type Client, ConnectError } from "@connectrpc/connect";
import type { TemplatesService, Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { fromConnectError } from "#platform/errors.ts";
import { contentFormats, textsOf } from "../accept/content-keeper.ts";
import type { HtmlConverter } from "./html-converter.ts";
import type { HtmlText } from "./html-source.ts";

/** Texts that are not published, for their authors. */
export interface DraftSource {
  /**
   * As it stands now; undefined when the template has no such version. Rejects with CLICK_CONTENT_INVALID: nobody has
   * checked it so far.
   */
  read(caller: Caller, templateId: string, versionId: string): Promise<HtmlText | undefined>;
}

const answerMs = 5_000;

export const createDraftSource = (
  templates: Client<typeof TemplatesService>,
  converter: HtmlConverter,
): DraftSource => ({
  read: async (caller, templateId, versionId) => {
    try {
      const options = { headers: callerHeaders(caller), timeoutMs: answerMs };
      const { version } = await templates.getVersion({ templateId, versionId }, options);
      return version && (await draftText(version, converter));
    } catch (error) {
      const isUnknown = error instanceof ConnectError && fromConnectError(error)?.code === "CLICK_VERSION_NOT_FOUND";
      if (isUnknown) return undefined;
      throw error;
    }
  },
});

async function draftText(version: Version, converter: HtmlConverter): Promise<HtmlText> {
  const { templateId, id, locale, label, contentHash, title, texts, content } = version;
  const format = contentFormats[version.format];
  if (format === undefined) throw new Error(`a version has the unknown format ${version.format}`);
  const { html } = await converter.convert({ format, content, isGenerated: false });
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
