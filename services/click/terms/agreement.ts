import type { JsonObject } from "@bufbuild/protobuf";
import { DomainError } from "#platform/errors.ts";
import { chooseByLocale, matchLocale } from "#platform/locale.ts";
import type { AcceptBody } from "../accept/accept-body.ts";
import { type RenderClaims, renderedAt } from "../render/render-tokens.ts";
import { closedError, type PageFacts, type SessionState, statusAt, takesAcceptance } from "../sessions/session.ts";
import type { KeptTerms } from "./terms.ts";

/** The render token of an acceptance: what it says, or that it is none of ours. */
export type PresentedToken = RenderClaims | "not ours" | undefined;

/** The exact text that a session shows or an acceptance is about. */
export interface BoundText {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly label: string;
  readonly locale: string;
  readonly contentHash: string;
}

/** What an acceptance is about. */
export interface Agreement extends BoundText {
  readonly terms: KeptTerms;
  /** The session's text is no longer the one that is published. */
  readonly superseded: boolean;
}

/** A template as it stands now. */
export interface CurrentTemplate {
  readonly archived: boolean;
  readonly defaultLocale: string;
  readonly published: readonly BoundText[];
  readonly terms: KeptTerms;
  /** From then on it stands otherwise, because a publication is scheduled; null when none is. */
  readonly changesAt: Date | null;
}

/** A session as far as an acceptance needs to know it. */
export interface SessionFacts extends BoundText, SessionState {
  readonly id: string;
  /** Who it was made for, or who has accepted it; null while nobody is known. */
  readonly userRef: string | null;
  /** Of its user; null while nobody is known, and after erasure. */
  readonly subjectIndex: Buffer | null;
  readonly termsHash: Buffer;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly context: object | null;
  /** Merge values of a GENERATED template. */
  readonly data: JsonObject | null;
  /** What its completion is sealed with; null when nothing about its user may be read or added any more. */
  readonly seed: Buffer | null;
  readonly erased: boolean;
  /** Since when its text may have been on display. */
  readonly displayedSince: Date;
  /** What its page told us; null when it told nothing. */
  readonly pageFacts: PageFacts | null;
  /** When we rendered it for the first time. */
  readonly presentedAt: Date | null;
  /** What it shows, in click.shown; null for a session that is older than renderings. */
  readonly renderHash: string | null;
  readonly wordsHash: string | null;
  readonly deploymentId: string | null;
  readonly deploymentHash: string | null;
}

export interface TextChoice {
  readonly versionId?: string | undefined;
  readonly locale?: string | undefined;
  /** Tried after the locale, in this order. */
  readonly localeFallback?: readonly string[] | undefined;
}

/**
 * What a template shows to somebody who asks for this version or locale. Throws CLICK_VERSION_NOT_FOUND,
 * CLICK_TEMPLATE_ARCHIVED, CLICK_VERSION_NOT_PUBLISHED. `isKnown` tells whether a version that is not published exists.
 */
export function chooseText(template: CurrentTemplate, choice: TextChoice, isKnown: boolean): BoundText {
  const { published, defaultLocale } = template;
  const versionId = choice.versionId?.toLowerCase();
  const named = published.find((version) => version.versionId === versionId);
  if (versionId !== undefined && named === undefined && !isKnown) throw new DomainError("CLICK_VERSION_NOT_FOUND");
  if (template.archived) throw new DomainError("CLICK_TEMPLATE_ARCHIVED");
  const chosen =
    versionId === undefined ? chooseByLocale(published, choice.locale, defaultLocale, choice.localeFallback) : named;
  if (chosen === undefined) throw new DomainError("CLICK_VERSION_NOT_PUBLISHED");
  return chosen;
}

/**
 * What an acceptance without a session is about: existence and state, in this order. `choice` tells what the body asks
 * for, or what its render token shows.
 */
export function bindDirect(
  body: AcceptBody,
  template: CurrentTemplate | undefined,
  choice: TextChoice,
  isKnown: boolean,
): Agreement {
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  requireSameTemplate(body, template.terms);
  const text = chooseText(template, choice, isKnown);
  requireSameContent(body, text);
  return { ...text, terms: template.terms, superseded: false };
}

/**
 * Which text of the template an acceptance without a session asks for. Who says nothing else means the text whose token
 * it sends; a locale that leads to another text means that one, and then the token is wrong.
 */
export function directChoice(
  body: AcceptBody,
  template: CurrentTemplate | undefined,
  token: PresentedToken,
): TextChoice {
  const { versionId, locale } = body;
  const isTold = versionId !== undefined || template === undefined || typeof token !== "object";
  if (isTold || token.tpl !== template.terms.terms.templateId) return { versionId, locale };
  const named = matchLocale(template.published, locale);
  return named === undefined || named.versionId === token.ver ? { versionId: token.ver } : { locale };
}

/** What an acceptance with a session is about: the text that the session pinned. */
export function bindSession(
  body: AcceptBody,
  session: SessionFacts,
  pinned: KeptTerms,
  template: CurrentTemplate | undefined,
  now: Date,
): Agreement {
  if (template === undefined) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
  const { policy } = pinned.terms;
  const status = statusAt(session, now);
  if (!takesAcceptance(status, policy.singleUseSession) || session.erased) throw new DomainError(closedError(status));
  if (template.archived) throw new DomainError("CLICK_TEMPLATE_ARCHIVED");
  requireSameTemplate(body, pinned);
  if (body.versionId !== undefined && body.versionId.toLowerCase() !== session.versionId) {
    throw disagreement("versionId", "is not the version that the session shows");
  }
  requireSameContent(body, session);
  const superseded = !template.published.some(
    (version) => version.versionId === session.versionId && version.revision === session.revision,
  );
  if (superseded && policy.requireReacceptance === "ALWAYS") throw new DomainError("CLICK_VERSION_SUPERSEDED");
  const { templateId, versionId, revision, label, locale, contentHash } = session;
  return { templateId, versionId, revision, label, locale, contentHash, terms: pinned, superseded };
}

function requireSameTemplate(body: AcceptBody, { terms }: KeptTerms): void {
  if (body.templateId !== undefined && body.templateId.toLowerCase() !== terms.templateId) {
    throw disagreement("templateId", "does not agree with the session");
  }
  if (body.templateSlug !== undefined && body.templateSlug !== terms.slug) {
    throw disagreement("templateSlug", "does not agree with the session or templateId");
  }
}

/** The client proves what it displayed. */
function requireSameContent(body: AcceptBody, text: BoundText): void {
  if (body.contentHash !== undefined && body.contentHash !== text.contentHash) {
    throw new DomainError("CLICK_VERSION_SUPERSEDED");
  }
}

const disagreement = (field: string, message: string): DomainError =>
  new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field, code: "DISAGREES", message }] });

/** The merged text of an acceptance without a session, or why there is none. */
export type MergeOutcome = { readonly renderHash: string; readonly data: JsonObject } | DomainError | undefined;

/** How the text was shown, as far as we know it ourselves; part of the evidence. */
export interface ShownFacts {
  /** Null when a session was shown without a token of the rendering. */
  readonly renderId: string | null;
  /** Null when we did not render the text ourselves. */
  readonly renderedAt: string | null;
  /** The HTML, in click.shown. */
  readonly renderHash: string | null;
  /** The words around it, in click.shown. */
  readonly wordsHash: string | null;
  readonly renderToken: string | null;
  readonly deploymentId: string | null;
  /** The snapshot of the deployment, in click.shown. */
  readonly deploymentHash: string | null;
  /** Merge values of a GENERATED template. */
  readonly data: JsonObject | null;
}

/** A session as far as it tells how it was shown. */
type ShownSession = Pick<
  SessionFacts,
  "id" | "presentedAt" | "renderHash" | "wordsHash" | "deploymentId" | "deploymentHash"
>;

export interface ShownInput {
  readonly session: ShownSession | undefined;
  readonly claims: RenderClaims | undefined;
  readonly renderToken: string | undefined;
  readonly merged: { readonly renderHash: string; readonly data: JsonObject } | undefined;
  readonly isGenerated: boolean;
}

/** Null when nothing is known, as of an acceptance by API alone. */
export function shownFacts({ session, claims, renderToken, merged, isGenerated }: ShownInput): ShownFacts | null {
  const rendered = session === undefined ? claims && renderedAt(claims) : whenRendered(session, claims);
  const isShown = rendered !== undefined || isGenerated;
  const facts: ShownFacts = {
    renderId: claims !== undefined && rendered !== undefined ? claims.rnd : null,
    renderedAt: rendered?.toISOString() ?? null,
    renderHash: isShown ? (merged?.renderHash ?? session?.renderHash ?? claims?.rh ?? null) : null,
    wordsHash: rendered === undefined ? null : (session?.wordsHash ?? claims?.wh ?? null),
    renderToken: claims === undefined ? null : (renderToken ?? null),
    deploymentId: session?.deploymentId ?? claims?.dep ?? null,
    deploymentHash: session?.deploymentHash ?? claims?.dsh ?? null,
    data: merged?.data ?? null,
  };
  return Object.values(facts).every((fact) => fact === null) ? null : facts;
}

/** The token that comes with a new session names the session itself as its rendering: nothing is rendered by then. */
function whenRendered(session: ShownSession, claims: RenderClaims | undefined): Date | undefined {
  if (session.presentedAt !== null) return session.presentedAt;
  return claims === undefined || claims.rnd === session.id ? undefined : renderedAt(claims);
}
