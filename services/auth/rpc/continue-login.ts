import type { ServiceImpl } from "@connectrpc/connect";
import type { PoolClient } from "pg";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { maxChallengeFailures } from "../domain/link.ts";
import { hashToken } from "../domain/session.ts";
import type { User } from "../domain/user.ts";
import { type AttemptDeps, noteFailure } from "../logins/attempts.ts";
import { openSession } from "../logins/open-session.ts";
import { isSecondFactor } from "../logins/second-factor.ts";
import { countAttempt } from "../store/attempt-store.ts";
import { findChallenge } from "../store/person-lookup.ts";
import { countChallengeFailure, deleteChallenge, lockChallenge } from "../store/second-factor-store.ts";
import { findUser, lockUser } from "../store/user-store.ts";
import { originOf } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = AttemptDeps & Pick<AuthDeps, "lookup">;

export const continueLogin = (deps: Deps): Pick<ServiceImpl<typeof LoginService>, "continueLogin"> => ({
  async continueLogin(request, context) {
    const tokenHash = hashToken(request.pendingToken);
    const found = tokenHash && (await findChallenge(deps.lookup, tokenHash));
    if (tokenHash === undefined || found === undefined) throw new DomainError("LOGIN_EXPIRED");
    const { orgId, userId } = found;
    const step = { tokenHash, code: request.code, origin: originOf(context, request.visitor) };
    const signedIn = await withOrg(deps.people, orgId, async (client) => {
      const user = await lockUser(orgId, client, userId);
      if (user?.status !== "active") throw new DomainError("LOGIN_EXPIRED");
      return tryCode(deps, client, user, step);
    });
    // Only now, because a failure has to be written.
    if (signedIn === undefined) {
      deps.wakeMails();
      throw new DomainError("LOGIN_CODE_INVALID");
    }
    return { signedIn };
  },
});

/** Undefined for a wrong code. */
async function tryCode(
  deps: Deps,
  client: PoolClient,
  user: User,
  { tokenHash, code, origin }: { readonly tokenHash: Buffer; readonly code: string; readonly origin: Origin },
) {
  const { orgId, id: userId } = user;
  const now = deps.clock.now();
  const failures = await lockChallenge(orgId, client, tokenHash, now);
  if (failures === undefined || failures >= maxChallengeFailures) throw new DomainError("LOGIN_EXPIRED");
  const counted = await countAttempt(orgId, client, userId, now);
  if (counted !== undefined && (await isSecondFactor(deps, client, user, code))) {
    await deleteChallenge(orgId, client, tokenHash);
    // Read again: a recovery code may be gone.
    return openSession(deps, client, (await findUser(orgId, client, userId)) ?? user, origin);
  }
  await countChallengeFailure(orgId, client, tokenHash);
  await noteFailure(deps, client, { orgId, userId }, { counted, factor: "code", origin });
  return undefined;
}
