import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RenderingSchema, RenderRequest } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { linkedDocuments, verificationRequirements } from "../accept/verification.ts";
import type { ClickRpcs } from "../deps.ts";
import type { Policy } from "../terms/policy.ts";
import { changesMessage } from "./changes.ts";
import type { Rendered } from "./compose.ts";
import type { RenderDeps } from "./render-deps.ts";
import { renderDeployment, renderPreview } from "./render-published.ts";
import { readSessionPdf, renderSession } from "./render-session.ts";
import { isExpired, type RenderClaims } from "./render-tokens.ts";

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
