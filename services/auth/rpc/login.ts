import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PoolClient } from "pg";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { challengeMs } from "../domain/link.ts";
import type { User } from "../domain/user.ts";
import { type CheckLoginDeps, checkLogin } from "../logins/check-login.ts";
import { choiceOf } from "../logins/choice.ts";
import { makeSessionToken, openSession } from "../logins/open-session.ts";
import { storedPassword } from "../logins/prove-password.ts";
import type { LoginCandidate } from "../store/person-lookup.ts";
import { insertChallenge } from "../store/second-factor-store.ts";
import { findPassword, lockUser, setPassword } from "../store/user-store.ts";
import { originOf } from "./acting.ts";

type Deps = CheckLoginDeps;

export const login = (deps: Deps): Pick<ServiceImpl<typeof LoginService>, "login"> => ({
  async login(request, context) {
    const origin = originOf(context, request.visitor);
    const right = await checkLogin(deps, request, origin);
    const [only, ...others] = right;
    if (only === undefined) throw new DomainError("LOGIN_FAILED");
    if (others.length > 0) {
      return { outcome: { case: "choice", value: await choiceOf(deps, right) } };
    }
    return withOrg(deps.people, only.orgId, async (client) => {
      const user = await lockUser(only.orgId, client, only.userId);
      const password = await findPassword(only.orgId, client, only.userId);
      // Disabled, removed or given another password since it was checked.
      if (user === undefined || password?.hash.equals(only.hash) !== true) throw new DomainError("LOGIN_FAILED");
      await renewHash(deps, client, only, { ...password, typed: request.password });
      if (user.totpEnabledAt !== null) return askForCode(deps, client, user);
      return { outcome: { case: "signedIn", value: await openSession(deps, client, user, origin) } };
    });
  },
});

/** A password that was stretched with other parameters is stored anew while it is known. */
async function renewHash(
  deps: Deps,
  client: PoolClient,
  { orgId, userId }: LoginCandidate,
  { scheme, emailKey, typed }: { readonly scheme: string; readonly emailKey: string; readonly typed: string },
): Promise<void> {
  if (scheme === deps.passwords.scheme) return;
  await setPassword(orgId, client, userId, await storedPassword(deps, { id: userId, emailKey }, typed));
}

async function askForCode(deps: Deps, client: PoolClient, user: User) {
  const { token, tokenHash } = makeSessionToken();
  const expiresAt = new Date(deps.clock.now().getTime() + challengeMs);
  await insertChallenge(user.orgId, client, { tokenHash, userId: user.id, expiresAt });
  const value = { pendingToken: token, expiresAt: timestampFromDate(expiresAt) };
  return { outcome: { case: "secondFactor" as const, value } };
}
