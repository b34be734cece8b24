import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { hashRecoveryCode, makeRecoveryCodes } from "../domain/recovery-code.ts";
import type { CheckLoginDeps } from "../logins/check-login.ts";
import { provePassword } from "../logins/prove-password.ts";
import { lockTotp, replaceRecoveryCodes as store } from "../store/second-factor-store.ts";
import { type Acting, actAs, callingUser, originOf } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { renewOwnSession } from "./sessions.ts";

export const replaceRecoveryCodes = (
  deps: CheckLoginDeps,
): Pick<ServiceImpl<typeof UserService>, "replaceRecoveryCodes"> => ({
  async replaceRecoveryCodes(request, context) {
    const { password, sessionId, visitor } = request;
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async (acting) => {
      const totp = await lockTotp(acting.orgId, acting.client, acting.actor.id);
      if (!totp?.enabledAt) throw new DomainError("TOTP_NOT_ENABLED");
      const recoveryCodes = await giveRecoveryCodes(deps, acting);
      await acting.audit("recovery-codes.replaced");
      return { recoveryCodes, newSessionToken: await renewOwnSession(acting, sessionId) };
    });
  },
});

/** New codes in place of all from before. */
export async function giveRecoveryCodes(
  { keys }: Pick<AuthDeps, "keys">,
  { orgId, client, actor }: Acting,
): Promise<string[]> {
  const codes = makeRecoveryCodes();
  const hashes = codes.flatMap((code) => hashRecoveryCode(keys, actor.id, code) ?? []);
  await store(orgId, client, actor.id, hashes);
  return codes;
}
