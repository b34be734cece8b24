import type { ServiceImpl } from "@connectrpc/connect";
import type { PoolClient } from "pg";
import type { LoginService } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Origin } from "../domain/audit.ts";
import { identityOf, type NamedPerson } from "../domain/identity.ts";
import { emailKey, type User } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import { choiceOf } from "../logins/choice.ts";
import { openSession } from "../logins/open-session.ts";
import { addAudit } from "../store/audit-store.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteLinksOf } from "../store/link-store.ts";
import { type FoundUser, findByIdentity } from "../store/person-lookup.ts";
import { findIdentity, lockUser, setIdentity } from "../store/user-store.ts";
import { originOf } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = Pick<AuthDeps, "lookup" | "people" | "keys" | "clock" | "newId">;

export const loginWithIdentity = (deps: Deps): Pick<ServiceImpl<typeof LoginService>, "loginWithIdentity"> => ({
  async loginWithIdentity({ issuer, subject, email, organizationId, visitor }, context) {
    const person = { issuer, subject, emailKey: emailKey(email) };
    const wanted = { issuer, subject, emailKey: person.emailKey ?? null };
    const found = await findByIdentity(deps.lookup, wanted, organizationId ?? null);
    const [only, ...others] = found;
    if (only === undefined) throw new DomainError("LOGIN_FAILED");
    if (others.length > 0) return { outcome: { case: "choice", value: await choiceOf(deps, found) } };
    const signedIn = await withOrg(deps.people, only.orgId, (client) =>
      enter(deps, client, only, { person, origin: originOf(context, visitor) }),
    );
    return { outcome: { case: "signedIn", value: signedIn } };
  },
});

interface Entering {
  readonly person: NamedPerson;
  readonly origin: Origin;
}

async function enter(deps: Deps, client: PoolClient, { orgId, userId }: FoundUser, { person, origin }: Entering) {
  const user = await lockUser(orgId, client, userId);
  const known = await findIdentity(orgId, client, userId);
  const identity = known === undefined ? "other" : identityOf(known, person);
  // Disabled, removed or become somebody else since they were found.
  if (user === undefined || user.status === "disabled" || identity === "other") throw new DomainError("LOGIN_FAILED");
  if (identity === "new") await link(deps, client, user, { person, origin });
  const signedIn = await openSession(deps, client, { ...user, status: "active" }, origin, { method: "oidc" });
  if (identity === "new") await noteChange(client, "user_changed", userId, deps.clock.now());
  return signedIn;
}

/** The first time: the user is this person from now on, and an invitation is accepted by it. */
async function link(deps: Deps, client: PoolClient, user: User, { person, origin }: Entering): Promise<void> {
  const { orgId, id: userId } = user;
  const { issuer } = person;
  await setIdentity(orgId, client, userId, person);
  const what = { action: "identity.linked", actor: user, origin, details: { issuer } } as const;
  await addAudit(orgId, client, auditEntry(deps, what));
  if (user.status !== "invited") return;
  await deleteLinksOf(orgId, client, userId);
  await addAudit(orgId, client, auditEntry(deps, { action: "user.accepted", actor: user, origin }));
}
