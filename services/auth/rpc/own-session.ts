import { DomainError } from "#platform/errors.ts";
import { makeSessionToken } from "../logins/open-session.ts";
import { noteChange } from "../store/change-store.ts";
import { replaceToken } from "../store/session-store.ts";
import type { Acting } from "./acting.ts";

/**
 * Gives the session that calls another token, because its rights have changed, and tells the gateways to forget what they
 * remember of the user. To be called last in a transaction.
 */
export async function renewOwnSession({ orgId, client, actor, now }: Acting, sessionId: string): Promise<string> {
  const { token, tokenHash } = makeSessionToken();
  const isOurs = await replaceToken(orgId, client, { id: sessionId, userId: actor.id, tokenHash, now });
  if (!isOurs) throw new DomainError("SESSION_ENDED");
  await noteChange(client, "user_changed", actor.id, now);
  return token;
}
