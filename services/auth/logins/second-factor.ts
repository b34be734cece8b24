import type { PoolClient } from "pg";
import { decrypt, encrypt } from "#platform/secrets.ts";
import { hashRecoveryCode } from "../domain/recovery-code.ts";
import { looksLikeTotpCode, totpStep } from "../domain/totp.ts";
import type { User } from "../domain/user.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { consumeRecoveryCode, lockTotp, writeTotp } from "../store/second-factor-store.ts";

type Deps = Pick<AuthDeps, "keys" | "clock">;

/** The secret as it is stored, bound to its user. */
export const sealTotpSecret = ({ keys }: Pick<Deps, "keys">, userId: string, secret: Buffer): Buffer =>
  encrypt(keys.totpKek[0], secret.toString("base64"), userId);

export const openTotpSecret = ({ keys }: Pick<Deps, "keys">, userId: string, sealed: Buffer): Buffer =>
  Buffer.from(decrypt(keys.totpKek, sealed, userId), "base64");

/** Whether the code is one of the user's second factor, or of the recovery codes. It is used up by this. */
export async function isSecondFactor(deps: Deps, client: PoolClient, user: User, code: string): Promise<boolean> {
  const { orgId, id: userId } = user;
  const typed = code.trim();
  if (!looksLikeTotpCode(typed)) {
    const hash = hashRecoveryCode(deps.keys, userId, typed);
    return hash !== undefined && consumeRecoveryCode(orgId, client, userId, hash);
  }
  const totp = await lockTotp(orgId, client, userId);
  if (totp === undefined || totp.secret === null || totp.enabledAt === null) return false;
  const secret = openTotpSecret(deps, userId, totp.secret);
  const lastStep = totpStep(secret, typed, deps.clock.now(), totp.lastStep);
  if (lastStep === undefined) return false;
  await writeTotp(orgId, client, userId, { ...totp, lastStep });
  return true;
}
