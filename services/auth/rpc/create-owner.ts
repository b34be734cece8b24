import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { noOrigin, operator } from "../domain/audit.ts";
import { parseName } from "../domain/organization.ts";
import { checkPassword } from "../domain/password.ts";
import { parseEmail } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { createUser } from "../logins/invite.ts";
import { storedPassword } from "../logins/prove-password.ts";
import { makeLink } from "../logins/send-mail.ts";
import { addAudit } from "../store/audit-store.ts";
import { lockOrganization, setPassword } from "../store/user-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "people" | "keys" | "passwords" | "mail" | "publicUrl" | "clock" | "newId">;

export const createOwner = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "createOwner"> => ({
  createOwner(request) {
    const orgId = toOrgId(request.organizationId);
    const owner = { ...parseEmail(request.email), name: parseName(request.name), role: "owner", locale: "" } as const;
    return withOrg(deps.people, orgId, async (client) => {
      const organizationName = await lockOrganization(orgId, client);
      if (organizationName === undefined) throw organizationNotFound();
      const userId = await createUser(deps, orgId, client, owner);
      const subject = { id: userId, name: owner.name };
      const details = { role: owner.role, email: owner.email };
      const what = { action: "user.created", actor: operator, subject, details, origin: noOrigin } as const;
      await addAudit(orgId, client, auditEntry(deps, what));
      if (request.password === undefined) {
        const { url } = await makeLink(deps, orgId, client, { userId, purpose: "invitation" });
        return { userId, inviteUrl: url };
      }
      checkPassword(request.password, { ...owner, organizationName });
      const password = await storedPassword(deps, { id: userId, emailKey: owner.emailKey }, request.password);
      await setPassword(orgId, client, userId, password);
      return { userId, inviteUrl: "" };
    });
  },
});
