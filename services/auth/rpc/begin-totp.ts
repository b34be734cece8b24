import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { makeTotpSecret, toBase32, totpUri } from "../domain/totp.ts";
import type { CheckLoginDeps } from "../logins/check-login.ts";
import { provePassword } from "../logins/prove-password.ts";
import { sealTotpSecret } from "../logins/second-factor.ts";
import { lockTotp, writeTotp } from "../store/second-factor-store.ts";
import { findOrganizationName } from "../store/user-store.ts";
import { actAs, callingUser, originOf } from "./acting.ts";

export const beginTotp = (deps: CheckLoginDeps): Pick<ServiceImpl<typeof UserService>, "beginTotp"> => ({
  async beginTotp(request, context) {
    const { password, visitor } = request;
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async ({ orgId, client, actor }) => {
      const totp = await lockTotp(orgId, client, actor.id);
      if (totp?.enabledAt) throw new DomainError("TOTP_ALREADY_ENABLED");
      const bytes = makeTotpSecret();
      const secret = sealTotpSecret(deps, actor.id, bytes);
      await writeTotp(orgId, client, actor.id, { secret, enabledAt: null, lastStep: null });
      const issuer = `Assent (${await findOrganizationName(orgId, client)})`;
      return { secret: toBase32(bytes), uri: totpUri(bytes, { issuer, account: actor.email }) };
    });
  },
});
