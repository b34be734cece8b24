import { type Client, ConnectError } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { TemplatesService, Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import type { Clock } from "#platform/clock.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { createTurns } from "#platform/turns.ts";
import { createTermsPlacer, type PlaceTerms } from "../accept/prepare-shown.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { BoundText } from "../terms/agreement.ts";
import { type ContentKeeper, contentFormats, textsOf } from "../terms/content-keeper.ts";
import type { TemplateSource } from "../terms/template-source.ts";
import type { KeyHasher, SubjectVault } from "../vault/subject-vault.ts";
import { type ChangesSource, createChangesSource } from "./changes.ts";
import { createDeploymentSource, type DeploymentSource } from "./deployment-source.ts";
import {
  createHtmlConverter,
  createHtmlSource,
  type HtmlConverter,
  type HtmlSource,
  type HtmlText,
} from "./html-source.ts";
import { createRenderTokens, type RenderTokens } from "./render-tokens.ts";
import { createShownKeeper, type ShownKeeper } from "./shown-keeper.ts";

/** The dependencies of renderings; each function takes those it uses. */
export interface RenderDeps {
  /** Connects as the role that acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly templates: TemplateSource;
  readonly deployments: DeploymentSource;
  readonly drafts: DraftSource;
  readonly content: ContentKeeper;
  readonly html: HtmlSource;
  readonly changes: ChangesSource;
  readonly shown: ShownKeeper;
  readonly placeTerms: PlaceTerms;
  readonly tokens: RenderTokens;
  readonly keys: KeyHasher;
  readonly vault: SubjectVault;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Counts for the statistics in memory, without I/O. */
  countRendering(orgId: OrgId, text: BoundText, at: Date): void;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
  /** Reports that leaves were added to this organization's log, after the commit; does no I/O. */
  wakeIntegrator(organizationId: string): void;
}

interface RenderingOptions {
  readonly pool: pg.Pool;
  readonly templates: Client<typeof TemplatesService>;
  readonly renderKeys: SigningKeys;
  readonly vault: SubjectVault;
  readonly clock: Clock;
}

/** The dependencies that renderings, sessions and acceptances share. */
export function createRendering({ pool, templates, renderKeys, vault, clock }: RenderingOptions) {
  const converter = createHtmlConverter();
  const html = createHtmlSource({ pool, converter });
  return {
    parts: {
      html,
      changes: createChangesSource({ pool, vault, html, converter }),
      shown: createShownKeeper({ pool, vault, templates }),
      placeTerms: createTermsPlacer(),
      turns: createTurns(),
      tokens: createRenderTokens({ keys: renderKeys, clock }),
      deployments: createDeploymentSource(templates),
      drafts: createDraftSource(templates, converter),
    },
    close: () => converter.close(),
  };
}

/** Unpublished texts, for their authors. */
interface DraftSource {
  /**
   * The current draft; undefined when the template has no such version. Rejects with CLICK_CONTENT_INVALID, since a
   * draft has not been checked yet.
   */
  read(caller: Caller, templateId: string, versionId: string): Promise<HtmlText | undefined>;
}

const answerMs = 5_000;

/** In characters; the cache pays because authors look at the same draft again and again. */
const cachedCharacters = 4_000_000;

function createDraftSource(templates: Client<typeof TemplatesService>, converter: HtmlConverter): DraftSource {
  const cache = new LRUCache<string, Converted>({ maxSize: cachedCharacters });
  const convert = async (orgId: OrgId, { contentHash, format: wireFormat, content }: Version): Promise<Converted> => {
    const format = contentFormats[wireFormat];
    if (format === undefined) throw new Error(`a version has the unknown format ${wireFormat}`);
    const key = `${format} ${contentHash}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const { html, pdf } = await converter.convert(orgId, { format, content, isGenerated: false });
    cache.set(key, { html, pdf }, { size: html.length + 1_000 });
    return { html, pdf };
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

type Converted = Pick<HtmlText, "html" | "pdf">;

function draftText(version: Version, { html, pdf }: Converted): HtmlText {
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
    pdf,
  };
}
