import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isExpired, type RenderClaims } from "../domain/render-claims.ts";
import type { RenderDeps } from "../render/render-deps.ts";

type Deps = Pick<RenderDeps, "tokens" | "clock">;

export const authenticateRenderToken = (
  deps: Deps,
): Pick<ServiceImpl<typeof ClickService>, "authenticateRenderToken"> => ({
  // Without a caller: who calls is what it tells.
  async authenticateRenderToken({ token }) {
    const { org, cid, sid } = await readSessionToken(deps, token);
    return { organizationId: org, clientId: cid, sessionId: sid };
  },
});

/** The claims of a session's token; throws INVALID_TOKEN, TOKEN_EXPIRED. */
export async function readSessionToken(
  { tokens, clock }: Deps,
  token: string,
): Promise<RenderClaims & { readonly sid: string }> {
  const claims = await tokens.read(token);
  const { sid } = claims ?? {};
  if (claims === undefined || sid === undefined) throw new DomainError("INVALID_TOKEN");
  if (isExpired(claims, clock.now())) throw new DomainError("TOKEN_EXPIRED");
  return { ...claims, sid };
}
