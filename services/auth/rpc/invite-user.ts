import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { parseName } from "../domain/organization.ts";
import { parseEmail, parseLocale } from "../domain/user.ts";
import { createUser, sendInvitation } from "../logins/invite.ts";
import { findUser } from "../store/user-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { toRole, toUserMessage, userNotFound } from "./user-messages.ts";

type Deps = ActingDeps & Pick<AuthDeps, "keys" | "mail" | "publicUrl" | "wakeMails">;

export const inviteUser = (deps: Deps): Pick<ServiceImpl<typeof UserService>, "inviteUser"> => ({
  async inviteUser(request, context) {
    const options = { visitor: request.visitor, role: "owner", managesUsers: true } as const;
    const answer = await actAs(deps, context, options, async ({ orgId, client, audit }) => {
      const role = toRole(request.role);
      const invited = { ...parseEmail(request.email), name: parseName(request.name), role };
      const userId = await createUser(deps, orgId, client, { ...invited, locale: parseLocale(request.locale) });
      const inviteUrl = await sendInvitation(deps, orgId, client, userId);
      const user = await findUser(orgId, client, userId);
      if (user === undefined) throw userNotFound();
      await audit("user.invited", user, { role, email: user.email });
      return { user: toUserMessage(user), inviteUrl };
    });
    deps.wakeMails();
    return answer;
  },
});
