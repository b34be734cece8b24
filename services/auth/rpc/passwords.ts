import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { type LinkPurpose, maxResetLinks } from "../domain/mail.ts";
import { parseName } from "../domain/organization.ts";
import { checkPassword, passwordSalt } from "../domain/secrets.ts";
import { hashToken } from "../domain/session.ts";
import { emailKey, parseLocale, parseTimeZone, type User, type UserChange, type UserStatus } from "../domain/user.ts";
import type { Whose } from "../logins/attempts.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { type CheckLoginDeps, provePassword, storedPassword } from "../logins/check-login.ts";
import { makeLink, requestMail } from "../logins/mailed-links.ts";
import { openSession } from "../logins/open-session.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { consumeLink, countLinks, deleteLinksOf } from "../store/mail-store.ts";
import { findCandidates, findLink, type LoginCandidate } from "../store/person-lookup.ts";
import { deleteChallengesOf } from "../store/second-factor-store.ts";
import { deleteSessionsOf } from "../store/session-store.ts";
import {
  findOrganizationName,
  findPassword,
  findUser,
  lockUser,
  type StoredPassword,
  setPassword,
  updateUser,
} from "../store/user-store.ts";
import { type ActingDeps, actAs, callingUser, originOf } from "./acting.ts";
import type { AuthDeps, LoginRpcs, UserRpcs } from "./deps.ts";
import { toUserMessage } from "./messages.ts";
import { renewOwnSession } from "./sessions.ts";

type SetByLinkDeps = Pick<AuthDeps, "lookup" | "people" | "keys" | "passwords" | "clock" | "newId">;

interface OpenedLink extends Whose {
  readonly tokenHash: Buffer;
  readonly purpose: LinkPurpose;
  /** What is to be stored of a password; the rules are checked. Rejects with VALIDATION_FAILED. */
  prepare(password: string): Promise<StoredPassword>;
}

/** The user status that each kind of link requires. */
const statusFor: Readonly<Record<LinkPurpose, UserStatus>> = { invitation: "invited", reset: "active" };

/** Finds whose link it is without using it up. Rejects with LINK_INVALID. */
async function readLink(deps: SetByLinkDeps, token: string, purpose: LinkPurpose): Promise<OpenedLink> {
  const tokenHash = hashToken(token);
  const found = tokenHash && (await findLink(deps.lookup, tokenHash, purpose, deps.clock.now()));
  if (tokenHash === undefined || found === undefined) throw new DomainError("LINK_INVALID");
  const { orgId, userId } = found;
  const { user, organizationName } = await withOrg(deps.people, orgId, async (tenant) => ({
    user: await findUser(tenant, userId),
    organizationName: await findOrganizationName(tenant),
  }));
  if (user?.status !== statusFor[purpose]) throw new DomainError("LINK_INVALID");
  return {
    ...{ orgId, userId, tokenHash, purpose },
    prepare: async (password) => {
      checkPassword(password, { ...user, organizationName });
      return storedPassword(deps, { id: userId, emailKey: emailKey(user.email) ?? "" }, password);
    },
  };
}

/**
 * Uses up the link and sets the password, in the caller's transaction. Of two concurrent uses one gets
 * LINK_INVALID.
 */
async function setByLink(
  deps: SetByLinkDeps,
  tenant: Tenant,
  { userId, tokenHash, purpose }: OpenedLink,
  password: StoredPassword,
): Promise<User> {
  const user = await lockUser(tenant, userId);
  const isUsed = await consumeLink(tenant, { tokenHash, purpose, now: deps.clock.now() });
  if (user?.status !== statusFor[purpose] || !isUsed) throw new DomainError("LINK_INVALID");
  await deleteLinksOf(tenant, userId);
  await deleteChallengesOf(tenant, userId);
  await setPassword(tenant, userId, password);
  return { ...user, hasPassword: true };
}

type RequestPasswordResetDeps = Pick<
  AuthDeps,
  "lookup" | "people" | "keys" | "passwords" | "mail" | "publicUrl" | "wakeMails" | "clock" | "newId"
>;

export const requestPasswordReset = (deps: RequestPasswordResetDeps): LoginRpcs<"requestPasswordReset"> => ({
  async requestPasswordReset(request, context) {
    const origin = originOf(context, request.visitor);
    const key = emailKey(request.email) ?? "";
    // Slower than everything else here, so that unknown addresses take equally long, and links cannot be
    // requested faster than passwords can be checked.
    const stretching = deps.passwords.stretch("", passwordSalt(deps.keys, key));
    const sending = findCandidates(deps.lookup, key).then((candidates) =>
      Promise.all(candidates.map((candidate) => sendLink(deps, candidate, origin))),
    );
    await Promise.all([stretching, sending]);
    deps.wakeMails();
    return {};
  },
});

async function sendLink(
  deps: RequestPasswordResetDeps,
  { orgId, userId }: LoginCandidate,
  origin: Origin,
): Promise<void> {
  if (deps.mail === undefined) return;
  await withOrg(deps.people, orgId, async (tenant) => {
    const user = await lockUser(tenant, userId);
    const purpose = "reset";
    const sent = await countLinks(tenant, userId, { purpose, now: deps.clock.now() });
    if (user?.status !== "active" || sent >= maxResetLinks) return;
    const { token } = await makeLink(deps, tenant, { userId, purpose });
    await requestMail(deps, tenant, { userId, kind: "reset", token });
    // The requester need not be the user.
    const actor = { id: "", name: "" };
    const what = { action: "password.reset-requested", actor, subject: user, origin } as const;
    await addAudit(tenant, auditEntry(deps, what));
  });
}

export const resetPassword = (deps: SetByLinkDeps): LoginRpcs<"resetPassword"> => ({
  async resetPassword(request, context) {
    const origin = originOf(context, request.visitor);
    const link = await readLink(deps, request.token, "reset");
    const password = await link.prepare(request.password);
    const { orgId, userId } = link;
    await withOrg(deps.people, orgId, async (tenant) => {
      const user = await setByLink(deps, tenant, link, password);
      await deleteSessionsOf(tenant, userId);
      await addAudit(tenant, auditEntry(deps, { action: "password.reset", actor: user, origin }));
      await noteChange(tenant.client, "user_changed", userId, deps.clock.now());
    });
    return {};
  },
});

export const changePassword = (deps: CheckLoginDeps): UserRpcs<"changePassword"> => ({
  async changePassword(request, context) {
    const { sessionId, visitor } = request;
    const caller = callingUser(context);
    const proven = await provePassword(deps, caller, request.currentPassword, originOf(context, visitor));
    const owner = await actAs(deps, context, {}, async ({ actor, tenant }) => ({
      ...actor,
      organizationName: await findOrganizationName(tenant),
    }));
    checkPassword(request.newPassword, owner, "newPassword");
    const key = emailKey(owner.email) ?? "";
    const password = await storedPassword(deps, { id: owner.id, emailKey: key }, request.newPassword);
    return actAs(deps, context, { visitor }, async (acting) => {
      const { tenant, actor } = acting;
      await lockUser(tenant, actor.id);
      const current = await findPassword(tenant, actor.id);
      // Changed by somebody else since it was proven.
      if (current?.hash.equals(proven.hash) !== true) throw new DomainError("PASSWORD_WRONG");
      await setPassword(tenant, actor.id, password);
      await deleteLinksOf(tenant, actor.id);
      await deleteChallengesOf(tenant, actor.id);
      await deleteSessionsOf(tenant, actor.id, sessionId);
      await acting.audit("password.changed");
      return { newSessionToken: await renewOwnSession(acting, sessionId) };
    });
  },
});

type AcceptInvitationDeps = SetByLinkDeps;

export const acceptInvitation = (deps: AcceptInvitationDeps): LoginRpcs<"acceptInvitation"> => ({
  async acceptInvitation(request, context) {
    const origin = originOf(context, request.visitor);
    const link = await readLink(deps, request.token, "invitation");
    const chosen = {
      name: request.name === undefined ? undefined : parseName(request.name),
      locale: request.locale === undefined ? undefined : parseLocale(request.locale),
      timeZone: request.timeZone === undefined ? undefined : parseTimeZone(request.timeZone),
    } satisfies UserChange;
    const password = await link.prepare(request.password);
    const { orgId, userId } = link;
    const signedIn = await withOrg(deps.people, orgId, async (tenant) => {
      const user = await setByLink(deps, tenant, link, password);
      // What the page of the invitation takes from the browser does not replace what was chosen for the person.
      const isMissing = ([name, value]: [string, string | undefined]): boolean =>
        value !== undefined && (name === "name" || user[name as keyof typeof chosen] === "");
      const named = Object.fromEntries(Object.entries(chosen).filter(isMissing));
      await updateUser(tenant, userId, named);
      const accepted = { ...user, ...named, status: "active" as const };
      await addAudit(tenant, auditEntry(deps, { action: "user.accepted", actor: accepted, origin }));
      const session = await openSession(deps, tenant, accepted, origin);
      await noteChange(tenant.client, "user_changed", userId, deps.clock.now());
      return session;
    });
    return { signedIn };
  },
});

export const getOwnUser = (deps: ActingDeps): UserRpcs<"getOwnUser"> => ({
  getOwnUser: (_request, context) => actAs(deps, context, {}, async ({ actor }) => ({ user: toUserMessage(actor) })),
});
