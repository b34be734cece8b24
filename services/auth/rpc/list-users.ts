import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { listUsers as list } from "../store/user-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { toUserMessage } from "./user-messages.ts";

export const listUsers = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "listUsers"> => ({
  listUsers: (_request, context) =>
    actAs(deps, context, { role: "owner" }, async ({ orgId, client }) => ({
      users: (await list(orgId, client)).map(toUserMessage),
    })),
});
