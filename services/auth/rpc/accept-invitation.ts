import type { ServiceImpl } from "@connectrpc/connect";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { parseName } from "../domain/organization.ts";
import { parseLocale, parseTimeZone, type UserChange } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { openSession } from "../logins/open-session.ts";
import { readLink, type SetByLinkDeps, setByLink } from "../logins/set-by-link.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { updateUser } from "../store/user-store.ts";
import { originOf } from "./acting.ts";

type Deps = SetByLinkDeps;

export const acceptInvitation = (deps: Deps): Pick<ServiceImpl<typeof LoginService>, "acceptInvitation"> => ({
  async acceptInvitation(request, context) {
    const origin = originOf(context, request.visitor);
    const link = await readLink(deps, request.token, "invitation");
    const chosen = {
      name: request.name === undefined ? undefined : parseName(request.name),
      locale: request.locale === undefined ? undefined : parseLocale(request.locale),
      timeZone: request.timeZone === undefined ? undefined : parseTimeZone(request.timeZone),
    } satisfies UserChange;
    const password = await link.prepare(request.password);
    const { orgId, userId } = link;
    const signedIn = await withOrg(deps.people, orgId, async (client) => {
      const user = await setByLink(deps, client, link, password);
      // What the page of the invitation takes from the browser does not replace what was chosen for the person.
      const isMissing = ([name, value]: [string, string | undefined]): boolean =>
        value !== undefined && (name === "name" || user[name as keyof typeof chosen] === "");
      const named = Object.fromEntries(Object.entries(chosen).filter(isMissing));
      await updateUser(orgId, client, userId, named);
      const accepted = { ...user, ...named, status: "active" as const };
      await addAudit(orgId, client, auditEntry(deps, { action: "user.accepted", actor: accepted, origin }));
      const session = await openSession(deps, client, accepted, origin);
      await noteChange(client, "user_changed", userId, deps.clock.now());
      return session;
    });
    return { signedIn };
  },
});
