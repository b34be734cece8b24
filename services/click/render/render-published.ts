import type { Caller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { hasAccepted } from "../receipts/acceptance-store.ts";
import { type BoundText, type CurrentTemplate, chooseText, type TextChoice } from "../terms/agreement.ts";
import { requireAllowedOrigin } from "../terms/placement.ts";
import type { Policy } from "../terms/policy.ts";
import { templateKey } from "../terms/template-source.ts";
import type { KeptTerms } from "../terms/terms.ts";
import { type Composition, compose, composeWords, type Rendered, renderingLifetimeMs } from "./compose.ts";
import type { ServedDeployment } from "./deployment-source.ts";
import type { RenderDeps } from "./render-deps.ts";
import { type RenderClaims, secondsOf } from "./render-tokens.ts";

export interface DeploymentRendering {
  readonly key: string;
  readonly locale: string | undefined;
  readonly userRef: string | undefined;
  readonly origin: string | undefined;
}

const keyPattern = /^dep_[0-9A-Za-z]{22}$/;

/**
 * What a deployment currently serves. Throws CLICK_RENDER_NOT_FOUND, CLICK_ORIGIN_NOT_ALLOWED, and CLICK_DATA_INVALID
 * for a text that needs values, which only a session has.
 */
export async function renderDeployment(
  deps: RenderDeps,
  caller: Caller,
  wanted: DeploymentRendering,
): Promise<Rendered> {
  const { key, locale, userRef, origin } = wanted;
  const served = keyPattern.test(key) ? await deps.deployments.resolve(caller, { case: "key", value: key }) : undefined;
  if (served === undefined) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  const { placement, template } = served;
  requireAllowedOrigin(placement, origin);
  const choice = { versionId: placement.versionId ?? undefined, locale, localeFallback: placement.localeFallback };
  const text = published(template, choice);
  const terms = deps.placeTerms(template.terms, placement);
  await deps.content.keep(caller, text, terms);
  const composition = compose(await deps.html.load(caller.orgId, text, terms.terms.type), terms.terms, undefined);
  const rendered = await keepAndSign(deps, caller, { text, terms, composition, served, userRef });
  deps.countRendering(caller.orgId, text, rendered.renderedAt);
  return rendered;
}

export interface PreviewRendering {
  readonly idOrSlug: string;
  readonly versionId: string | undefined;
  readonly locale: string | undefined;
  readonly userRef: string | undefined;
}

/** Throws CLICK_TEMPLATE_NOT_FOUND, CLICK_VERSION_NOT_FOUND, CLICK_RENDER_NOT_FOUND. */
export async function renderPreview(deps: RenderDeps, caller: Caller, wanted: PreviewRendering): Promise<Rendered> {
  const { idOrSlug, locale, userRef } = wanted;
  const versionId = wanted.versionId?.toLowerCase();
  const template = await resolveTemplate(deps, caller, idOrSlug);
  const isPublished = template.published.some((version) => version.versionId === versionId);
  if (versionId !== undefined && !isPublished) return renderDraft(deps, caller, template, versionId);
  const text = published({ ...template, archived: false }, { versionId, locale });
  const { terms } = template;
  await deps.content.keep(caller, text, terms);
  const source = await deps.html.load(caller.orgId, text, terms.terms.type);
  if (terms.terms.type !== "GENERATED") {
    const composition = compose(source, terms.terms, undefined);
    return keepAndSign(deps, caller, { text, terms, composition, served: undefined, userRef });
  }
  // Nobody can accept a text with unfilled placeholders, but its author wants to see them.
  const { words } = composeWords(source, terms.terms);
  return unsigned(deps, { text, terms, html: source.html, renderHash: source.htmlHash, words, isDraft: false });
}

function published(template: CurrentTemplate, choice: TextChoice): BoundText {
  try {
    return chooseText(template, choice, true);
  } catch (error) {
    const isMissing = error instanceof DomainError && nothingToRender.includes(error.code);
    throw isMissing ? new DomainError("CLICK_RENDER_NOT_FOUND") : error;
  }
}

const nothingToRender: readonly string[] = ["CLICK_VERSION_NOT_PUBLISHED", "CLICK_TEMPLATE_ARCHIVED"];

/** A slug may look like an id. */
async function resolveTemplate(deps: RenderDeps, { orgId }: Caller, idOrSlug: string): Promise<CurrentTemplate> {
  const id = idOrSlug.toLowerCase();
  const names = [
    ...(isUuid(id) ? [{ organizationId: orgId, template: { case: "templateId", value: id } as const }] : []),
    { organizationId: orgId, template: { case: "templateSlug", value: idOrSlug } as const },
  ];
  const found = await deps.templates.resolve(names);
  const template = names.map((name) => found.get(templateKey(name))).find((one) => one !== undefined);
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  return template;
}

async function renderDraft(
  deps: RenderDeps,
  caller: Caller,
  template: CurrentTemplate,
  versionId: string,
): Promise<Rendered> {
  const { terms } = template;
  const draft = isUuid(versionId) ? await deps.drafts.read(caller, terms.terms.templateId, versionId) : undefined;
  if (draft === undefined) throw new DomainError("CLICK_VERSION_NOT_FOUND");
  const { words } = composeWords(draft, terms.terms);
  return unsigned(deps, { text: draft, terms, html: draft.html, renderHash: draft.htmlHash, words, isDraft: true });
}

interface Signable {
  readonly text: BoundText;
  readonly terms: KeptTerms;
  readonly composition: Composition;
  readonly served: ServedDeployment | undefined;
  readonly userRef: string | undefined;
}

/** Stores everything that the token names before anybody gets the token. */
async function keepAndSign(deps: RenderDeps, caller: Caller, signable: Signable): Promise<Rendered> {
  const { text, terms, composition, served } = signable;
  const { html, renderHash, words, wordsJson } = composition;
  const userRef = signable.userRef === "" ? undefined : signable.userRef;
  // A GENERATED text gets here only in its form without a person's values.
  if (served !== undefined) await deps.shown.keepScreenshot(caller, served.placement);
  await deps.shown.keep(caller.orgId, [html, wordsJson, ...(served === undefined ? [] : [served.snapshotJson])]);
  const renderedAt = deps.clock.now();
  const expiresAt = new Date(renderedAt.getTime() + renderingLifetimeMs);
  const renderId = deps.newId();
  return {
    renderId,
    text,
    terms: terms.terms,
    html,
    renderHash,
    words,
    placement: served?.placement,
    sessionId: null,
    alreadyAccepted: await isAccepted(deps, caller, { userRef, text, policy: terms.terms.policy, now: renderedAt }),
    claims: claimsOf(deps, caller, { ...signable, userRef, renderId, renderedAt, expiresAt }),
    renderedAt,
    expiresAt,
    isDraft: false,
  };
}

function claimsOf(
  { keys }: RenderDeps,
  { orgId, clientId }: Caller,
  made: Signable & { readonly renderId: string; readonly renderedAt: Date; readonly expiresAt: Date },
): RenderClaims {
  const { text, composition, served, userRef } = made;
  const { deploymentId, snapshotHash } = served?.placement ?? {};
  return {
    rnd: made.renderId,
    org: orgId,
    cid: clientId,
    ...(deploymentId === undefined || snapshotHash === undefined ? {} : { dep: deploymentId, dsh: snapshotHash }),
    tpl: text.templateId,
    ver: text.versionId,
    rev: text.revision,
    locale: text.locale,
    ch: text.contentHash,
    rh: composition.renderHash,
    wh: composition.wordsHash,
    ...(userRef === undefined ? {} : { usr: keys.userKey(orgId, userRef).toString("base64url") }),
    iat: secondsOf(made.renderedAt),
    exp: secondsOf(made.expiresAt),
  };
}

/** Costs nothing when the request names no user. */
async function isAccepted(
  { pool, vault }: RenderDeps,
  { orgId }: Caller,
  { userRef, ...question }: Omit<AcceptanceQuestion, "subjectIndex"> & { readonly userRef: string | undefined },
): Promise<boolean> {
  if (userRef === undefined) return false;
  const subjectIndex = vault.subjectIndex(orgId, userRef);
  return withOrg(pool, orgId, (tenant) => isAlreadyAccepted(tenant, { subjectIndex, ...question }));
}

function unsigned(
  { clock, newId }: RenderDeps,
  shown: Pick<Rendered, "text" | "html" | "renderHash" | "words" | "isDraft"> & { readonly terms: KeptTerms },
): Rendered {
  const renderedAt = clock.now();
  return {
    ...shown,
    terms: shown.terms.terms,
    renderId: newId(),
    placement: undefined,
    sessionId: null,
    alreadyAccepted: false,
    claims: null,
    renderedAt,
    expiresAt: new Date(renderedAt.getTime() + renderingLifetimeMs),
  };
}

interface AcceptanceQuestion {
  /** Without a user there is no earlier acceptance. */
  readonly subjectIndex: Buffer | null;
  readonly text: { readonly versionId: string; readonly revision: number };
  readonly policy: Pick<Policy, "reacceptIntervalDays">;
  readonly now: Date;
}

const dayMs = 86_400_000;

/** Whether a user need not be asked: this revision has been accepted, and recently enough not to be due again. */
export async function isAlreadyAccepted(
  tenant: Tenant,
  { subjectIndex, text, policy, now }: AcceptanceQuestion,
): Promise<boolean> {
  if (subjectIndex === null) return false;
  const { versionId, revision } = text;
  const { reacceptIntervalDays: days } = policy;
  const since = days === 0 ? {} : { since: new Date(now.getTime() - days * dayMs) };
  return hasAccepted(tenant, { subjectIndex, versionId, revision, ...since });
}
