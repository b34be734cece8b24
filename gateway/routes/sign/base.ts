import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { TargetSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { signDialect } from "../../http/error-dialect.ts";
import { onBehalfOf, type ProtectedAccess, type RouteRequest } from "../route.ts";

/** What reading a stored file may come to. */
export const fileErrors = ["DOCUMENT_ERASED", "DOCUMENT_DAMAGED"] as const satisfies readonly ErrorCode[];

/** What all operations of signing share. */
export const signBase = { dialect: signDialect } as const;

export const read: ProtectedAccess = { scopes: ["sign:read"], limitGroup: "sign" };
export const write: ProtectedAccess = { scopes: ["sign:write"], limitGroup: "sign" };
/** Who may write may send; `sign:send` alone sends what others have written. */
export const send: ProtectedAccess = { scopes: ["sign:send", "sign:write"], limitGroup: "sign" };
export const admin: ProtectedAccess = { scopes: ["sign:admin"], limitGroup: "sign" };

type Target = MessageInitShape<typeof TargetSchema>;

export const agreementTarget = (value: string): Target => ({ id: { case: "agreementId", value } });
export const templateTarget = (value: string): Target => ({ id: { case: "templateId", value } });

/** Documents are checked and converted, and megabytes handed on. */
export const withDocuments = (request: Pick<RouteRequest, "caller">): CallOptions => ({
  ...onBehalfOf(request),
  timeoutMs: 30_000,
});

/** The members that have a value: null means absent, as in our answers. */
export function given<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
