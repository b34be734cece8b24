import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { toUserMessage } from "./user-messages.ts";

export const getOwnUser = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "getOwnUser"> => ({
  getOwnUser: (_request, context) => actAs(deps, context, {}, async ({ actor }) => ({ user: toUserMessage(actor) })),
});
