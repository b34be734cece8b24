import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { proveAssertion, readAssertion } from "../domain/assertion.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { grantScopes } from "../domain/scopes.ts";
import { findAssertingClient } from "../store/credential-lookup.ts";
import type { AuthDeps } from "./deps.ts";
import { type IssueDeps, issueFor } from "./issue.ts";

type Deps = IssueDeps & Pick<AuthDeps, "lookup">;

export const issueTokenForAssertion = (
  deps: Deps,
): Pick<ServiceImpl<typeof TokenService>, "issueTokenForAssertion"> => ({
  async issueTokenForAssertion(request) {
    const assertion = readAssertion(request.assertion);
    if (assertion === undefined) throw notAccepted();
    const { clientId } = assertion;
    const client = isClientId(clientId) ? await findAssertingClient(deps.lookup, clientId) : undefined;
    const proven = await proveAssertion(assertion, {
      keys: client?.keys ?? [],
      audiences: [...request.audiences, deps.issuer.issuer],
      now: deps.clock.now(),
    });
    if (client === undefined || client.isRevoked || proven === undefined) throw notAccepted();
    // There are no users: the organization is what integrations configure as the user to act for.
    if (proven.subject !== clientId && proven.subject.toLowerCase() !== client.orgId) throw notAccepted();
    const scopes = grantScopes(request.scopes, grantScopes(proven.scopes, client.scopes));
    return issueFor(deps, { orgId: client.orgId, clientId, scopes });
  },
});

const notAccepted = (): DomainError => new DomainError("OAUTH_INVALID_GRANT");
