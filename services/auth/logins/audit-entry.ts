import type { HandlerContext } from "@connectrpc/connect";
import type { AuditAction } from "#api/audit-actions.ts";
import { operatorKey } from "#platform/rpc/callers.ts";
import { type AuditEntry, type Named, noOrigin, type Origin, operator } from "../domain/audit.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import type { AuditOf } from "../store/audit-store.ts";

type Deps = Pick<AuthDeps, "clock" | "newId">;

/** What a person did to themselves, or with something that has a name. */
export const auditEntry = (
  { clock, newId }: Deps,
  what: {
    readonly action: AuditAction;
    readonly actor: Named;
    readonly origin: Origin;
    /** The actor when absent. */
    readonly subject?: Named | undefined;
    readonly details?: Readonly<Record<string, string>> | undefined;
  },
): AuditEntry => ({
  ...{ id: newId(), at: clock.now(), action: what.action, origin: what.origin },
  ...{ actor: named(what.actor), subject: named(what.subject ?? what.actor), details: what.details ?? {} },
});

/** Drops all other members, such as an e-mail address. */
const named = ({ id, name }: Named): Named => ({ id, name });

/** For what an operator does on the command line. */
export const operatorAudit =
  (deps: Deps, context: AdminContext): AuditOf =>
  (action, subject) =>
    auditEntry(deps, { action, actor: operatorOf(context), subject, origin: noOrigin });

/** A call to the admin port. */
export type AdminContext = Pick<HandlerContext, "values">;

/** With the name that goes with the token. */
export const operatorOf = ({ values }: AdminContext): Named => ({
  id: operator.id,
  name: values.get(operatorKey)?.name ?? operator.name,
});
