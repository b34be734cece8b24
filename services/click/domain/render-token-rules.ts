import { DomainError } from "#platform/errors.ts";
import type { Agreement, SessionFacts } from "./agreement.ts";
import { isExpired, type RenderClaims } from "./render-claims.ts";
import type { PresentedToken } from "./shown.ts";

/** What the token of an acceptance must agree with. */
export interface TokenContext {
  readonly organizationId: string;
  readonly agreement: Agreement;
  readonly session: SessionFacts | undefined;
  /** The hash of the merged text that is accepted, when there is one. */
  readonly renderHash: string | null;
  /** The key of the user who accepts. */
  userKey(): string;
  readonly now: Date;
}

/**
 * A token that is given must be right, whether or not the policy asks for one: the receipt says what it says. Throws
 * CLICK_RENDER_TOKEN_INVALID.
 */
export function checkRenderToken(token: PresentedToken, isRequired: boolean, context: TokenContext): void {
  if (token === undefined) {
    if (isRequired) throw invalid("REQUIRED", "is required: render the text and send the token that comes with it");
    return;
  }
  // Whose token it is must not be told to others.
  if (token === "not ours" || token.org !== context.organizationId) {
    throw invalid("NOT_OURS", "is not a token that was issued to this organization");
  }
  if (isExpired(token, context.now)) throw invalid("EXPIRED", "has expired");
  if ((token.sid ?? null) !== (context.session?.id ?? null)) {
    throw invalid("OTHER_SESSION", "belongs to another session, or to none");
  }
  if (!isSameText(token, context)) throw invalid("OTHER_TEXT", "belongs to another text");
  if (token.usr !== undefined && token.usr !== context.userKey()) {
    throw invalid("OTHER_USER", "was issued for another user");
  }
}

const isSameText = (token: RenderClaims, { agreement, renderHash }: TokenContext): boolean =>
  token.tpl === agreement.templateId &&
  token.ver === agreement.versionId &&
  token.rev === agreement.revision &&
  token.ch === agreement.contentHash &&
  (renderHash === null || token.rh === renderHash);

const invalid = (code: string, message: string): DomainError =>
  new DomainError("CLICK_RENDER_TOKEN_INVALID", { details: [{ field: "renderToken", code, message }] });
