import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { challengeMs, maxChallengeFailures } from "../domain/mail.ts";
import { hashToken, judgeSession } from "../domain/session.ts";
import { emailKey, identityOf, type NamedPerson, type User } from "../domain/user.ts";
import { type AttemptDeps, noteFailure } from "../logins/attempts.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { type CheckLoginDeps, checkLogin, choiceOf, isSecondFactor, storedPassword } from "../logins/check-login.ts";
import { makeSessionToken, openSession } from "../logins/open-session.ts";
import { countAttempt } from "../store/attempt-store.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteLinksOf } from "../store/mail-store.ts";
import {
  type FoundUser,
  findByIdentity,
  findChallenge,
  findSession,
  type LoginCandidate,
} from "../store/person-lookup.ts";
import {
  countChallengeFailure,
  deleteChallenge,
  insertChallenge,
  lockChallenge,
} from "../store/second-factor-store.ts";
import { deleteSession } from "../store/session-store.ts";
import { findIdentity, findPassword, findUser, lockUser, setIdentity, setPassword } from "../store/user-store.ts";
import { originOf } from "./acting.ts";
import type { AuthDeps, LoginRpcs } from "./deps.ts";

type LoginDeps = CheckLoginDeps;

export const login = (deps: LoginDeps): LoginRpcs<"login"> => ({
  async login(request, context) {
    const origin = originOf(context, request.visitor);
    const right = await checkLogin(deps, request, origin);
    const [only, ...others] = right;
    if (only === undefined) throw new DomainError("LOGIN_FAILED");
    if (others.length > 0) {
      return { outcome: { case: "choice", value: await choiceOf(deps, right) } };
    }
    return withOrg(deps.people, only.orgId, async (tenant) => {
      const user = await lockUser(tenant, only.userId);
      const password = await findPassword(tenant, only.userId);
      // Disabled, removed or given another password since it was checked.
      if (user === undefined || password?.hash.equals(only.hash) !== true) throw new DomainError("LOGIN_FAILED");
      await renewHash(deps, tenant, only, { ...password, typed: request.password });
      if (user.totpEnabledAt !== null) return askForCode(deps, tenant, user);
      return { outcome: { case: "signedIn", value: await openSession(deps, tenant, user, origin) } };
    });
  },
});

/** A password that was stretched with other parameters is stored anew while it is known. */
async function renewHash(
  deps: LoginDeps,
  tenant: Tenant,
  { userId }: LoginCandidate,
  { scheme, emailKey, typed }: { readonly scheme: string; readonly emailKey: string; readonly typed: string },
): Promise<void> {
  if (scheme === deps.passwords.scheme) return;
  await setPassword(tenant, userId, await storedPassword(deps, { id: userId, emailKey }, typed));
}

async function askForCode(deps: LoginDeps, tenant: Tenant, user: User) {
  const { token, tokenHash } = makeSessionToken();
  const expiresAt = new Date(deps.clock.now().getTime() + challengeMs);
  await insertChallenge(tenant, { tokenHash, userId: user.id, expiresAt });
  const value = { pendingToken: token, expiresAt: timestampFromDate(expiresAt) };
  return { outcome: { case: "secondFactor" as const, value } };
}

type ContinueLoginDeps = AttemptDeps & Pick<AuthDeps, "lookup">;

export const continueLogin = (deps: ContinueLoginDeps): LoginRpcs<"continueLogin"> => ({
  async continueLogin(request, context) {
    const tokenHash = hashToken(request.pendingToken);
    const found = tokenHash && (await findChallenge(deps.lookup, tokenHash));
    if (tokenHash === undefined || found === undefined) throw new DomainError("LOGIN_EXPIRED");
    const { orgId, userId } = found;
    const step = { tokenHash, code: request.code, origin: originOf(context, request.visitor) };
    const signedIn = await withOrg(deps.people, orgId, async (tenant) => {
      const user = await lockUser(tenant, userId);
      if (user?.status !== "active") throw new DomainError("LOGIN_EXPIRED");
      return tryCode(deps, tenant, user, step);
    });
    // Only now, because a failure has to be written.
    if (signedIn === undefined) {
      deps.wakeMails();
      throw new DomainError("LOGIN_CODE_INVALID");
    }
    return { signedIn };
  },
});

/** Undefined for a wrong code. */
async function tryCode(
  deps: ContinueLoginDeps,
  tenant: Tenant,
  user: User,
  { tokenHash, code, origin }: { readonly tokenHash: Buffer; readonly code: string; readonly origin: Origin },
) {
  const { orgId, id: userId } = user;
  const now = deps.clock.now();
  const failures = await lockChallenge(tenant, tokenHash, now);
  if (failures === undefined || failures >= maxChallengeFailures) throw new DomainError("LOGIN_EXPIRED");
  const counted = await countAttempt(tenant, userId, now);
  if (counted !== undefined && (await isSecondFactor(deps, tenant, user, code))) {
    await deleteChallenge(tenant, tokenHash);
    // Read again: a recovery code may be gone.
    return openSession(deps, tenant, (await findUser(tenant, userId)) ?? user, origin);
  }
  await countChallengeFailure(tenant, tokenHash);
  await noteFailure(deps, tenant, { orgId, userId }, { counted, factor: "code", origin });
  return undefined;
}

type LoginWithIdentityDeps = Pick<AuthDeps, "lookup" | "people" | "keys" | "clock" | "newId">;

export const loginWithIdentity = (deps: LoginWithIdentityDeps): LoginRpcs<"loginWithIdentity"> => ({
  async loginWithIdentity({ issuer, subject, email, organizationId, visitor }, context) {
    const person = { issuer, subject, emailKey: emailKey(email) };
    const wanted = { issuer, subject, emailKey: person.emailKey ?? null };
    const found = await findByIdentity(deps.lookup, wanted, organizationId ?? null);
    const [only, ...others] = found;
    if (only === undefined) throw new DomainError("LOGIN_FAILED");
    if (others.length > 0) return { outcome: { case: "choice", value: await choiceOf(deps, found) } };
    const signedIn = await withOrg(deps.people, only.orgId, (tenant) =>
      enter(deps, tenant, only, { person, origin: originOf(context, visitor) }),
    );
    return { outcome: { case: "signedIn", value: signedIn } };
  },
});

interface Entering {
  readonly person: NamedPerson;
  readonly origin: Origin;
}

async function enter(deps: LoginWithIdentityDeps, tenant: Tenant, { userId }: FoundUser, { person, origin }: Entering) {
  const user = await lockUser(tenant, userId);
  const known = await findIdentity(tenant, userId);
  const identity = known === undefined ? "other" : identityOf(known, person);
  // Disabled, removed or become somebody else since they were found.
  if (user === undefined || user.status === "disabled" || identity === "other") throw new DomainError("LOGIN_FAILED");
  if (identity === "new") await link(deps, tenant, user, { person, origin });
  const signedIn = await openSession(deps, tenant, { ...user, status: "active" }, origin, { method: "oidc" });
  if (identity === "new") await noteChange(tenant.client, "user_changed", userId, deps.clock.now());
  return signedIn;
}

/** The first time: the user is this person from now on, and an invitation is accepted by it. */
async function link(
  deps: LoginWithIdentityDeps,
  tenant: Tenant,
  user: User,
  { person, origin }: Entering,
): Promise<void> {
  const { id: userId } = user;
  const { issuer } = person;
  await setIdentity(tenant, userId, person);
  const what = { action: "identity.linked", actor: user, origin, details: { issuer } } as const;
  await addAudit(tenant, auditEntry(deps, what));
  if (user.status !== "invited") return;
  await deleteLinksOf(tenant, userId);
  await addAudit(tenant, auditEntry(deps, { action: "user.accepted", actor: user, origin }));
}

type LogoutDeps = Pick<AuthDeps, "lookup" | "people" | "clock" | "newId">;

export const logout = (deps: LogoutDeps): LoginRpcs<"logout"> => ({
  async logout(request, context) {
    const tokenHash = hashToken(request.sessionToken);
    const found = tokenHash && (await findSession(deps.lookup, tokenHash));
    const now = deps.clock.now();
    if (tokenHash === undefined || found === undefined) return {};
    if (judgeSession(found, tokenHash, now).kind === "ended") return {};
    const { user, sessionId } = found;
    await withOrg(deps.people, user.orgId, async (tenant) => {
      if (!(await deleteSession(tenant, { userId: user.id, sessionId }))) return;
      const origin = originOf(context, request.visitor);
      await addAudit(tenant, auditEntry(deps, { action: "logout", actor: user, origin }));
      await noteChange(tenant.client, "session_changed", sessionId, now);
    });
    return {};
  },
});
