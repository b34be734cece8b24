import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { SessionPrincipalSchema, SignedInSchema } from "#gen/assent/auth/v1/users_pb.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { newSecret } from "#platform/ids.ts";
import type { Origin } from "../domain/audit.ts";
import { csrfToken, hashToken, lifetimeMs } from "../domain/session.ts";
import type { User } from "../domain/user.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { toUserMessage } from "../rpc/messages.ts";
import { forgetAttempts } from "../store/attempt-store.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { insertSession, makeRoom } from "../store/session-store.ts";
import { noteLogin } from "../store/user-store.ts";
import { auditEntry } from "./audit-entry.ts";

type Deps = Pick<AuthDeps, "keys" | "clock" | "newId">;

/** Logs a user in, in the caller's transaction, which has locked the user. */
export async function openSession(
  deps: Deps,
  tenant: Tenant,
  user: User,
  origin: Origin,
  details: Readonly<Record<string, string>> = {},
): Promise<MessageInitShape<typeof SignedInSchema>> {
  const { id: userId } = user;
  const now = deps.clock.now();
  const { token, tokenHash } = makeSessionToken();
  const id = deps.newId();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await forgetAttempts(tenant, userId);
  await noteLogin(tenant, userId, now);
  const isFull = await makeRoom(tenant, userId);
  const { ip, userAgent } = origin;
  await insertSession(tenant, { id, userId, tokenHash, createdAt: now, expiresAt, ip, userAgent });
  await addAudit(tenant, auditEntry(deps, { action: "login.succeeded", actor: user, origin, details }));
  if (isFull) await noteChange(tenant.client, "user_changed", userId, now);
  const principal = toPrincipal(deps, { sessionId: id, user: { ...user, lastLoginAt: now }, expiresAt });
  return { sessionToken: token, principal };
}

/** A session token for the cookie, with its stored hash. */
export function makeSessionToken(): { readonly token: string; readonly tokenHash: Buffer } {
  const token = newSecret();
  const tokenHash = hashToken(token);
  if (tokenHash === undefined) throw new Error("a new token has the wrong length");
  return { token, tokenHash };
}

export const toPrincipal = (
  { keys }: Pick<AuthDeps, "keys">,
  session: { readonly sessionId: string; readonly user: User; readonly expiresAt: Date },
): MessageInitShape<typeof SessionPrincipalSchema> => ({
  sessionId: session.sessionId,
  organizationId: session.user.orgId,
  user: toUserMessage(session.user),
  csrfToken: csrfToken(keys, session.sessionId),
  expiresAt: timestampFromDate(session.expiresAt),
});
