import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { isUuid } from "#platform/ids.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteSession, listSessions } from "../store/session-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { sessionNotFound } from "./user-messages.ts";

export const revokeSession = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "revokeSession"> => ({
  revokeSession: ({ sessionId, visitor }, context) =>
    actAs(deps, context, { visitor }, async ({ orgId, client, actor, now, audit }) => {
      const living = await listSessions(orgId, client, actor.id, now);
      const id = isUuid(sessionId) ? sessionId.toLowerCase() : "";
      const isLiving = living.some((session) => session.id === id);
      if (!isLiving || !(await deleteSession(orgId, client, { userId: actor.id, sessionId: id }))) {
        throw sessionNotFound();
      }
      await audit("session.revoked", { id, name: "" });
      await noteChange(client, "session_changed", id, now);
      return {};
    }),
});
