import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { CheckLoginDeps } from "../logins/check-login.ts";
import { provePassword } from "../logins/prove-password.ts";
import { deleteChallengesOf, lockTotp, replaceRecoveryCodes, writeTotp } from "../store/second-factor-store.ts";
import { actAs, callingUser, originOf } from "./acting.ts";
import { renewOwnSession } from "./own-session.ts";

export const disableTotp = (deps: CheckLoginDeps): Pick<ServiceImpl<typeof UserService>, "disableTotp"> => ({
  async disableTotp(request, context) {
    const { password, sessionId, visitor } = request;
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async (acting) => {
      const { orgId, client, actor } = acting;
      const totp = await lockTotp(orgId, client, actor.id);
      if (!totp?.enabledAt) throw new DomainError("TOTP_NOT_ENABLED");
      await writeTotp(orgId, client, actor.id, { secret: null, enabledAt: null, lastStep: null });
      await replaceRecoveryCodes(orgId, client, actor.id, []);
      await deleteChallengesOf(orgId, client, actor.id);
      await acting.audit("totp.disabled");
      return { newSessionToken: await renewOwnSession(acting, sessionId) };
    });
  },
});
