import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { hashToken, judgeSession } from "../domain/session.ts";
import { emailKey, identityOf, type NamedPerson, type User } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { type CheckLoginDeps, checkLogin, choiceOf, isSecondFactor, storedPassword } from "../logins/check-login.ts";
import { openSession } from "../logins/open-session.ts";
import { askForSecondFactor, hasSecondFactor, type SecondStepDeps, takeSecondStep } from "../logins/second-step.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteLinksOf } from "../store/mail-store.ts";
import { type FoundUser, findByIdentity, findSession, type LoginCandidate } from "../store/person-lookup.ts";
import { deleteSession } from "../store/session-store.ts";
import { findIdentity, findPassword, lockUser, setIdentity, setPassword } from "../store/user-store.ts";
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
      if (hasSecondFactor(user)) return askForSecondFactor(deps, tenant, user, request.origin);
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

export const continueLogin = (deps: SecondStepDeps): LoginRpcs<"continueLogin"> => ({
  async continueLogin({ pendingToken, code, visitor }, context) {
    const step = { pendingToken, factor: "code", origin: originOf(context, visitor) } as const;
    const signedIn = await takeSecondStep(deps, step, (tenant, user) => isSecondFactor(deps, tenant, user, code));
    if (signedIn === undefined) throw new DomainError("LOGIN_CODE_INVALID");
    return { signedIn };
  },
});

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
