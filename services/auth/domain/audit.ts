import type { AuditAction } from "#api/audit-actions.ts";
import { namelessOperator } from "#platform/rpc/callers.ts";
import type { UserRole } from "./user.ts";

/** Where something was asked for. */
export interface Origin {
  readonly requestId: string;
  readonly ip: string;
  readonly userAgent: string;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  readonly actor: Named;
  readonly subject: Named;
  readonly details: Readonly<Record<string, string>>;
  readonly origin: Origin;
  /** What a user must be when it is written; nothing when absent. */
  readonly leastRole?: UserRole | undefined;
}

/** Somebody or something, with the name of that moment: it may be gone when the trail is read. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Who works on the command line, when no name goes with the token. */
export const operator: Named = { id: "operator", name: namelessOperator };

export const noOrigin: Origin = { requestId: "", ip: "", userAgent: "" };
