import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { totpStep } from "../domain/totp.ts";
import { openTotpSecret } from "../logins/second-factor.ts";
import { lockTotp, writeTotp } from "../store/second-factor-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { renewOwnSession } from "./own-session.ts";
import { giveRecoveryCodes } from "./replace-recovery-codes.ts";

type Deps = ActingDeps & Pick<AuthDeps, "keys">;

export const confirmTotp = (deps: Deps): Pick<ServiceImpl<typeof UserService>, "confirmTotp"> => ({
  confirmTotp: ({ code, sessionId, visitor }, context) =>
    actAs(deps, context, { visitor }, async (acting) => {
      const { orgId, client, actor, now } = acting;
      const totp = await lockTotp(orgId, client, actor.id);
      if (totp?.enabledAt) throw new DomainError("TOTP_ALREADY_ENABLED");
      if (!totp?.secret) throw new DomainError("TOTP_NOT_BEGUN");
      // No guessing: who may confirm was shown the secret.
      const lastStep = totpStep(openTotpSecret(deps, actor.id, totp.secret), code.trim(), now, null);
      if (lastStep === undefined) throw new DomainError("TOTP_CODE_INVALID");
      await writeTotp(orgId, client, actor.id, { ...totp, enabledAt: now, lastStep });
      const recoveryCodes = await giveRecoveryCodes(deps, acting);
      await acting.audit("totp.enabled");
      return { recoveryCodes, newSessionToken: await renewOwnSession(acting, sessionId) };
    }),
});
