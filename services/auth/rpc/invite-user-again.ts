import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { sendInvitation } from "../logins/invite.ts";
import { deleteLinksOf } from "../store/link-store.ts";
import { deleteMailJobsOf } from "../store/mail-job-store.ts";
import { lockUser } from "../store/user-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { toUserMessage, userNotFound } from "./user-messages.ts";

type Deps = ActingDeps & Pick<AuthDeps, "keys" | "mail" | "publicUrl" | "wakeMails">;

export const inviteUserAgain = (deps: Deps): Pick<ServiceImpl<typeof UserService>, "inviteUserAgain"> => ({
  async inviteUserAgain({ userId, visitor }, context) {
    const options = { visitor, role: "owner", managesUsers: true } as const;
    const answer = await actAs(deps, context, options, async ({ orgId, client, audit }) => {
      const user = isUuid(userId) ? await lockUser(orgId, client, userId) : undefined;
      if (user === undefined) throw userNotFound();
      if (user.status !== "invited") throw new DomainError("USER_NOT_INVITED");
      await deleteLinksOf(orgId, client, user.id);
      await deleteMailJobsOf(orgId, client, user.id);
      const inviteUrl = await sendInvitation(deps, orgId, client, user.id);
      await audit("user.invited-again", user);
      return { user: toUserMessage(user), inviteUrl };
    });
    deps.wakeMails();
    return answer;
  },
});
