import type { MessageInitShape } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ResolveDeploymentRequest } from "#gen/assent/templates/v1/templates_pb.ts";
import {
  type ResolveTemplatesRequest_Item as Item,
  type ResolveTemplatesResponse_ResultSchema as ResultSchema,
  type TemplateSnapshotSchema,
  TemplateStatus,
  TemplatesService,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, parseOrgId } from "#platform/ids.ts";
import { isSlug } from "#platform/slug.ts";
import { isDeploymentKey } from "../domain/deployment.ts";
import { templateStatus } from "../domain/template.ts";
import {
  type DeploymentName,
  resolveDeployment as findDeployment,
  type Resolution,
  type ResolvedTemplate,
  type ResolveItem,
  resolveTemplates as resolve,
  resolveKey,
} from "../store/resolve-store.ts";
import { deploymentMessage } from "./deployments.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { counterpartyMessage } from "./messages.ts";

export const resolveTemplates = (
  deps: Pick<TemplatesDeps, "resolverPool" | "clock">,
): TemplatesRpcs<"resolveTemplates"> => ({
  async resolveTemplates(request) {
    const items = request.items.map(parseItem);
    const known = items.filter((item) => item !== undefined);
    const now = deps.clock.now();
    const resolutions = await resolve(deps.resolverPool, known, now);
    const results = items.map((item) => resultMessage(item && resolutions.get(resolveKey(item))));
    return { results, validForMs: validForMs([...resolutions.values()], now) };
  },
});

/** No answer may be used up to the time for which another text is scheduled; ours may be almost a millisecond later. */
const validForMs = (resolutions: readonly Resolution[], now: Date): number =>
  Math.min(
    answerValidMs,
    ...resolutions.flatMap(({ changesAt }) => (changesAt === null ? [] : changesAt - now.getTime() - 1)),
  );

/** Undefined for what cannot be the name of any template; it must not spoil the batch. */
function parseItem(item: Item): ResolveItem | undefined {
  const orgId = parseOrgId(item.organizationId);
  const template = parseName(item.template);
  if (orgId === undefined || template === undefined) return undefined;
  return { orgId, template, knownEtag: etagPattern.test(item.knownEtag) ? item.knownEtag : null };
}

const etagPattern = /^[0-9a-f]{1,64}$/;

function parseName(template: Item["template"]): ResolveItem["template"] | undefined {
  switch (template.case) {
    case "templateId":
      return isUuid(template.value) ? { id: template.value } : undefined;
    case "templateSlug":
      return isSlug(template.value) ? { slug: template.value } : undefined;
    case undefined:
      return undefined;
  }
}

function resultMessage(resolution: Resolution | undefined): MessageInitShape<typeof ResultSchema> {
  if (resolution === undefined) return { etag: "" };
  const { etag, template } = resolution;
  return template === undefined ? { etag } : { etag, snapshot: snapshotMessage(template) };
}

/** A template as an acceptance or a rendering knows it. */
function snapshotMessage(template: ResolvedTemplate): MessageInitShape<typeof TemplateSnapshotSchema> {
  const { type, archived, counterparty, publishedVersions, changesAt, ...same } = template;
  const status = templateStatus({ archived, publishedVersions: publishedVersions.length });
  return {
    ...same,
    type: TemplateType[type],
    status: TemplateStatus[status],
    counterparty: counterpartyMessage(counterparty),
    publishedVersions: publishedVersions.map((version) => ({ ...version })),
    changesAt: changesAt === null ? undefined : timestampFromMs(changesAt),
  };
}

type Handlers = Partial<ServiceImpl<typeof TemplatesService>>;

/**
 * For so long an answer of ResolveTemplates may be used again. Saves most of these calls when acceptances come in
 * hundreds of batches a second, and costs each change as much time.
 */
export const answerValidMs = 25;

/** Timers and clocks of two processes may differ by a little. */
const toleranceMs = 5;

/** What these make or change is in no answer of ResolveTemplates that was given before. */
const additions: ReadonlySet<string> = new Set([
  ...["createTemplate", "createVersion", "putVersionDraft", "deleteVersionDraft", "cancelVersionSchedule"],
  ...["requestVersionApproval", "decideVersionApproval"],
  ...["createScreenshot", "deleteScreenshot", "createTemplateFile"],
]);

/**
 * Lets the answer to a change wait until every answer of ResolveTemplates that was given before the change has run out.
 * Holds over any number of processes, because it only takes time to pass.
 */
export function settleChanges(handlers: Handlers, wait: (ms: number) => Promise<void>): Handlers {
  const settled = Object.entries(handlers).map(([name, handler]) => {
    if (!isChange(name)) return [name, handler];
    const change = handler as (...args: readonly unknown[]) => unknown;
    const settle = async (...args: readonly unknown[]): Promise<unknown> => {
      const answer = await change(...args);
      await wait(answerValidMs + toleranceMs);
      return answer;
    };
    return [name, settle];
  });
  return Object.fromEntries(settled) as Handlers;
}

function isChange(name: string): boolean {
  const method = TemplatesService.methods.find(({ localName }) => localName === name);
  return method?.idempotency !== Idempotency.NO_SIDE_EFFECTS && !additions.has(name);
}

export const resolveDeployment = (
  deps: Pick<TemplatesDeps, "resolverPool" | "clock">,
): TemplatesRpcs<"resolveDeployment"> => ({
  async resolveDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const name = parseDeploymentName(request.deployment);
    const now = deps.clock.now();
    const resolved = await withOrg(deps.resolverPool, orgId, (tenant) => findDeployment(tenant, name, now));
    // An archived template has no active deployment; that it is checked here as well costs nothing.
    if (resolved === undefined || resolved.template.archived) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
    const { deployment, template, snapshotJson } = resolved;
    return { deployment: deploymentMessage(deployment), template: snapshotMessage(template), snapshotJson };
  },
});

function parseDeploymentName(name: ResolveDeploymentRequest["deployment"]): DeploymentName {
  if (name.case === "key" && isDeploymentKey(name.value)) return { key: name.value };
  if (name.case === "deploymentId" && isUuid(name.value)) return { id: name.value };
  throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
}
