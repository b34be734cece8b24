import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { verifyClient } from "../credentials.ts";
import { signAccessToken } from "../domain/access-token.ts";
import { tokenLifetimeSeconds } from "../domain/key-schedule.ts";
import { grantScopes } from "../domain/scopes.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = Pick<AuthDeps, "lookup" | "keys" | "keyring" | "issuer" | "clock" | "newId">;

export const issueToken = (deps: Deps): Pick<ServiceImpl<typeof TokenService>, "issueToken"> => ({
  async issueToken(request) {
    const { clientId } = request;
    const client = await verifyClient(deps, clientId, request.clientSecret);
    if (client === undefined || client.isRevoked) throw new DomainError("OAUTH_INVALID_CLIENT");
    const scopes = grantScopes(request.scopes, client.scopes);
    const accessToken = await signAccessToken(
      deps.issuer,
      await deps.keyring.signingKey(),
      { tokenId: deps.newId(), orgId: client.orgId, clientId, scopes },
      deps.clock.now(),
    );
    return { accessToken, expiresIn: tokenLifetimeSeconds, scopes };
  },
});
