import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, ConnectError } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import {
  type ResolveTemplatesResponse_Result,
  type TemplateSnapshot,
  TemplateStatus,
  type TemplatesService,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { CurrentTemplate } from "./agreement.ts";
import { termsFromSnapshot } from "./terms.ts";

/** Names a template of an organization. */
export interface TemplateName {
  readonly organizationId: string;
  readonly template:
    | { readonly case: "templateId"; readonly value: string }
    | { readonly case: "templateSlug"; readonly value: string };
}

/** Templates as they stand at the time of the call. */
export interface TemplateSource {
  /** What the names stand for, by templateKey; unknown templates are left out. At most one RPC. */
  resolve(names: readonly TemplateName[]): Promise<ReadonlyMap<string, CurrentTemplate>>;
  /** Whether a version exists that may not be published. */
  hasVersion(caller: Caller, templateId: string, versionId: string): Promise<boolean>;
}

export const templateKey = ({ organizationId, template }: TemplateName): string =>
  `${organizationId}/${template.case}/${template.value}`;

const cachedTemplates = 5_000;

/** A retry of what was recorded must be answered before its caller gives up, even when the templates service is down. */
const answerMs = 2_000;

interface Known {
  readonly etag: string;
  readonly template: CurrentTemplate;
  /** Until then the templates service answers no change of it. */
  readonly validUntil: number;
}

/**
 * Remembers what templates looked like: for as long as the templates service vouches for its answer nothing is asked,
 * and afterwards an unchanged template travels as an etag and is parsed once.
 */
export function createTemplateSource(
  templates: Client<typeof TemplatesService>,
  monotonic: () => number = () => performance.now(),
): TemplateSource {
  const cache = new LRUCache<string, Known>({ max: cachedTemplates });
  return {
    resolve: async (names) => {
      const sentAt = monotonic();
      const found = new Map<string, CurrentTemplate>();
      const asked: { readonly key: string; readonly name: TemplateName; readonly known: Known | undefined }[] = [];
      for (const [key, name] of new Map(names.map((each) => [templateKey(each), each]))) {
        const known = cache.get(key);
        if (known !== undefined && sentAt < known.validUntil) found.set(key, known.template);
        else asked.push({ key, name, known });
      }
      if (asked.length === 0) return found;
      const items = asked.map(({ name, known }) => ({ ...name, knownEtag: known?.etag ?? "" }));
      const { results, validForMs } = await templates.resolveTemplates({ items }, { timeoutMs: answerMs });
      if (results.length !== items.length) throw new Error("ResolveTemplates answered another number of results");
      for (const [index, { key, known }] of asked.entries()) {
        const { etag, snapshot } = results[index] as ResolveTemplatesResponse_Result;
        if (etag === "") continue;
        const template = snapshot === undefined ? known?.template : currentTemplate(snapshot);
        if (template === undefined) throw new Error("ResolveTemplates left out a snapshot that was not known");
        cache.set(key, { etag, template, validUntil: sentAt + validForMs });
        found.set(key, template);
      }
      return found;
    },
    hasVersion: async (caller, templateId, versionId) => {
      try {
        await templates.getVersion({ templateId, versionId }, { headers: callerHeaders(caller), timeoutMs: answerMs });
        return true;
      } catch (error) {
        if (error instanceof ConnectError && fromConnectError(error)?.code === "CLICK_VERSION_NOT_FOUND") return false;
        throw error;
      }
    },
  };
}

/** More changes than these do not come while something is looked up, unless the machine stands still. */
const mostTries = 10;

/**
 * What was looked up, with a time at which it was so. When another text goes live meanwhile, it is looked up once more, so
 * that nothing names a text after its time: of several templates one may change while another one is looked up again.
 */
export async function untilInForce<Found>(
  clock: Clock,
  lookUp: () => Promise<Found>,
  changesOf: (found: Found) => readonly (Date | null)[],
): Promise<{ readonly found: Found; readonly now: Date }> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const found = await lookUp();
    const now = clock.now();
    if (!changesOf(found).some((changesAt) => changesAt !== null && changesAt <= now)) return { found, now };
  }
  throw new DomainError("SERVICE_UNAVAILABLE");
}

/** The templates with a time at which they stood like this. */
export async function resolveNow(
  { templates, clock }: { readonly templates: TemplateSource; readonly clock: Clock },
  names: readonly TemplateName[],
): Promise<{ readonly templates: ReadonlyMap<string, CurrentTemplate>; readonly now: Date }> {
  const changesOf = (found: ReadonlyMap<string, CurrentTemplate>) =>
    [...found.values()].map(({ changesAt }) => changesAt);
  const { found, now } = await untilInForce(clock, () => templates.resolve(names), changesOf);
  return { templates: found, now };
}

export function currentTemplate(snapshot: TemplateSnapshot): CurrentTemplate {
  const { templateId } = snapshot;
  return {
    archived: snapshot.status === TemplateStatus.ARCHIVED,
    defaultLocale: snapshot.defaultLocale,
    published: snapshot.publishedVersions.map(({ versionId, revision, label, locale, contentHash }) => ({
      templateId,
      versionId,
      revision,
      label,
      locale,
      contentHash,
    })),
    terms: termsFromSnapshot(snapshot),
    changesAt: snapshot.changesAt === undefined ? null : timestampDate(snapshot.changesAt),
  };
}
