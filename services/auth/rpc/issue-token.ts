import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { verifyClient } from "../credentials.ts";
import { grantScopes } from "../domain/scopes.ts";
import type { AuthDeps } from "./deps.ts";
import { type IssueDeps, issueFor } from "./issue.ts";

type Deps = IssueDeps & Pick<AuthDeps, "lookup" | "keys">;

export const issueToken = (deps: Deps): Pick<ServiceImpl<typeof TokenService>, "issueToken"> => ({
  async issueToken(request) {
    const { clientId } = request;
    const client = await verifyClient(deps, clientId, request.clientSecret);
    if (client === undefined || client.isRevoked) throw new DomainError("OAUTH_INVALID_CLIENT");
    return issueFor(deps, { orgId: client.orgId, clientId, scopes: grantScopes(request.scopes, client.scopes) });
  },
});
