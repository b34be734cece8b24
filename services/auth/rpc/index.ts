import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService } from "#gen/assent/auth/v1/erasures_pb.ts";
import { ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { retentionOf } from "#platform/destroy-tables.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { deletions } from "../deletion/deletions.ts";
import { addPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey } from "../passkeys/own-passkeys.ts";
import { beginPasskeyLogin, continueLoginWithPasskey, loginWithPasskey } from "../passkeys/passkey-logins.ts";
import { applyErasureList } from "../privacy/apply-erasure-list.ts";
import { erasures } from "../privacy/erasures.ts";
import { type ExportDeps, exportHandlers } from "../privacy/export-handlers.ts";
import { exportScheduleHandlers } from "../privacy/export-schedules.ts";
import { oldLines } from "../privacy/own-people.ts";
import { authenticateApiKey, createApiKey, listApiKeys, revokeApiKey, userKeys } from "./api-keys.ts";
import type { AuthDeps } from "./deps.ts";
import { continueLogin, login, loginWithIdentity, logout } from "./login.ts";
import { noticeReaders } from "./notices.ts";
import {
  addOAuthClientKey,
  createOAuthClient,
  listOAuthClientKeys,
  listOAuthClients,
  revokeOAuthClient,
  revokeOAuthClientKey,
  rotateOAuthClientSecret,
  userClients,
} from "./oauth-clients.ts";
import {
  createOrganization,
  createOwner,
  describeOrganization,
  operateOrganizations,
  setOrganizationLimits,
  setOrganizationPlan,
  userOrganization,
} from "./organizations.ts";
import { acceptInvitation, changePassword, getOwnUser, requestPasswordReset, resetPassword } from "./passwords.ts";
import { beginTotp, confirmTotp, disableTotp, replaceRecoveryCodes } from "./second-factor.ts";
import { authenticateSession, listSessions, revokeOtherSessions, revokeSession } from "./sessions.ts";
import { describeCaller, getJwks, issueToken, issueTokenForAssertion, listChanges, revokeToken } from "./tokens.ts";
import { listBusyOrganizations, reportUse } from "./use.ts";
import { inviteUser, inviteUserAgain, listUsers, nameUsers, removeUser, updateUser } from "./users.ts";

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
      ...noticeReaders(deps),
      ...listChanges(deps),
      ...reportUse(deps),
    });
  };

/** What the gateway calls for people: to find out who they are, and on behalf of those who are logged in. */
export const peopleRoutes =
  (deps: AuthDeps & ExportDeps): RpcRoutes =>
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
      ...nameUsers(deps),
      ...inviteUser(deps),
      ...inviteUserAgain(deps),
      ...updateUser(deps),
      ...removeUser(deps),
    });
    router.service(PasskeyService, {
      ...beginPasskeyLogin(deps),
      ...loginWithPasskey(deps),
      ...continueLoginWithPasskey(deps),
      ...listPasskeys(deps),
      ...beginPasskey(deps),
      ...addPasskey(deps),
      ...renamePasskey(deps),
      ...removePasskey(deps),
    });
    router.service(ErasureService, erasures(deps));
    router.service(OrganizationService, {
      ...userOrganization(deps),
      ...userKeys(deps),
      ...userClients(deps),
    });
    router.service(ExportService, { ...exportHandlers(deps), ...exportScheduleHandlers(deps) });
  };

/** What the sign service asks those that keep records. */
export const internalRoutes =
  ({ people, removerPool }: Pick<AuthDeps, "people" | "removerPool">): RpcRoutes =>
  (router) => {
    router.service(RetentionService, retentionOf(people, "auth", oldLines(removerPool)));
  };

/** What an operator or a dashboard calls, on the admin port only. */
export const adminRoutes =
  (deps: AuthDeps): RpcRoutes =>
  (router) => {
    router.service(AdminService, {
      ...createOrganization(deps),
      ...operateOrganizations(deps),
      ...listBusyOrganizations(deps),
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
      ...deletions(deps),
      ...applyErasureList(deps),
    });
  };
