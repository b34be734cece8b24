import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { addOAuthClientKey } from "./add-oauth-client-key.ts";
import { authenticateApiKey } from "./authenticate-api-key.ts";
import { createApiKey } from "./create-api-key.ts";
import { createOAuthClient } from "./create-oauth-client.ts";
import { createOrganization } from "./create-organization.ts";
import type { AuthDeps } from "./deps.ts";
import { describeCaller } from "./describe-caller.ts";
import { describeOrganization } from "./describe-organization.ts";
import { getJwks } from "./get-jwks.ts";
import { issueToken } from "./issue-token.ts";
import { issueTokenForAssertion } from "./issue-token-for-assertion.ts";
import { listApiKeys } from "./list-api-keys.ts";
import { listChanges } from "./list-changes.ts";
import { listOAuthClientKeys } from "./list-oauth-client-keys.ts";
import { listOAuthClients } from "./list-oauth-clients.ts";
import { revokeApiKey } from "./revoke-api-key.ts";
import { revokeOAuthClient } from "./revoke-oauth-client.ts";
import { revokeOAuthClientKey } from "./revoke-oauth-client-key.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateOAuthClientSecret } from "./rotate-oauth-client-secret.ts";
import { setOrganizationLimits } from "./set-organization-limits.ts";
import { setOrganizationPlan } from "./set-organization-plan.ts";
import { unavailableWhenTransient } from "./transient.ts";

/** What the gateway calls. */
export const tokenRoutes =
  (deps: AuthDeps): RpcRoutes =>
  (router) => {
    router.service(
      TokenService,
      unavailableWhenTransient({
        ...issueToken(deps),
        ...issueTokenForAssertion(deps),
        ...getJwks(deps),
        ...authenticateApiKey(deps),
        ...describeCaller(deps),
        ...describeOrganization(deps),
        ...listChanges(deps),
      }),
    );
  };

/** What an operator or a dashboard calls, on the admin port only. */
export const adminRoutes =
  (deps: AuthDeps): RpcRoutes =>
  (router) => {
    router.service(
      AdminService,
      unavailableWhenTransient({
        ...createOrganization(deps),
        ...setOrganizationPlan(deps),
        ...setOrganizationLimits(deps),
        ...createApiKey(deps),
        ...listApiKeys(deps),
        ...revokeApiKey(deps),
        ...createOAuthClient(deps),
        ...listOAuthClients(deps),
        ...rotateOAuthClientSecret(deps),
        ...revokeOAuthClient(deps),
        ...addOAuthClientKey(deps),
        ...listOAuthClientKeys(deps),
        ...revokeOAuthClientKey(deps),
        ...revokeToken(deps),
      }),
    );
  };
