import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { listSessions as list } from "../store/session-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { toSessionMessage } from "./user-messages.ts";

export const listSessions = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "listSessions"> => ({
  listSessions: (_request, context) =>
    actAs(deps, context, {}, async ({ orgId, client, actor, now }) => ({
      sessions: (await list(orgId, client, actor.id, now)).map(toSessionMessage),
    })),
});
