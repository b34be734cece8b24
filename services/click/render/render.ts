import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RenderingSchema, RenderRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { linkedDocuments, verificationRequirements } from "../accept/verification.ts";
import type { ClickRpcs } from "../deps.ts";
import { sessionPresented } from "../events.ts";
import { findSession, presentSession, type StoredSession } from "../sessions/session-store.ts";
import { type SessionView, viewSession } from "../sessions/session-view.ts";
import { findShown } from "../terms/content-store.ts";
import { type Placement, parsePlacement, requireAllowedOrigin } from "../terms/placement.ts";
import type { Policy } from "../terms/policy.ts";
import type { Terms } from "../terms/terms.ts";
import { openSession, readSealedRendering } from "../vault/seals.ts";
import { changesMessage, readChanges } from "./changes.ts";
import type { Rendered, ShownWords } from "./compose.ts";
import type { RenderDeps } from "./render-deps.ts";
import { isAlreadyAccepted, renderDeployment, renderPreview } from "./render-published.ts";
import { isExpired, type RenderClaims, secondsOf } from "./render-tokens.ts";

export const render = (deps: RenderDeps): ClickRpcs<"render"> => ({
  async render(request, context) {
    const caller = requireCaller(context);
    await requireOwnToken(deps, caller, request);
    return { rendering: await answer(deps, await renderSubject(deps, caller, request)) };
  },
});

/** A token opens the session that it was made for and nothing else; throws INVALID_TOKEN, TOKEN_EXPIRED. */
async function requireOwnToken(
  deps: RenderDeps,
  caller: Caller,
  { token, subject }: Pick<RenderRequest, "token" | "subject">,
): Promise<void> {
  if (token === undefined) return;
  const { org, sid } = await readSessionToken(deps, token);
  const isOwn = org === caller.orgId && subject.case === "sessionId" && subject.value.toLowerCase() === sid;
  if (!isOwn) throw new DomainError("INVALID_TOKEN");
}

function renderSubject(deps: RenderDeps, caller: Caller, request: RenderRequest): Promise<Rendered> {
  const { subject, locale, userRef, origin, token } = request;
  switch (subject.case) {
    case "deploymentKey":
      return renderDeployment(deps, caller, { key: subject.value, locale, userRef, origin });
    case "sessionId":
      if (!isUuid(subject.value)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
      return renderSession(deps, caller, {
        sessionId: subject.value.toLowerCase(),
        isPresented: token !== undefined,
        origin,
      });
    case "template": {
      const { templateIdOrSlug, versionId } = subject.value;
      return renderPreview(deps, caller, { idOrSlug: templateIdOrSlug, versionId, locale, userRef });
    }
    case undefined:
      throw new Error("a rendering without a subject passed validation");
  }
}

export const getSessionPdf = (deps: RenderDeps): ClickRpcs<"getSessionPdf"> => ({
  async getSessionPdf({ sessionId, token, origin }, context) {
    const caller = requireCaller(context);
    await requireOwnToken(deps, caller, { token, subject: { case: "sessionId", value: sessionId } });
    if (!isUuid(sessionId)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    return readSessionPdf(deps, caller, { sessionId: sessionId.toLowerCase(), origin });
  },
});

async function answer(deps: RenderDeps, rendered: Rendered): Promise<MessageInitShape<typeof RenderingSchema>> {
  const renderToken = rendered.claims === null ? "" : await deps.tokens.sign(rendered.claims);
  return { ...renderingMessage(rendered), renderToken };
}

type Deps = Pick<RenderDeps, "tokens" | "clock">;

export const authenticateRenderToken = (deps: Deps): ClickRpcs<"authenticateRenderToken"> => ({
  // No caller metadata: this RPC determines the caller.
  async authenticateRenderToken({ token }) {
    const { org, cid, sid } = await readSessionToken(deps, token);
    return { organizationId: org, clientId: cid, sessionId: sid };
  },
});

/** The claims of a session's token; throws INVALID_TOKEN, TOKEN_EXPIRED. */
async function readSessionToken(
  { tokens, clock }: Deps,
  token: string,
): Promise<RenderClaims & { readonly sid: string }> {
  const claims = await tokens.read(token);
  const { sid } = claims ?? {};
  if (claims === undefined || sid === undefined) throw new DomainError("INVALID_TOKEN");
  if (isExpired(claims, clock.now())) throw new DomainError("TOKEN_EXPIRED");
  return { ...claims, sid };
}

/** The rendering without its token. */
function renderingMessage(rendered: Rendered): MessageInitShape<typeof RenderingSchema> {
  const { text, terms, words, placement, sessionId } = rendered;
  return {
    renderId: rendered.renderId,
    deploymentKey: placement?.key,
    templateId: text.templateId,
    templateType: terms.type,
    versionId: text.versionId,
    revision: text.revision,
    label: text.label,
    locale: text.locale,
    title: words.title,
    html: rendered.html,
    contentHash: text.contentHash,
    renderHash: rendered.renderHash,
    noticeText: words.noticeText,
    buttonText: words.buttonText,
    declineText: words.declineText,
    checkboxText: words.checkboxText,
    purposes: words.purposes.map((purpose) => ({ ...purpose })),
    policy: pagePolicy(terms.policy),
    verification: verificationRequirements(terms.policy),
    alreadyAccepted: rendered.alreadyAccepted,
    renderedAt: timestampFromDate(rendered.renderedAt),
    expiresAt: timestampFromDate(rendered.expiresAt),
    allowedOrigins: [...(placement?.allowedOrigins ?? [])],
    displayMode: placement?.displayMode ?? displayModeOf(terms.typeConfig),
    sessionId: sessionId ?? undefined,
    isDraft: rendered.isDraft,
    theme: placement?.theme,
    brandId: placement?.brandId ?? "",
    disclosure: words.disclosure,
    pdf: words.pdf && { ...words.pdf, pages: words.pdf.pages.map((page) => ({ ...page })) },
    documents: linkedDocuments(terms).map((document) => ({ ...document })),
    changes: changesMessage(rendered),
  };
}

/** The flags that the page must follow; the others concern only the service. */
const pageFlags = [
  "requireCheckbox",
  "requireScroll",
  "requireView",
  "minDisplaySeconds",
  "requireRenderToken",
  "requireTypedName",
  "allowDecline",
  "minAge",
  "esignDisclosure",
  "honorGpc",
] as const;

const pagePolicy = (policy: Policy & JsonObject): JsonObject =>
  Object.fromEntries(pageFlags.flatMap((flag) => (policy[flag] === undefined ? [] : [[flag, policy[flag]]])));

const displayModeOf = ({ displayMode }: JsonObject): string =>
  typeof displayMode === "string" ? displayMode : "INLINE";

interface SessionRendering {
  readonly sessionId: string;
  /** True when the request comes from the user's browser, which has the session's token. */
  readonly isPresented: boolean;
  readonly origin: string | undefined;
}

type SessionRenderDeps = Pick<RenderDeps, "pool" | "vault" | "clock" | "newId" | "wakeRelay" | "countRendering">;

/**
 * The pinned rendering of a session, from what was stored when the session was created. The first rendering that the
 * user sees moves the session to PRESENTED, however many browsers ask at the same time. Throws CLICK_SESSION_NOT_FOUND,
 * CLICK_SESSION_EXPIRED, CLICK_ORIGIN_NOT_ALLOWED, and CLICK_RENDER_NOT_FOUND once its user was erased or is
 * restricted.
 */
async function renderSession(deps: SessionRenderDeps, caller: Caller, wanted: SessionRendering): Promise<Rendered> {
  const now = deps.clock.now();
  const { rendered, isNew } = await withOrg(deps.pool, caller.orgId, async (tenant) => {
    const session = await requireSession(deps, tenant, wanted.sessionId, now);
    const pinned = await readPinned(deps, tenant, session);
    requireAllowedOrigin(pinned.placement, wanted.origin);
    const presented = wanted.isPresented && (await present(deps, caller, tenant, session, now));
    const { row, terms } = session;
    const question = { subjectIndex: row.subjectIndex, text: row, policy: terms.policy, now };
    const alreadyAccepted = await isAlreadyAccepted(tenant, question);
    return { rendered: rendering(deps, session, { pinned, alreadyAccepted, now }), isNew: presented };
  });
  if (isNew) deps.wakeRelay();
  deps.countRendering(caller.orgId, rendered.text, now);
  return rendered;
}

/** The file that a session shows. Throws as renderSession does, and CLICK_RENDER_NOT_FOUND when its text is no file. */
async function readSessionPdf(
  deps: Pick<RenderDeps, "pool" | "vault" | "clock">,
  { orgId }: Caller,
  wanted: Pick<SessionRendering, "sessionId" | "origin">,
): Promise<{ hash: string; content: Buffer }> {
  return withOrg(deps.pool, orgId, async (tenant) => {
    const { words, placement } = await readPinned(
      deps,
      tenant,
      await requireSession(deps, tenant, wanted.sessionId, deps.clock.now()),
    );
    requireAllowedOrigin(placement, wanted.origin);
    const hash = words.pdf?.hash ?? "";
    const content = hash === "" ? undefined : (await findShown(tenant, [hash])).get(hash);
    if (content === undefined) throw new DomainError("CLICK_RENDER_NOT_FOUND");
    return { hash, content };
  });
}

interface ShownSession {
  readonly row: StoredSession;
  readonly terms: Terms & JsonObject;
  readonly view: SessionView;
}

async function requireSession(
  { vault }: Pick<SessionRenderDeps, "vault">,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<ShownSession> {
  const { orgId } = tenant;
  const row = await findSession(tenant, id);
  if (row === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
  const opened = openSession(vault, orgId, row);
  const view = viewSession(orgId, row, opened, now);
  if (view.status === "EXPIRED") throw new DomainError("CLICK_SESSION_EXPIRED");
  if (opened.seed === null) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  return { row, terms: JSON.parse(row.terms) as Terms & JsonObject, view };
}

interface Pinned {
  readonly html: string;
  readonly renderHash: string;
  readonly words: ShownWords;
  readonly changesHtml?: string;
  readonly placement: Placement | undefined;
}

async function readPinned(
  { vault }: Pick<SessionRenderDeps, "vault">,
  tenant: Tenant,
  { row, terms }: ShownSession,
): Promise<Pinned> {
  const { renderHash, wordsHash, deploymentHash } = row;
  const isMerged = terms.type === "GENERATED";
  const hashes = [isMerged ? null : renderHash, wordsHash, deploymentHash].filter((hash) => hash !== null);
  const contents = await findShown(tenant, hashes);
  const read = (hash: string | null): string | null => contents.get(hash ?? "")?.toString("utf8") ?? null;
  const html = isMerged ? await readSealedRendering(vault, tenant, row.id) : read(renderHash);
  const [wordsJson, snapshot] = [read(wordsHash), read(deploymentHash)];
  // Missing only for sessions that were created before renderings were stored.
  if (renderHash === null || html === null || wordsJson === null) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  const words = JSON.parse(wordsJson) as ShownWords;
  const changesHtml = await readChanges(tenant, words);
  return {
    html,
    renderHash,
    words,
    ...(changesHtml === undefined ? {} : { changesHtml }),
    placement: snapshot === null ? undefined : parsePlacement(snapshot),
  };
}

async function present(
  { newId }: SessionRenderDeps,
  caller: Caller,
  tenant: Tenant,
  { row }: ShownSession,
  now: Date,
): Promise<boolean> {
  // Checked before the row is locked, because most renderings are repetitions.
  if (row.status !== "PENDING" || !(await presentSession(tenant, row.id, now))) return false;
  await insertOutbox(tenant.client, "click", [sessionPresented({ caller, eventId: newId(), now }, row.id, row)]);
  return true;
}

function rendering(
  { newId }: SessionRenderDeps,
  { row, terms, view }: ShownSession,
  { pinned, alreadyAccepted, now }: { pinned: Pinned; alreadyAccepted: boolean; now: Date },
): Rendered {
  const { templateId, versionId, revision, label, locale, contentHash } = row;
  const renderId = newId();
  return {
    renderId,
    text: { templateId, versionId, revision, label, locale, contentHash },
    terms,
    ...pinned,
    sessionId: row.id,
    alreadyAccepted,
    claims: view.claims && { ...view.claims, rnd: renderId, iat: secondsOf(now) },
    renderedAt: now,
    expiresAt: row.expiresAt,
    isDraft: false,
  };
}
