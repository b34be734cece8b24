import type { JsonObject } from "@bufbuild/protobuf";
import type { CreateSessionRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { memberPath } from "#platform/problems.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { requireKnownPurposes } from "../consent/consent-plan.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { sessionCreated } from "../events.ts";
import { invalid, problem, refuse } from "../problems.ts";
import { captureClaimed } from "../receipts/acceptance-evidence.ts";
import { type Composition, compose } from "../render/compose.ts";
import type { ServedDeployment } from "../render/deployment-source.ts";
import { type BoundText, type CurrentTemplate, chooseText } from "../terms/agreement.ts";
import type { Placement } from "../terms/placement.ts";
import type { Policy } from "../terms/policy.ts";
import { type TemplateName, templateKey, untilInForce } from "../terms/template-source.ts";
import { adaptTerms, type KeptTerms } from "../terms/terms.ts";
import { openSession, sealRendering, sealSession } from "../vault/seals.ts";
import type { SessionPerson } from "./session.ts";
import { findSession, insertSession, type NewSession } from "./session-store.ts";
import { viewSession } from "./session-view.ts";
import { answerSession } from "./sessions.ts";

type CreateSessionDeps = Pick<
  ClickDeps,
  | "pool"
  | "vault"
  | "clock"
  | "newId"
  | "templates"
  | "deployments"
  | "content"
  | "html"
  | "changes"
  | "shown"
  | "tokens"
  | "wakeRelay"
>;

export const createSession = (deps: CreateSessionDeps): ClickRpcs<"createSession"> => ({
  async createSession(request, context) {
    const caller = requireCaller(context);
    checkNewSession(request);
    const session = await composeSession(deps, caller, request);
    const event = { caller, eventId: deps.newId(), now: session.createdAt };
    const created = sessionCreated(event, session.id, session, session.deployment?.id ?? null);
    const stored = await withOrg(deps.pool, caller.orgId, async (tenant) => {
      // Sent together, and run in this order: the first failure fails all that follow.
      const [, , found] = await Promise.all([
        insertSession(tenant, session),
        insertOutbox(tenant.client, "click", [created]),
        findSession(tenant, session.id),
      ]);
      return found;
    });
    deps.wakeRelay();
    if (stored === undefined) throw new Error("a new session cannot be read");
    const opened = openSession(deps.vault, caller.orgId, stored);
    return { session: await answerSession(deps, viewSession(caller.orgId, stored, opened, session.createdAt)) };
  },
});

/** Pins what is live when the session begins. */
async function composeSession(
  deps: CreateSessionDeps,
  caller: Caller,
  request: CreateSessionRequest,
): Promise<NewSession> {
  const pinAndCompose = async () => {
    const pinned = await pinText(deps, caller, request);
    return { pinned, shown: await composeAndKeep(deps, caller, request, pinned) };
  };
  const { found, now } = await untilInForce(deps.clock, pinAndCompose, ({ pinned }) => [pinned.changesAt]);
  return newSession(deps, caller, request, found.pinned, found.shown, now);
}

/** Whatever a session refers to that reveals nothing about its user is stored before the session. */
async function composeAndKeep(
  { content, html, changes, shown }: CreateSessionDeps,
  caller: Caller,
  { data, userRef }: CreateSessionRequest,
  { text, terms, deployment }: PinnedText,
): Promise<Composition> {
  await content.keep(caller, text, terms);
  const source = await html.load(caller.orgId, text, terms.terms.type);
  const changed = await changes.since(caller.orgId, userRef, source, terms.terms);
  const composition = compose(source, terms.terms, data, changed?.told);
  const contents = [composition.wordsJson, ...(changed?.contents ?? [])];
  if (composition.data === null) contents.push(composition.html);
  if (deployment !== undefined) {
    contents.push(deployment.snapshotJson);
    await shown.keepScreenshot(caller, deployment.placement);
  }
  await shown.keep(caller.orgId, contents);
  return composition;
}

function newSession(
  deps: CreateSessionDeps,
  caller: Caller,
  request: CreateSessionRequest,
  { text, terms, deployment }: PinnedText,
  { html, renderHash, wordsHash, data }: Composition,
  createdAt: Date,
): NewSession {
  const { vault } = deps;
  const { policy } = terms.terms;
  const { templateId, versionId, revision, label, locale, contentHash } = text;
  const placement = deployment?.placement;
  const id = deps.newId();
  const record = { organizationId: caller.orgId, recordId: id };
  const seed = newSeed();
  return {
    id,
    templateId,
    versionId,
    revision,
    label,
    locale,
    contentHash,
    termsHash: terms.hash,
    subjectIndex: request.userRef === undefined ? null : vault.subjectIndex(caller.orgId, request.userRef),
    seed,
    sealed: sealSession(vault, record, seed, personOf(request, policy, data)),
    clientId: caller.clientId,
    requestId: caller.requestId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + (request.ttlSeconds ?? policy.sessionTtlSeconds) * 1000),
    deployment: placement === undefined ? null : { id: placement.deploymentId, snapshotHash: placement.snapshotHash },
    renderHash,
    sealedRendering: data === null ? null : sealRendering(vault, record, seed, html),
    wordsHash,
  };
}

const personOf = (
  { userRef, metadata, returnUrl, context }: CreateSessionRequest,
  policy: Policy,
  data: JsonObject | null,
): SessionPerson => ({
  userRef: userRef ?? null,
  metadata,
  returnUrl: returnUrl ?? null,
  context: captureClaimed(context, policy),
  data,
});

/** Checks what the rules of the proto cannot express; throws CLICK_VALIDATION_FAILED. */
function checkNewSession({ userRef, locale, returnUrl, metadata }: CreateSessionRequest): void {
  const details: FieldProblem[] = [];
  if (userRef !== undefined && /[\p{Cc}\p{Cs}]/u.test(userRef)) {
    details.push(problem("userRef", "PATTERN", "must have no control characters"));
  }
  if (locale !== undefined && canonicalLocale(locale) === undefined) {
    details.push(problem("locale", "FORMAT", "must be a BCP 47 language tag such as en-US"));
  }
  if (returnUrl !== undefined && !isPlainHttpsUrl(returnUrl)) {
    const message = "must be an absolute https URL without credentials and control characters";
    details.push(problem("returnUrl", "FORMAT", message));
  }
  for (const [key, value] of Object.entries(metadata)) {
    const field = memberPath("metadata", key);
    if (key.length > 255) details.push(problem(field, "MAX_LENGTH", "the name has more than 255 characters"));
    if (value.length > 500) details.push(problem(field, "MAX_LENGTH", "must have at most 500 characters"));
  }
  refuse(details);
}

function isPlainHttpsUrl(text: string): boolean {
  if (/[\p{Cc}\s]/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}

type SessionTextDeps = Pick<ClickDeps, "templates" | "deployments">;

/** What a new session pins. */
interface PinnedText {
  readonly text: BoundText;
  readonly terms: KeptTerms;
  readonly deployment: ServedDeployment | undefined;
  /** When the template shows another text. */
  readonly changesAt: Date | null;
}

/**
 * Finds what a new session is to show. Throws CLICK_TEMPLATE_NOT_FOUND, CLICK_DEPLOYMENT_NOT_FOUND,
 * CLICK_VERSION_NOT_FOUND, CLICK_TEMPLATE_ARCHIVED, CLICK_VERSION_NOT_PUBLISHED and CLICK_VALIDATION_FAILED.
 */
async function pinText(deps: SessionTextDeps, caller: Caller, request: CreateSessionRequest): Promise<PinnedText> {
  const template = await resolveTemplate(deps, caller, request);
  const deployment = await resolveDeployment(deps, caller, request, template);
  const text = await chooseSessionText(deps, caller, request, template, deployment?.placement);
  requireKnownPurposes(request.purposes, template.terms);
  const terms = adaptTerms(template.terms, {
    policy: deployment?.placement.policy,
    purposes: request.purposes.length === 0 ? undefined : request.purposes,
    counterpartyName: request.counterpartyName,
  });
  return { text, terms, deployment, changesAt: template.changesAt };
}

async function resolveTemplate(
  deps: SessionTextDeps,
  caller: Caller,
  request: CreateSessionRequest,
): Promise<CurrentTemplate> {
  const name = templateName(caller, request);
  const template = name && (await deps.templates.resolve([name])).get(templateKey(name));
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return template;
}

/** Undefined for a text that cannot name a template. */
function templateName(caller: Caller, { template }: CreateSessionRequest): TemplateName | undefined {
  if (template.case === undefined) return undefined;
  if (template.case === "templateSlug") return { organizationId: caller.orgId, template };
  const value = template.value.toLowerCase();
  return isUuid(value) ? { organizationId: caller.orgId, template: { case: "templateId", value } } : undefined;
}

async function resolveDeployment(
  deps: SessionTextDeps,
  caller: Caller,
  { deploymentId }: CreateSessionRequest,
  template: CurrentTemplate,
): Promise<ServedDeployment | undefined> {
  if (deploymentId === undefined) return undefined;
  // Deployments of an archived template are not found; the archived template is the better error.
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
  deps: SessionTextDeps,
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

const disagreement = (field: string, message: string): DomainError => invalid(problem(field, "DISAGREES", message));
