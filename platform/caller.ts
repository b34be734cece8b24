import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { type OrgId, parseOrgId } from "./ids.ts";

/** On whose behalf an RPC runs. Set by the gateway from the verified credential, never from client input. */
export interface Caller {
  readonly orgId: OrgId;
  /** The OAuth client or API key. */
  readonly clientId: string;
  readonly requestId: string;
  /** W3C traceparent of the request. */
  readonly traceparent: string;
}

/**
 * The metadata that carries the caller between internal processes. The gateway removes it from outside
 * requests.
 */
export const callerHeaderNames = ["x-org-id", "x-client-id", "x-request-id", "traceparent"] as const;

/** The metadata of an RPC on behalf of this caller. */
export const callerHeaders = (caller: Caller): Record<string, string> => ({
  "x-org-id": caller.orgId,
  "x-client-id": caller.clientId,
  "x-request-id": caller.requestId,
  traceparent: caller.traceparent,
});

/** The caller of an RPC. Throws `unauthenticated` when the metadata is missing or malformed. */
export function requireCaller(context: Pick<HandlerContext, "requestHeader">): Caller {
  const header = context.requestHeader;
  const orgId = parseOrgId(header.get("x-org-id") ?? "");
  const clientId = header.get("x-client-id") ?? "";
  if (orgId === undefined || clientId === "") {
    throw new ConnectError("caller metadata x-org-id and x-client-id is missing", Code.Unauthenticated);
  }
  return {
    orgId,
    clientId,
    requestId: header.get("x-request-id") ?? "",
    traceparent: header.get("traceparent") ?? "",
  };
}
