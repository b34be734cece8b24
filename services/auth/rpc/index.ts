import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { addOAuthClientKey } from "./add-oauth-client-key.ts";
import { authenticateApiKey } from "./authenticate-api-key.ts";
import { authenticateSession } from "./authenticate-session.ts";
import { beginTotp } from "./begin-totp.ts";
import { changePassword } from "./change-password.ts";
import { confirmTotp } from "./confirm-totp.ts";
import { continueLogin } from "./continue-login.ts";
import { createApiKey } from "./create-api-key.ts";
import { createOAuthClient } from "./create-oauth-client.ts";
import { createOrganization } from "./create-organization.ts";
import { createOwner } from "./create-owner.ts";
import type { AuthDeps } from "./deps.ts";
import { describeCaller } from "./describe-caller.ts";
import { describeOrganization } from "./describe-organization.ts";
import { disableTotp } from "./disable-totp.ts";
import { getJwks } from "./get-jwks.ts";
import { getOwnUser } from "./get-own-user.ts";
import { inviteUser } from "./invite-user.ts";
import { inviteUserAgain } from "./invite-user-again.ts";
import { issueToken } from "./issue-token.ts";
import { issueTokenForAssertion } from "./issue-token-for-assertion.ts";
import { listApiKeys } from "./list-api-keys.ts";
import { listChanges } from "./list-changes.ts";
import { listOAuthClientKeys } from "./list-oauth-client-keys.ts";
import { listOAuthClients } from "./list-oauth-clients.ts";
import { listSessions } from "./list-sessions.ts";
import { listUsers } from "./list-users.ts";
import { login } from "./login.ts";
import { loginWithIdentity } from "./login-with-identity.ts";
import { logout } from "./logout.ts";
import { removeUser } from "./remove-user.ts";
import { replaceRecoveryCodes } from "./replace-recovery-codes.ts";
import { requestPasswordReset } from "./request-password-reset.ts";
import { resetPassword } from "./reset-password.ts";
import { revokeApiKey } from "./revoke-api-key.ts";
import { revokeOAuthClient } from "./revoke-oauth-client.ts";
import { revokeOAuthClientKey } from "./revoke-oauth-client-key.ts";
import { revokeOtherSessions } from "./revoke-other-sessions.ts";
import { revokeSession } from "./revoke-session.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateOAuthClientSecret } from "./rotate-oauth-client-secret.ts";
import { setOrganizationLimits } from "./set-organization-limits.ts";
import { setOrganizationPlan } from "./set-organization-plan.ts";
import { updateUser } from "./update-user.ts";
import { userClients } from "./user-clients.ts";
import { userKeys } from "./user-keys.ts";
import { userOrganization } from "./user-organization.ts";

/** What the gateway calls. */
export const tokenRoutes =
  (deps: AuthDeps): RpcRoutes =>
  (router) => {
    router.service(TokenService, {
      ...issueToken(deps),
      ...issueTokenForAssertion(deps),
      ...getJwks(deps),
      ...authenticateApiKey(deps),
      ...describeCaller(deps),
      ...describeOrganization(deps),
      ...listChanges(deps),
    });
  };

/** What the gateway calls for people: to find out who they are, and on behalf of those who are logged in. */
export const peopleRoutes =
  (deps: AuthDeps): RpcRoutes =>
  (router) => {
    router.service(LoginService, {
      ...login(deps),
      ...continueLogin(deps),
      ...loginWithIdentity(deps),
      ...authenticateSession(deps),
      ...logout(deps),
      ...acceptInvitation(deps),
      ...requestPasswordReset(deps),
      ...resetPassword(deps),
    });
    router.service(UserService, {
      ...getOwnUser(deps),
      ...changePassword(deps),
      ...beginTotp(deps),
      ...confirmTotp(deps),
      ...disableTotp(deps),
      ...replaceRecoveryCodes(deps),
      ...listSessions(deps),
      ...revokeSession(deps),
      ...revokeOtherSessions(deps),
      ...listUsers(deps),
      ...inviteUser(deps),
      ...inviteUserAgain(deps),
      ...updateUser(deps),
      ...removeUser(deps),
    });
    router.service(OrganizationService, {
      ...userOrganization(deps),
      ...userKeys(deps),
      ...userClients(deps),
    });
  };

/** What an operator or a dashboard calls, on the admin port only. */
export const adminRoutes =
  (deps: AuthDeps): RpcRoutes =>
  (router) => {
    router.service(AdminService, {
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
      ...createOwner(deps),
    });
  };
