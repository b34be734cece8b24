import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { LinkPurpose } from "../domain/link.ts";
import { checkPassword } from "../domain/password.ts";
import { hashToken } from "../domain/session.ts";
import { emailKey, type User, type UserStatus } from "../domain/user.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { consumeLink, deleteLinksOf } from "../store/link-store.ts";
import { findLink } from "../store/person-lookup.ts";
import { deleteChallengesOf } from "../store/second-factor-store.ts";
import { findOrganizationName, findUser, lockUser, type StoredPassword, setPassword } from "../store/user-store.ts";
import type { Whose } from "./attempts.ts";
import { storedPassword } from "./prove-password.ts";

export type SetByLinkDeps = Pick<AuthDeps, "lookup" | "people" | "keys" | "passwords" | "clock" | "newId">;

export interface OpenedLink extends Whose {
  readonly tokenHash: Buffer;
  readonly purpose: LinkPurpose;
  /** What is to be stored of a password; the rules are checked. Rejects with VALIDATION_FAILED. */
  prepare(password: string): Promise<StoredPassword>;
}

/** The user status that each kind of link requires. */
const statusFor: Readonly<Record<LinkPurpose, UserStatus>> = { invitation: "invited", reset: "active" };

/** Finds whose link it is without using it up. Rejects with LINK_INVALID. */
export async function readLink(deps: SetByLinkDeps, token: string, purpose: LinkPurpose): Promise<OpenedLink> {
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
export async function setByLink(
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
