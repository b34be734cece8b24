import { LRUCache } from "lru-cache";
import { DomainError } from "#platform/errors.ts";
import type { Turns } from "#platform/turns.ts";
import { type MergedText, mergeText } from "../render/compose.ts";
import type { HtmlSource } from "../render/html-source.ts";
import type { RenderTokens } from "../render/render-tokens.ts";
import type { ShownKeeper } from "../render/shown-keeper.ts";
import type { Agreement, PresentedToken } from "../terms/agreement.ts";
import { type ContentKeeper, keepSoon } from "../terms/content-keeper.ts";
import { hasPatterns } from "../terms/merge-data.ts";
import type { Placement } from "../terms/placement.ts";
import { adaptTerms, type KeptTerms } from "../terms/terms.ts";
import type { CheckedItem } from "./accept-body.ts";

export interface ShownDeps {
  readonly tokens: RenderTokens;
  readonly html: HtmlSource;
  readonly shown: ShownKeeper;
  readonly placeTerms: PlaceTerms;
  readonly content: ContentKeeper;
  /** Yields between values while they are matched against the templates' patterns. */
  readonly turns: Turns;
}

/** Reads the render token of an acceptance, without comparing it with anything yet. */
export function readToken(
  { tokens }: Pick<ShownDeps, "tokens">,
  { body }: CheckedItem,
): PresentedToken | Promise<PresentedToken> {
  if (body.renderToken === undefined) return undefined;
  return andThen(tokens.read(body.renderToken), (claims) => claims ?? "not ours");
}

/** The terms of a template with a deployment's flags applied. */
export type PlaceTerms = (terms: KeptTerms, placement: Placement) => KeptTerms;

const cachedTerms = 2_000;

export function createTermsPlacer(): PlaceTerms {
  const cache = new LRUCache<string, KeptTerms>({ max: cachedTerms });
  return (terms, placement) => {
    const key = `${terms.hash.toString("base64")}/${placement.snapshotHash}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const placed = adaptTerms(terms, { policy: placement.policy });
    cache.set(key, placed);
    return placed;
  };
}

/** The agreement with the flags of the deployment that showed the text. */
export function placeAgreement(
  deps: Pick<ShownDeps, "shown" | "placeTerms">,
  { caller }: CheckedItem,
  agreement: Agreement,
  token: PresentedToken,
): Agreement | Promise<Agreement> {
  // Another organization's token is refused later, like any invalid token.
  if (typeof token !== "object" || token.dsh === undefined || token.org !== caller.orgId) return agreement;
  return andThen(deps.shown.placement(caller.orgId, token.dsh), (placement) => {
    if (placement === undefined) throw new Error("the snapshot of a deployment that was rendered is not stored");
    return { ...agreement, terms: deps.placeTerms(agreement.terms, placement) };
  });
}

/**
 * Merges a GENERATED text with the values of an acceptance without a session; returns the error when they do
 * not fit.
 */
export function mergeDirect(
  deps: Pick<ShownDeps, "html" | "content" | "turns">,
  { caller, body }: CheckedItem,
  agreement: Agreement,
): MergedText | DomainError | undefined | Promise<MergedText | DomainError> {
  const { terms } = agreement.terms;
  if (terms.type !== "GENERATED") return undefined;
  // A decline concerns the text itself, with or without values.
  if (body.decision === "DECLINE" && body.data === undefined) return undefined;
  return andThen(keepSoon(deps.content, [caller, agreement, agreement.terms]), () =>
    andThen(deps.html.load(caller.orgId, agreement, terms.type), ({ merge }) => {
      if (merge === null) throw new Error("a GENERATED text was read as one of another type");
      const fill = () => mergedOrRefused(merge, terms, body.data ?? {});
      return hasPatterns(terms.typeConfig) ? deps.turns(fill) : fill();
    }),
  ) as MergedText | DomainError | Promise<MergedText | DomainError>;
}

function mergedOrRefused(...text: Parameters<typeof mergeText>): MergedText | DomainError {
  try {
    return mergeText(...text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/**
 * Applies the next step immediately when the value is known, and otherwise when its promise resolves, so that
 * the usual path stays synchronous.
 */
export function andThen<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
