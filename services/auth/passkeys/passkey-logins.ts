import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { newSecret } from "#platform/ids.ts";
import { openSession } from "../logins/open-session.ts";
import { type SecondStepDeps, takeSecondStep } from "../logins/second-step.ts";
import { originOf } from "../rpc/acting.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { lockUser } from "../store/user-store.ts";
import {
  type ChallengeUse,
  hashChallenge,
  makeChallenge,
  readChallenge,
  readUserHandle,
  secondFactorChallenge,
} from "./challenge.ts";
import { spendChallenge } from "./passkey-store.ts";
import { isPasskey } from "./use-passkey.ts";
import { challengeIn, rpIdOf } from "./webauthn.ts";

type Rpcs<Name extends keyof ServiceImpl<typeof PasskeyService>> = Pick<ServiceImpl<typeof PasskeyService>, Name>;

/** Bound to what only the browser that has begun keeps. */
const useOf = (browserToken: string): ChallengeUse => ({ purpose: "login", boundTo: browserToken });

export const beginPasskeyLogin = (deps: Pick<AuthDeps, "keys" | "clock">): Rpcs<"beginPasskeyLogin"> => ({
  async beginPasskeyLogin({ origin }) {
    const rpId = rpIdOf(origin);
    if (rpId === undefined) throw new DomainError("PASSKEY_REFUSED");
    const browserToken = newSecret();
    const { challenge, expiresAt } = makeChallenge(deps.keys, useOf(browserToken), deps.clock.now());
    return { challenge, rpId, browserToken, expiresAt: timestampFromDate(expiresAt) };
  },
});

type LoginDeps = Pick<AuthDeps, "people" | "keys" | "clock" | "newId">;

export const loginWithPasskey = (deps: LoginDeps): Rpcs<"loginWithPasskey"> => ({
  async loginWithPasskey(request, context) {
    const challenge = challengeIn(request.clientDataJson);
    const expiresAt = readChallenge(deps.keys, useOf(request.browserToken), challenge, deps.clock.now());
    if (request.browserToken === "" || expiresAt === undefined) throw new DomainError("LOGIN_EXPIRED");
    const whose = readUserHandle(request.userHandle);
    if (whose === undefined) throw new DomainError("PASSKEY_REFUSED");
    const origin = originOf(context, request.visitor);
    const signedIn = await withOrg(deps.people, whose.orgId, async (tenant) => {
      const user = await lockUser(tenant, whose.userId);
      if (user?.status !== "active") return undefined;
      const shown = { assertion: request, challenge, address: request.origin, isAlone: true, origin };
      if (!(await isPasskey(deps, tenant, user, shown))) return undefined;
      if (!(await spendChallenge(tenant, hashChallenge(challenge), expiresAt))) throw new DomainError("LOGIN_EXPIRED");
      return openSession(deps, tenant, user, origin, { method: "passkey" });
    });
    // Only now, because what the trail says of a copied passkey has to be written.
    if (signedIn === undefined) throw new DomainError("PASSKEY_REFUSED");
    return { signedIn };
  },
});

export const continueLoginWithPasskey = (deps: SecondStepDeps): Rpcs<"continueLoginWithPasskey"> => ({
  async continueLoginWithPasskey(request, context) {
    const origin = originOf(context, request.visitor);
    const { pendingToken, origin: address } = request;
    const signedIn = await takeSecondStep(
      deps,
      { pendingToken, factor: "passkey", origin },
      (tenant, user, tokenHash) => {
        const challenge = secondFactorChallenge(deps.keys, tokenHash);
        return isPasskey(deps, tenant, user, { assertion: request, challenge, address, isAlone: false, origin });
      },
    );
    if (signedIn === undefined) throw new DomainError("PASSKEY_REFUSED");
    return { signedIn };
  },
});
