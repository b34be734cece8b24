import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteSessionsOf } from "../store/session-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";

export const revokeOtherSessions = (
  deps: ActingDeps,
): Pick<ServiceImpl<typeof UserService>, "revokeOtherSessions"> => ({
  revokeOtherSessions: ({ sessionId, visitor }, context) =>
    actAs(deps, context, { visitor }, async ({ orgId, client, actor, now, audit }) => {
      const revoked = await deleteSessionsOf(orgId, client, actor.id, sessionId);
      if (revoked === 0) return { revoked };
      await audit("sessions.revoked", actor, { count: String(revoked) });
      await noteChange(client, "user_changed", actor.id, now);
      return { revoked };
    }),
});
