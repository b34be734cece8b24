import type { JsonObject } from "@bufbuild/protobuf";
import type { DomainError } from "#platform/errors.ts";
import { type RenderClaims, renderedAt } from "../render/render-tokens.ts";
import type { SessionFacts } from "./agreement.ts";
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
export type ShownSession = Pick<
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
