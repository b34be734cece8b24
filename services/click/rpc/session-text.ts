import type { CreateSessionRequest } from "#gen/assent/click/v1/click_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { type TemplateName, templateKey } from "../accept/template-source.ts";
import { type BoundText, type CurrentTemplate, chooseText } from "../domain/agreement.ts";
import { requireKnownPurposes } from "../domain/asked-purposes.ts";
import type { Placement } from "../domain/placement.ts";
import { adaptTerms, type KeptTerms } from "../domain/terms.ts";
import type { ServedDeployment } from "../render/deployment-source.ts";
import type { ClickDeps } from "./deps.ts";

type Deps = Pick<ClickDeps, "templates" | "deployments">;

/** What a new session pins. */
export interface PinnedText {
  readonly text: BoundText;
  readonly terms: KeptTerms;
  readonly deployment: ServedDeployment | undefined;
}

/**
 * Finds what a new session is to show. Throws CLICK_TEMPLATE_NOT_FOUND, CLICK_DEPLOYMENT_NOT_FOUND,
 * CLICK_VERSION_NOT_FOUND, CLICK_TEMPLATE_ARCHIVED, CLICK_VERSION_NOT_PUBLISHED and CLICK_VALIDATION_FAILED.
 */
export async function pinText(deps: Deps, caller: Caller, request: CreateSessionRequest): Promise<PinnedText> {
  const template = await resolveTemplate(deps, caller, request);
  const deployment = await resolveDeployment(deps, caller, request, template);
  const text = await chooseSessionText(deps, caller, request, template, deployment?.placement);
  requireKnownPurposes(request.purposes, template.terms);
  const terms = adaptTerms(template.terms, {
    policy: deployment?.placement.policy,
    purposes: request.purposes.length === 0 ? undefined : request.purposes,
    counterpartyName: request.counterpartyName,
  });
  return { text, terms, deployment };
}

async function resolveTemplate(deps: Deps, caller: Caller, request: CreateSessionRequest): Promise<CurrentTemplate> {
  const name = templateName(caller, request);
  const template = name && (await deps.templates.resolve([name])).get(templateKey(name));
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return template;
}

/** Undefined for what cannot be the name of any template. */
function templateName(caller: Caller, { template }: CreateSessionRequest): TemplateName | undefined {
  if (template.case === undefined) return undefined;
  if (template.case === "templateSlug") return { organizationId: caller.orgId, template };
  const value = template.value.toLowerCase();
  return isUuid(value) ? { organizationId: caller.orgId, template: { case: "templateId", value } } : undefined;
}

async function resolveDeployment(
  deps: Deps,
  caller: Caller,
  { deploymentId }: CreateSessionRequest,
  template: CurrentTemplate,
): Promise<ServedDeployment | undefined> {
  if (deploymentId === undefined) return undefined;
  // The deployments of an archived template are not found, which is not what is wrong.
  if (template.archived) throw new DomainError("CLICK_TEMPLATE_ARCHIVED");
  const isKnownForm = isUuid(deploymentId);
  const name = { case: "deploymentId", value: deploymentId.toLowerCase() } as const;
  const found = isKnownForm ? await deps.deployments.resolve(caller, name) : undefined;
  if (found === undefined) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
  if (found.template.terms.terms.templateId !== template.terms.terms.templateId) {
    throw disagreement("deploymentId", "is not a deployment of the template");
  }
  return found;
}

async function chooseSessionText(
  deps: Deps,
  caller: Caller,
  { versionId, locale }: CreateSessionRequest,
  template: CurrentTemplate,
  placement: Placement | undefined,
): Promise<BoundText> {
  const pinned = placement?.versionId ?? undefined;
  if (pinned !== undefined && versionId !== undefined && versionId.toLowerCase() !== pinned) {
    throw disagreement("versionId", "is not the version that the deployment serves");
  }
  const wanted = pinned ?? versionId;
  const isPublished = template.published.some((version) => version.versionId === wanted?.toLowerCase());
  const isKnown =
    wanted === undefined ||
    isPublished ||
    pinned !== undefined ||
    (isUuid(wanted) && (await deps.templates.hasVersion(caller, template.terms.terms.templateId, wanted)));
  return chooseText(template, { versionId: wanted, locale, localeFallback: placement?.localeFallback }, isKnown);
}

const disagreement = (field: string, message: string): DomainError =>
  new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field, code: "DISAGREES", message }] });
