import type { Client } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { Principal } from "./principal.ts";

/**
 * What a session's render token permits: rendering that session, at the expense of the client that created it.
 */
export interface RenderGrant {
  readonly token: string;
  readonly sessionId: string;
  /** The client that created the session, without any scope. */
  readonly principal: Principal;
}

/** Verifies a render token. Rejects with INVALID_TOKEN or TOKEN_EXPIRED. */
export type AuthenticateRenderToken = (
  token: string,
  trace: { readonly requestId: string; readonly traceparent: string },
) => Promise<RenderGrant>;

const maxTokenLength = 4_096;
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const noScopes: ReadonlySet<string> = new Set();

/**
 * Only the click service has the keys. Revocations are not checked: a session outlives the credential that
 * created it, so that rotating a key does not break open pages.
 */
export const createAuthenticateRenderToken =
  (click: Pick<Client<typeof ClickService>, "authenticateRenderToken">): AuthenticateRenderToken =>
  async (token, { requestId, traceparent }) => {
    if (token.length > maxTokenLength || !compactJws.test(token)) throw new DomainError("INVALID_TOKEN");
    const headers = { "x-request-id": requestId, traceparent };
    const owner = await click.authenticateRenderToken({ token }, { headers, timeoutMs: 2_000 });
    const orgId = parseOrgId(owner.organizationId);
    if (orgId === undefined) throw new Error("the click service answered with a malformed organization id");
    const principal: Principal = { orgId, clientId: owner.clientId, scopes: noScopes, tokenId: undefined };
    return { token, sessionId: owner.sessionId.toLowerCase(), principal };
  };
