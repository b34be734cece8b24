import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { hashStretched, passwordSalt } from "../domain/password.ts";
import { hashMatches } from "../domain/secrets.ts";
import { findPassword, findUser, type StoredPassword } from "../store/user-store.ts";
import { beginAttempt, failAttempt, takeBack, type Whose } from "./attempts.ts";
import type { CheckLoginDeps } from "./check-login.ts";

/** Rejects with PASSWORD_WRONG unless this is the password of an active user, who may be locked by too many attempts. */
export async function provePassword(
  deps: CheckLoginDeps,
  whose: Whose,
  password: string,
  origin: Origin,
): Promise<StoredPassword> {
  const { orgId, userId } = whose;
  const stored = await withOrg(deps.people, orgId, async (tenant) => {
    const password = await findPassword(tenant, userId);
    const isThere = password !== undefined || (await findUser(tenant, userId))?.status === "active";
    if (!isThere) throw new DomainError("SESSION_ENDED");
    return password;
  });
  // Users of an identity provider may have no password.
  if (stored === undefined) throw new DomainError("PASSWORD_WRONG");
  const counted = await beginAttempt(deps, whose);
  const stretched = await deps.passwords
    .stretch(password, passwordSalt(deps.keys, stored.emailKey), stored.scheme)
    .catch(async (error: unknown) => {
      if (counted !== undefined) await takeBack(deps, whose);
      throw error;
    });
  const isRight = hashMatches(hashStretched(deps.keys, userId, stretched), stored.hash);
  if (!isRight || counted === undefined) {
    await failAttempt(deps, whose, { counted, factor: "password", origin });
    throw new DomainError("PASSWORD_WRONG");
  }
  await takeBack(deps, whose);
  return stored;
}

/** The stored form of a new password. */
export async function storedPassword(
  { keys, passwords }: Pick<CheckLoginDeps, "keys" | "passwords">,
  user: { readonly id: string; readonly emailKey: string },
  password: string,
): Promise<StoredPassword> {
  const stretched = await passwords.stretch(password, passwordSalt(keys, user.emailKey));
  return { hash: hashStretched(keys, user.id, stretched), scheme: passwords.scheme };
}
