import { DomainError } from "#platform/errors.ts";
import { makeTotpSecret, toBase32, totpStep, totpUri } from "../domain/second-factor.ts";
import { type CheckLoginDeps, openTotpSecret, provePassword, sealTotpSecret } from "../logins/check-login.ts";
import { giveRecoveryCodes, hasSecondFactor } from "../logins/second-step.ts";
import {
  deleteChallengesOf,
  lockTotp,
  replaceRecoveryCodes as writeRecoveryCodes,
  writeTotp,
} from "../store/second-factor-store.ts";
import { findOrganizationName, findUser } from "../store/user-store.ts";
import { type ActingDeps, actAs, callingUser, originOf } from "./acting.ts";
import type { AuthDeps, UserRpcs } from "./deps.ts";
import { renewOwnSession } from "./sessions.ts";

export const beginTotp = (deps: CheckLoginDeps): UserRpcs<"beginTotp"> => ({
  async beginTotp(request, context) {
    const { password, visitor } = request;
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async ({ tenant, actor }) => {
      const totp = await lockTotp(tenant, actor.id);
      if (totp?.enabledAt) throw new DomainError("TOTP_ALREADY_ENABLED");
      const bytes = makeTotpSecret();
      const secret = sealTotpSecret(deps, actor.id, bytes);
      await writeTotp(tenant, actor.id, { secret, enabledAt: null, lastStep: null });
      const issuer = `Assent (${await findOrganizationName(tenant)})`;
      return { secret: toBase32(bytes), uri: totpUri(bytes, { issuer, account: actor.email }) };
    });
  },
});

type Deps = ActingDeps & Pick<AuthDeps, "keys">;

export const confirmTotp = (deps: Deps): UserRpcs<"confirmTotp"> => ({
  confirmTotp: ({ code, sessionId, visitor }, context) =>
    actAs(deps, context, { visitor }, async (acting) => {
      const { tenant, actor, now } = acting;
      const totp = await lockTotp(tenant, actor.id);
      if (totp?.enabledAt) throw new DomainError("TOTP_ALREADY_ENABLED");
      if (!totp?.secret) throw new DomainError("TOTP_NOT_BEGUN");
      // No guessing: who may confirm was shown the secret.
      const lastStep = totpStep(openTotpSecret(deps, actor.id, totp.secret), code.trim(), now, null);
      if (lastStep === undefined) throw new DomainError("TOTP_CODE_INVALID");
      await writeTotp(tenant, actor.id, { ...totp, enabledAt: now, lastStep });
      const recoveryCodes = await giveRecoveryCodes(deps, acting);
      await acting.audit("totp.enabled");
      return { recoveryCodes, newSessionToken: await renewOwnSession(acting, sessionId) };
    }),
});

export const disableTotp = (deps: CheckLoginDeps): UserRpcs<"disableTotp"> => ({
  async disableTotp(request, context) {
    const { password, sessionId, visitor } = request;
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async (acting) => {
      const { tenant, actor } = acting;
      const totp = await lockTotp(tenant, actor.id);
      if (!totp?.enabledAt) throw new DomainError("TOTP_NOT_ENABLED");
      await writeTotp(tenant, actor.id, { secret: null, enabledAt: null, lastStep: null });
      // They stand in for passkeys, too.
      if (actor.passkeys === 0) await writeRecoveryCodes(tenant, actor.id, []);
      await deleteChallengesOf(tenant, actor.id);
      await acting.audit("totp.disabled");
      return { newSessionToken: await renewOwnSession(acting, sessionId) };
    });
  },
});

export const replaceRecoveryCodes = (deps: CheckLoginDeps): UserRpcs<"replaceRecoveryCodes"> => ({
  async replaceRecoveryCodes(request, context) {
    const { password, sessionId, visitor } = request;
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async (acting) => {
      await lockTotp(acting.tenant, acting.actor.id);
      const user = await findUser(acting.tenant, acting.actor.id);
      if (user === undefined || !hasSecondFactor(user)) throw new DomainError("TOTP_NOT_ENABLED");
      const recoveryCodes = await giveRecoveryCodes(deps, acting);
      await acting.audit("recovery-codes.replaced");
      return { recoveryCodes, newSessionToken: await renewOwnSession(acting, sessionId) };
    });
  },
});
