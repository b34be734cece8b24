import { timestampDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import type { Event, VersionPublished } from "#gen/assent/events/v1/events_pb.ts";
import type { NewId, OrgId } from "#platform/ids.ts";
import { parseOrgId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { reacceptanceRequired } from "../events.ts";
import type { LeafSigner } from "../log/leaf.ts";
import { publicationLeaf } from "../log/log-leaves.ts";
import { appendLeaves } from "../log/log-store.ts";
import type { Policy } from "./policy.ts";
import { hasAcceptances, insertPublication } from "./publication-store.ts";
import { type TemplateSource, templateKey } from "./template-source.ts";

export interface VersionPublishedDeps {
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
  async (client: pg.PoolClient, event: Event): Promise<void> => {
    const orgId = parseOrgId(event.organizationId);
    const { payload, occurredAt } = event;
    if (orgId === undefined || payload.case !== "versionPublished" || occurredAt === undefined) {
      throw new Error("an event of a publication does not tell what was published");
    }
    const published = payload.value;
    const publishedAt = timestampDate(occurredAt);
    if (!(await insertPublication(orgId, client, { ...published, publishedAt }))) return;
    if (await mustBeAcceptedAnew(deps, orgId, client, published)) {
      const { requestId, traceparent } = event;
      const context = { caller: { orgId, requestId, traceparent }, eventId: deps.newId(), now: publishedAt };
      await insertOutbox(client, "click", [reacceptanceRequired(context, published)]);
    }
    const leaf = publicationLeaf(deps.issuer, orgId, { ...published, eventId: event.id, publishedAt });
    // Signed by the key of that time, however late we hear of it: that is the key that it is checked with.
    const leaves = await deps.leafSigner.sign([{ recordId: event.id, payload: leaf }], publishedAt);
    await appendLeaves(orgId, client, leaves);
  };

const mustBeAcceptedAnew = async (
  deps: VersionPublishedDeps,
  orgId: OrgId,
  client: pg.ClientBase,
  published: VersionPublished,
): Promise<boolean> =>
  (await hasAcceptances(orgId, client, published)) &&
  asksAnew(await currentRule(deps, orgId, published.templateId), published);

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
