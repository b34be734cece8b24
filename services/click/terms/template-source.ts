import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, ConnectError } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type { Event, VersionPublished } from "#gen/assent/events/v1/events_pb.ts";
import {
  type ResolveTemplatesResponse_Result,
  type TemplateSnapshot,
  TemplateStatus,
  type TemplatesService,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { type NewId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { reacceptanceRequired } from "../events.ts";
import type { LeafSigner } from "../log/leaf.ts";
import { publicationLeaf } from "../log/log-leaves.ts";
import { appendLeaves } from "../log/log-store.ts";
import type { CurrentTemplate } from "./agreement.ts";
import type { PublishedText, TemplateOffer } from "./agreement-state.ts";
import type { Policy } from "./policy.ts";
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

interface Publication extends PublishedText {
  readonly templateId: string;
  readonly publishedAt: Date;
}

/** Notes the first publication of a revision; false when it was noted before. */
async function insertPublication({ orgId, client }: Tenant, publication: Publication): Promise<boolean> {
  const { versionId, revision, templateId, locale, label, publishedAt } = publication;
  const result = await client.query(
    `insert into click.publication (organization_id, version_id, revision, template_id, locale, label, published_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [orgId, versionId, revision, templateId, locale, label, publishedAt.toISOString()],
  );
  return result.rowCount === 1;
}

/** What each locale of these templates showed last, as of this moment or ever. Knows nothing of texts taken back since. */
export async function listPublications(
  { orgId, client }: Tenant,
  templateIds: readonly string[],
  at: Date | null,
): Promise<(PublishedText & { readonly templateId: string })[]> {
  const result = await client.query<PublishedText & { templateId: string }>(
    `select distinct on (template_id, locale) template_id as "templateId", version_id as "versionId", revision, label, locale
     from click.publication
     where organization_id = $1 and template_id = any($2) and ($3::timestamptz is null or published_at <= $3)
     order by template_id, locale, published_at desc, revision desc`,
    [orgId, templateIds, at?.toISOString() ?? null],
  );
  return result.rows;
}

/** Whether somebody has accepted another text of the template than this one. */
async function hasAcceptances(
  { orgId, client }: Tenant,
  text: { readonly templateId: string; readonly versionId: string; readonly revision: number },
): Promise<boolean> {
  const result = await client.query(
    `select from click.acceptance
     where organization_id = $1 and template_id = $2 and decision = 'ACCEPT'
       and (version_id, revision) is distinct from ($3::uuid, $4::integer)
     limit 1`,
    [orgId, text.templateId, text.versionId, text.revision],
  );
  return result.rowCount === 1;
}

/** The rules of re-acceptance that held when these were accepted, by receipt id. */
export async function listAcceptedPolicies(
  { orgId, client }: Tenant,
  receiptIds: readonly string[],
): Promise<ReadonlyMap<string, TemplateOffer["policy"]>> {
  const result = await client.query<{ receiptId: string; policy: Policy }>(
    `select a.receipt_id as "receiptId", t.terms::json -> 'policy' as policy
     from click.acceptance a
     join click.template_terms t on t.organization_id = a.organization_id and t.terms_hash = a.terms_hash
     where a.organization_id = $1 and a.receipt_id = any($2)`,
    [orgId, receiptIds],
  );
  return new Map(result.rows.map(({ receiptId, policy }) => [receiptId, policy]));
}

interface VersionPublishedDeps {
  readonly templates: TemplateSource;
  readonly leafSigner: LeafSigner;
  readonly issuer: string;
  readonly newId: NewId;
}

export const versionPublishedSubject = "assent.templates.version.published";

/**
 * Notes when each revision was published, also in the log, and tells once per revision if those who accepted an earlier
 * text must accept it anew. That a revision is published again is no news.
 */
export const applyVersionPublished =
  (deps: VersionPublishedDeps) =>
  async (tenant: Tenant, event: Event): Promise<void> => {
    const orgId = parseOrgId(event.organizationId);
    const { payload, occurredAt } = event;
    if (orgId === undefined || payload.case !== "versionPublished" || occurredAt === undefined) {
      throw new Error("an event of a publication does not tell what was published");
    }
    const published = payload.value;
    const publishedAt = timestampDate(occurredAt);
    if (!(await insertPublication(tenant, { ...published, publishedAt }))) return;
    if (await mustBeAcceptedAnew(deps, tenant, published)) {
      const { requestId, traceparent } = event;
      const context = { caller: { orgId, requestId, traceparent }, eventId: deps.newId(), now: publishedAt };
      await insertOutbox(tenant.client, "click", [reacceptanceRequired(context, published)]);
    }
    const leaf = publicationLeaf(deps.issuer, orgId, { ...published, eventId: event.id, publishedAt });
    // Signed by the key of that time, however late we hear of it: that is the key that it is checked with.
    const leaves = await deps.leafSigner.sign([{ recordId: event.id, payload: leaf }], publishedAt);
    await appendLeaves(tenant, leaves);
  };

const mustBeAcceptedAnew = async (
  deps: VersionPublishedDeps,
  tenant: Tenant,
  published: VersionPublished,
): Promise<boolean> =>
  (await hasAcceptances(tenant, published)) &&
  asksAnew(await currentRule(deps, tenant.orgId, published.templateId), published);

async function currentRule(
  { templates }: VersionPublishedDeps,
  organizationId: OrgId,
  templateId: string,
): Promise<Policy["requireReacceptance"]> {
  const name = { organizationId, template: { case: "templateId", value: templateId } } as const;
  const template = (await templates.resolve([name])).get(templateKey(name));
  return template === undefined || template.archived ? "NEVER" : template.terms.terms.policy.requireReacceptance;
}

const asksAnew = (rule: Policy["requireReacceptance"], published: VersionPublished): boolean =>
  rule === "ALWAYS" || (rule === "ON_MAJOR" && published.requiresReacceptance);
