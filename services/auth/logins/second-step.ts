import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { challengeMs, maxChallengeFailures } from "../domain/mail.ts";
import { hashRecoveryCode, makeRecoveryCodes } from "../domain/second-factor.ts";
import { hashToken } from "../domain/session.ts";
import type { User } from "../domain/user.ts";
import { secondFactorChallenge } from "../passkeys/challenge.ts";
import { describedPasskeys } from "../passkeys/use-passkey.ts";
import { rpIdOf } from "../passkeys/webauthn.ts";
import type { Acting } from "../rpc/acting.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { countAttempt } from "../store/attempt-store.ts";
import { findChallenge } from "../store/person-lookup.ts";
import {
  countChallengeFailure,
  deleteChallenge,
  insertChallenge,
  lockChallenge,
  replaceRecoveryCodes,
} from "../store/second-factor-store.ts";
import { findUser, lockUser } from "../store/user-store.ts";
import { type AttemptDeps, noteFailure } from "./attempts.ts";
import { makeSessionToken, openSession } from "./open-session.ts";

/** Whether a password alone lets nobody in as this user. */
export const hasSecondFactor = ({ totpEnabledAt, passkeys }: Pick<User, "totpEnabledAt" | "passkeys">): boolean =>
  totpEnabledAt !== null || passkeys > 0;

/** The password was right: what is asked for next, in the transaction that has locked the user. */
export async function askForSecondFactor(
  deps: Pick<AuthDeps, "keys" | "clock">,
  tenant: Tenant,
  user: User,
  address: string,
) {
  const { token, tokenHash } = makeSessionToken();
  const expiresAt = new Date(deps.clock.now().getTime() + challengeMs);
  await insertChallenge(tenant, { tokenHash, userId: user.id, expiresAt });
  const rpId = rpIdOf(address);
  const known = rpId === undefined ? [] : await describedPasskeys(tenant, user.id, rpId);
  const passkey =
    rpId === undefined || known.length === 0
      ? undefined
      : { challenge: secondFactorChallenge(deps.keys, tokenHash), rpId, known };
  const pending = { pendingToken: token, expiresAt: timestampFromDate(expiresAt) };
  return {
    outcome: { case: "secondFactor" as const, value: { ...pending, totp: user.totpEnabledAt !== null, passkey } },
  };
}

export type SecondStepDeps = AttemptDeps & Pick<AuthDeps, "lookup">;

interface Step {
  readonly pendingToken: string;
  readonly factor: "code" | "passkey";
  readonly origin: Origin;
}

type Check = (tenant: Tenant, user: User, tokenHash: Buffer) => Promise<boolean>;

/** Ends a login that waits for a second factor. Undefined when it was wrong; rejects with LOGIN_EXPIRED. */
export async function takeSecondStep(deps: SecondStepDeps, { pendingToken, ...step }: Step, isRight: Check) {
  const tokenHash = hashToken(pendingToken);
  const found = tokenHash && (await findChallenge(deps.lookup, tokenHash));
  if (tokenHash === undefined || found === undefined) throw new DomainError("LOGIN_EXPIRED");
  const { orgId, userId } = found;
  const signedIn = await withOrg(deps.people, orgId, async (tenant) => {
    const user = await lockUser(tenant, userId);
    if (user?.status !== "active") throw new DomainError("LOGIN_EXPIRED");
    return tryFactor(deps, tenant, user, { ...step, tokenHash, isRight });
  });
  // Only now, because a failure has to be written.
  if (signedIn === undefined) deps.wakeMails();
  return signedIn;
}

async function tryFactor(
  deps: SecondStepDeps,
  tenant: Tenant,
  user: User,
  step: Omit<Step, "pendingToken"> & { readonly tokenHash: Buffer; readonly isRight: Check },
) {
  const { tokenHash, factor, origin, isRight } = step;
  const { orgId, id: userId } = user;
  const now = deps.clock.now();
  const failures = await lockChallenge(tenant, tokenHash, now);
  if (failures === undefined || failures >= maxChallengeFailures) throw new DomainError("LOGIN_EXPIRED");
  const counted = await countAttempt(tenant, userId, now);
  if (counted !== undefined && (await isRight(tenant, user, tokenHash))) {
    await deleteChallenge(tenant, tokenHash);
    // Read again: a recovery code may be gone.
    return openSession(deps, tenant, (await findUser(tenant, userId)) ?? user, origin);
  }
  await countChallengeFailure(tenant, tokenHash);
  await noteFailure(deps, tenant, { orgId, userId }, { counted, factor, origin });
  return undefined;
}

/** New codes in place of all from before. */
export async function giveRecoveryCodes(
  { keys }: Pick<AuthDeps, "keys">,
  { tenant, actor }: Acting,
): Promise<string[]> {
  const codes = makeRecoveryCodes();
  const hashes = codes.flatMap((code) => hashRecoveryCode(keys, actor.id, code) ?? []);
  await replaceRecoveryCodes(tenant, actor.id, hashes);
  return codes;
}
