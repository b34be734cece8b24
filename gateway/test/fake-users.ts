import { randomBytes } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService, ErasureStatus } from "#gen/assent/auth/v1/erasures_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import {
  LoginService,
  type SessionPrincipal,
  SessionPrincipalSchema,
  type User,
  UserRole,
  UserSchema,
  UserService,
  UserStatus,
} from "#gen/assent/auth/v1/users_pb.ts";
import { PersonalItemOutcome } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";

const at = timestampFromDate(new Date("2026-06-01T12:00:00.5Z"));

const sampleErasure = {
  ...{ status: ErasureStatus.COMPLETED, ground: "GDPR_17", createdBy: "cl_test", createdAt: at, completedAt: at },
  ...{ erased: 1, restricted: 0, kept: 0 },
};
const sampleItem = {
  ...{ kind: "agreement.text", targetId: "01961234-5678-7abc-8def-0123456789ab", name: "emailSubject", count: 1 },
  ...{ outcome: PersonalItemOutcome.KEPT, keptBecause: "LEGAL_HOLD", keptUntil: at },
};

/** What a browser of somebody who is signed in sends along. */
export interface BrowserSession {
  readonly token: string;
  readonly csrfToken: string;
  readonly userId: string;
  readonly sessionId: string;
}

interface Living {
  readonly principal: SessionPrincipal;
  /** What the next answer replaces the token with. */
  next?: string;
}

export const goodPassword = "correct horse battery staple";
export const goodCode = "123456";
export const goodLink = "A".repeat(43);
const sixDigits = /^\d{6}$/;

/** The part of an auth service that knows people, in memory. Rules that need no gateway are left out. */
export function createFakeUsers() {
  const users = new Map<string, User>();
  const sessions = new Map<string, Living>();
  const credentials = new Map<string, { orgId: string; name: string; scopes: string[] }>();
  const passkeys: PasskeyParts["passkeys"] = new Map();
  /** By their ids, the organizations. */
  const erasures = new Map<string, string>();
  const addErasure = (orgId: string): string => {
    const id = newId();
    erasures.set(id, orgId);
    return id;
  };
  const calls = { authenticate: 0, logins: 0, resets: 0 };

  const add = (organizationId: string, fields: MessageInitShape<typeof UserSchema> = {}): User => {
    const defaults = {
      name: "Ann Example",
      role: UserRole.OWNER,
      status: UserStatus.ACTIVE,
      hasPassword: true,
      createdAt: at,
    };
    const id = newId();
    const user = create(UserSchema, { ...defaults, id, email: `${id}@example.com`, organizationId, ...fields });
    users.set(user.id, user);
    return user;
  };

  const begin = (user: User): { sessionToken: string; principal: SessionPrincipal } => {
    const sessionToken = randomBytes(32).toString("base64url");
    const principal = create(SessionPrincipalSchema, {
      sessionId: newId(),
      organizationId: user.organizationId,
      user,
      csrfToken: randomBytes(32).toString("base64url"),
      expiresAt: timestampFromDate(new Date(Date.now() + 3_600_000)),
    });
    sessions.set(sessionToken, { principal });
    return { sessionToken, principal };
  };

  const find = (caller: Caller, id: string): User => {
    const user = users.get(id);
    if (user === undefined || user.organizationId !== caller.orgId) throw new DomainError("NOT_FOUND");
    return user;
  };
  const own = (context: HandlerContext): User => {
    const caller = requireCaller(context);
    return find(caller, caller.clientId.replace("user:", ""));
  };
  const requirePassword = (password: string): void => {
    if (password !== goodPassword) throw new DomainError("PASSWORD_WRONG");
  };
  const requireLink = (token: string): void => {
    if (token !== goodLink) throw new DomainError("LINK_INVALID");
  };
  const replaceToken = (sessionId: string): { newSessionToken: string } => {
    const entry = [...sessions].find(([, { principal }]) => principal.sessionId === sessionId);
    if (entry === undefined) throw new DomainError("SESSION_ENDED");
    const newSessionToken = randomBytes(32).toString("base64url");
    sessions.set(newSessionToken, entry[1]);
    return { newSessionToken };
  };
  const recoveryCodes = ["abcde-fghij"];

  const routes: RpcRoutes = (router) => {
    router.service(LoginService, {
      login: ({ email, password, organizationId }) => {
        calls.logins += 1;
        const found = [...users.values()].filter(
          (user) => user.email === email && (organizationId ?? user.organizationId) === user.organizationId,
        );
        const [user] = found;
        if (user === undefined || password !== goodPassword) throw new DomainError("LOGIN_FAILED");
        if (found.length > 1) {
          const options = found.map((one) => ({ organizationId: one.organizationId, name: "Example AG" }));
          return { outcome: { case: "choice", value: { options } } };
        }
        return user.totpEnabled
          ? { outcome: { case: "secondFactor", value: pendingOf(user) } }
          : { outcome: { case: "signedIn", value: begin(user) } };
      },
      continueLogin: ({ pendingToken, code }) => {
        const user = users.get(pendingToken.replace("pending-", ""));
        if (user === undefined) throw new DomainError("LOGIN_EXPIRED");
        if (code !== goodCode) throw new DomainError("LOGIN_CODE_INVALID");
        return { signedIn: begin(user) };
      },
      loginWithIdentity: ({ email, organizationId }) => {
        const found = [...users.values()].filter(
          (user) => user.email === email && (organizationId ?? user.organizationId) === user.organizationId,
        );
        const [user] = found;
        if (user === undefined) throw new DomainError("LOGIN_FAILED");
        const options = found.map((one) => ({ organizationId: one.organizationId, name: "Example AG" }));
        return found.length > 1
          ? { outcome: { case: "choice", value: { options } } }
          : { outcome: { case: "signedIn", value: begin(user) } };
      },
      authenticateSession: ({ sessionToken }) => {
        calls.authenticate += 1;
        const session = sessions.get(sessionToken);
        const user = users.get(session?.principal.user?.id ?? "");
        if (session === undefined || user === undefined) throw new DomainError("SESSION_ENDED");
        const newSessionToken = session.next ?? "";
        if (newSessionToken !== "") sessions.set(newSessionToken, { principal: session.principal });
        return { principal: { ...session.principal, user }, newSessionToken };
      },
      logout: ({ sessionToken }) => {
        sessions.delete(sessionToken);
        return {};
      },
      acceptInvitation: ({ token }) => {
        requireLink(token);
        return { signedIn: begin(add(newId())) };
      },
      requestPasswordReset: () => {
        calls.resets += 1;
        return {};
      },
      resetPassword: ({ token }) => {
        requireLink(token);
        return {};
      },
    });
    router.service(UserService, {
      getOwnUser: (_request, context) => ({ user: own(context) }),
      changePassword: ({ currentPassword, sessionId }) => {
        requirePassword(currentPassword);
        return replaceToken(sessionId);
      },
      beginTotp: ({ password }) => {
        requirePassword(password);
        return { secret: "JBSWY3DPEHPK3PXP", uri: "otpauth://totp/Example?secret=JBSWY3DPEHPK3PXP" };
      },
      confirmTotp: ({ code, sessionId }) => {
        if (!sixDigits.test(code)) throw new DomainError("TOTP_CODE_INVALID");
        return { recoveryCodes, ...replaceToken(sessionId) };
      },
      disableTotp: ({ password, sessionId }) => {
        requirePassword(password);
        return replaceToken(sessionId);
      },
      replaceRecoveryCodes: ({ password, sessionId }) => {
        requirePassword(password);
        return { recoveryCodes, ...replaceToken(sessionId) };
      },
      listSessions: (_request, context) => {
        const { id } = own(context);
        const mine = [...sessions.values()].filter(({ principal }) => principal.user?.id === id);
        return {
          sessions: mine.map(({ principal: { sessionId: of, expiresAt } }) => ({
            id: of,
            createdAt: at,
            lastSeenAt: at,
            ...(expiresAt === undefined ? {} : { expiresAt }),
          })),
        };
      },
      revokeSession: ({ sessionId }, context) => {
        const { id } = own(context);
        const entry = [...sessions].find(
          ([, { principal }]) => principal.sessionId === sessionId && principal.user?.id === id,
        );
        if (entry === undefined) throw new DomainError("NOT_FOUND");
        sessions.delete(entry[0]);
        return {};
      },
      revokeOtherSessions: () => ({ revoked: 0 }),
      listUsers: (_request, context) => {
        const { orgId } = requireCaller(context);
        return { users: [...users.values()].filter(({ organizationId }) => organizationId === orgId) };
      },
      nameUsers: ({ userIds }, context) => {
        const { orgId } = requireCaller(context);
        const named = [...users.values()].filter(
          ({ id, organizationId }) => organizationId === orgId && userIds.includes(id),
        );
        return { users: named.map(({ id, name }) => ({ id, name })) };
      },
      inviteUser: ({ email, name, role, locale }, context) => ({
        user: add(requireCaller(context).orgId, { email, name, role, locale, status: UserStatus.INVITED }),
        inviteUrl: `https://api.example.com/dashboard/invitation#${goodLink}`,
      }),
      inviteUserAgain: ({ userId }, context) => ({ user: find(requireCaller(context), userId) }),
      updateUser: ({ userId, name, role }, context) => {
        const user = find(requireCaller(context), userId);
        if (name !== undefined) user.name = name;
        if (role !== undefined) user.role = role;
        return { user };
      },
      removeUser: ({ userId }, context) => {
        users.delete(find(requireCaller(context), userId).id);
        return {};
      },
    });
    router.service(PasskeyService, fakePasskeys({ own, requirePassword, replaceToken, begin, users, passkeys }));
    router.service(OrganizationService, organizationRoutes(credentials));
    router.service(ErasureService, {
      searchPerson: () => ({ items: [sampleItem], nextCursor: "1 " }),
      createErasure: ({ dryRun, ground }, context) => {
        const id = addErasure(requireCaller(context).orgId);
        return { erasure: { ...sampleErasure, id, dryRun, ground: ground || "GDPR_17" } };
      },
      getErasure: ({ id }, context) => {
        if (erasures.get(id) !== requireCaller(context).orgId) throw new DomainError("ERASURE_NOT_FOUND");
        return { erasure: { ...sampleErasure, id }, items: [sampleItem], nextCursor: "2" };
      },
      listErasures: () => ({ erasures: [{ ...sampleErasure, id: newId() }], nextCursor: "" }),
    });
  };

  return {
    routes,
    users,
    sessions,
    calls,
    add,
    addErasure,
    addPasskey: (orgId: string): string => {
      const id = newId();
      passkeys.set(id, { orgId, name: "Work laptop" });
      return id;
    },
    addCredential: (orgId: string, id: string): string => {
      credentials.set(id, { orgId, name: "Shop backend", scopes: ["click:read"] });
      return id;
    },
    /** A new user with this role who has signed in. */
    signIn: (
      organizationId: string,
      role: UserRole = UserRole.OWNER,
      user = add(organizationId, { role }),
    ): BrowserSession => {
      const { sessionToken, principal } = begin(user);
      return { token: sessionToken, csrfToken: principal.csrfToken, userId: user.id, sessionId: principal.sessionId };
    },
    /** What the next look at the session gives instead of its token. */
    rotate: (token: string, next: string): void => {
      const session = sessions.get(token);
      if (session !== undefined) session.next = next;
    },
  };
}

interface PasskeyParts {
  own(context: HandlerContext): User;
  requirePassword(password: string): void;
  replaceToken(sessionId: string): { newSessionToken: string };
  begin(user: User): { sessionToken: string; principal: SessionPrincipal };
  readonly users: ReadonlyMap<string, User>;
  /** By their ids. */
  readonly passkeys: Map<string, { orgId: string; name: string }>;
}

/** The handle of a user is the id. */
function fakePasskeys({ own, requirePassword, replaceToken, begin, users, passkeys }: PasskeyParts) {
  const shown = (id: string, name: string) => ({ id, name, passwordless: true, createdAt: at });
  const known = [{ id: "AAAA", transports: ["internal"] }];
  const find = (context: HandlerContext, id: string) => {
    const found = passkeys.get(id);
    if (found?.orgId !== requireCaller(context).orgId) throw new DomainError("NOT_FOUND");
    return found;
  };
  return {
    beginPasskeyLogin: () => ({ challenge: "Y2g", rpId: "api.example.com", browserToken: goodLink, expiresAt: at }),
    loginWithPasskey: ({ userHandle, browserToken, origin }) => {
      if (browserToken !== goodLink || origin === "") throw new DomainError("LOGIN_EXPIRED");
      const user = users.get(userHandle);
      if (user === undefined) throw new DomainError("PASSKEY_REFUSED");
      return { signedIn: begin(user) };
    },
    continueLoginWithPasskey: ({ pendingToken, signature }) => {
      const user = users.get(pendingToken.replace("pending-", ""));
      if (user === undefined) throw new DomainError("LOGIN_EXPIRED");
      if (signature !== goodCode) throw new DomainError("PASSKEY_REFUSED");
      return { signedIn: begin(user) };
    },
    listPasskeys: (_request, context) => {
      const { orgId } = requireCaller(context);
      const mine = [...passkeys].filter(([, passkey]) => passkey.orgId === orgId);
      return { passkeys: mine.map(([passkeyId, { name }]) => shown(passkeyId, name)) };
    },
    beginPasskey: ({ password }, context) => {
      requirePassword(password);
      const { id, email, name } = own(context);
      const user = { userHandle: id, userName: email, displayName: name };
      return { ...user, challenge: "Y2g", rpId: "api.example.com", rpName: "Assent", known, expiresAt: at };
    },
    addPasskey: ({ name, sessionId }, context) => {
      const id = newId();
      passkeys.set(id, { orgId: requireCaller(context).orgId, name });
      return { passkey: shown(id, name), recoveryCodes: ["abcde-fghij"], ...replaceToken(sessionId) };
    },
    renamePasskey: ({ passkeyId, name }, context) => {
      find(context, passkeyId).name = name;
      return { passkey: shown(passkeyId, name) };
    },
    removePasskey: ({ passkeyId, password, sessionId }, context) => {
      requirePassword(password);
      find(context, passkeyId);
      passkeys.delete(passkeyId);
      return replaceToken(sessionId);
    },
  } satisfies ServiceImpl<typeof PasskeyService>;
}

export type FakeUsers = ReturnType<typeof createFakeUsers>;

const pendingOf = ({ id }: User) => ({
  ...{ pendingToken: `pending-${id}`, expiresAt: at, totp: true },
  passkey: { challenge: "Y2g", rpId: "api.example.com", known: [{ id: "AAAA", transports: ["internal"] }] },
});

type Credentials = Map<string, { orgId: string; name: string; scopes: string[] }>;

function organizationRoutes(credentials: Credentials): ServiceImpl<typeof OrganizationService> {
  const find = (context: HandlerContext, id: string) => {
    const found = credentials.get(id);
    if (found === undefined || found.orgId !== requireCaller(context).orgId) throw new DomainError("NOT_FOUND");
    return { id, name: found.name, scopes: found.scopes, createdAt: at };
  };
  const organization = (context: HandlerContext, name = "Example AG") => ({
    organization: { id: requireCaller(context).orgId, name, plan: Plan.GEN_PRO, limits: {}, createdAt: at },
  });
  return {
    getOrganization: (_request, context) => organization(context),
    updateOrganization: ({ name }, context) => organization(context, name),
    listAuditEvents: () => ({ events: [{ id: newId(), at, action: "user.invited", details: { role: "viewer" } }] }),
    listKeys: () => ({ keys: [] }),
    createKey: ({ name }) => ({ key: { id: "key", name, createdAt: at }, apiKey: "ak_live_secret" }),
    revokeKey: ({ keyId }, context) => ({ key: find(context, keyId) }),
    listClients: () => ({ clients: [] }),
    createClient: ({ name, scopes }) => ({
      client: { id: "cl_new", name, scopes, createdAt: at },
      clientSecret: "cs_secret",
    }),
    rotateClientSecret: ({ clientId }, context) => ({
      client: find(context, clientId),
      clientSecret: "cs_secret",
    }),
    revokeClient: ({ clientId }, context) => ({ client: find(context, clientId) }),
  };
}
