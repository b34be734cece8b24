import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OrganizationChoiceSchema } from "#gen/assent/auth/v1/users_pb.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { decrypt, encrypt } from "#platform/secrets.ts";
import type { Origin } from "../domain/audit.ts";
import { hashRecoveryCode, looksLikeTotpCode, totpStep } from "../domain/second-factor.ts";
import { hashMatches, hashStretched, passwordSalt } from "../domain/secrets.ts";
import { emailKey, type User } from "../domain/user.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { findCandidates, type LoginCandidate } from "../store/person-lookup.ts";
import { consumeRecoveryCode, lockTotp, writeTotp } from "../store/second-factor-store.ts";
import { findOrganizationName, findPassword, findUser, type StoredPassword } from "../store/user-store.ts";
import { type AttemptDeps, beginAttempt, failAttempt, takeBack, type Whose } from "./attempts.ts";

export type CheckLoginDeps = AttemptDeps & Pick<AuthDeps, "lookup" | "passwords">;

interface Tried extends Omit<LoginCandidate, "hash"> {
  /** Undefined for an unknown user. */
  readonly hash: Buffer | undefined;
}

const nil = "00000000-0000-0000-0000-000000000000";

/**
 * The users whose password this is; empty when there are none. An unknown address goes through the same steps
 * with a user who does not exist. All users of an address share a salt, so one stretching covers them all.
 */
export async function checkLogin(
  deps: CheckLoginDeps,
  { email, password, organizationId }: { email: string; password: string; organizationId?: string | undefined },
  origin: Origin,
): Promise<LoginCandidate[]> {
  const key = emailKey(email) ?? "";
  const found = await findCandidates(deps.lookup, key, organizationId ?? null);
  const tried: readonly Tried[] = found.length > 0 ? found : [nobody(deps)];
  const { attempts, stretched } = await countAndStretch(deps, tried, { password, salt: passwordSalt(deps.keys, key) });
  const right = found.filter((candidate, index) => {
    const hash = hashStretched(deps.keys, candidate.userId, stretched.get(candidate.scheme) ?? Buffer.alloc(32));
    return hashMatches(hash, candidate.hash) && attempts[index] !== undefined;
  });
  const settle = (whose: Tried, index: number): Promise<void> => {
    const counted = attempts[index];
    if (right.length === 0) return failAttempt(deps, whose, { counted, factor: "password", origin });
    return counted === undefined ? Promise.resolve() : takeBack(deps, whose);
  };
  await Promise.all(tried.map(settle));
  return right;
}

const nobody = ({ passwords }: CheckLoginDeps): Tried => ({
  orgId: parseOrgId(nil) as OrgId,
  userId: nil,
  hash: undefined,
  scheme: passwords.scheme,
});

/** Attempts are counted while the password is stretched: it hides how long that takes. */
async function countAndStretch(
  deps: CheckLoginDeps,
  tried: readonly Tried[],
  { password, salt }: { readonly password: string; readonly salt: Buffer },
) {
  const schemes = [...new Set(tried.map(({ scheme }) => scheme))];
  const [counting, stretching] = await Promise.allSettled([
    Promise.all(tried.map((whose) => beginAttempt(deps, whose))),
    Promise.all(schemes.map(async (scheme) => [scheme, await deps.passwords.stretch(password, salt, scheme)] as const)),
  ]);
  if (counting.status === "rejected") throw counting.reason;
  if (stretching.status === "rejected") {
    // The password was not checked, so this does not count as an attempt.
    await Promise.all(tried.filter((_, index) => counting.value[index]).map((whose) => takeBack(deps, whose)));
    throw stretching.reason;
  }
  return { attempts: counting.value, stretched: new Map(stretching.value) };
}

type Deps = Pick<AuthDeps, "keys" | "clock">;

/** The secret as it is stored, bound to its user. */
export const sealTotpSecret = ({ keys }: Pick<Deps, "keys">, userId: string, secret: Buffer): Buffer =>
  encrypt(keys.totpKek[0], secret.toString("base64"), userId);

export const openTotpSecret = ({ keys }: Pick<Deps, "keys">, userId: string, sealed: Buffer): Buffer =>
  Buffer.from(decrypt(keys.totpKek, sealed, userId), "base64");

/** Whether the code is one of the user's second factor, or of the recovery codes. It is used up by this. */
export async function isSecondFactor(deps: Deps, tenant: Tenant, user: User, code: string): Promise<boolean> {
  const { id: userId } = user;
  const typed = code.trim();
  if (!looksLikeTotpCode(typed)) {
    const hash = hashRecoveryCode(deps.keys, userId, typed);
    return hash !== undefined && consumeRecoveryCode(tenant, userId, hash);
  }
  const totp = await lockTotp(tenant, userId);
  if (totp === undefined || totp.secret === null || totp.enabledAt === null) return false;
  const secret = openTotpSecret(deps, userId, totp.secret);
  const lastStep = totpStep(secret, typed, deps.clock.now(), totp.lastStep);
  if (lastStep === undefined) return false;
  await writeTotp(tenant, userId, { ...totp, lastStep });
  return true;
}

/** For somebody who may log in to several organizations: which ones. */
export async function choiceOf(
  { people }: Pick<AuthDeps, "people">,
  users: readonly { readonly orgId: OrgId }[],
): Promise<MessageInitShape<typeof OrganizationChoiceSchema>> {
  const optionOf = async ({ orgId }: { readonly orgId: OrgId }) => ({
    organizationId: orgId,
    name: await withOrg(people, orgId, (tenant) => findOrganizationName(tenant)),
  });
  return { options: await Promise.all(users.map(optionOf)) };
}

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
