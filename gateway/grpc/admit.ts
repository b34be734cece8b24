import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { callerHeaders } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { type NewId, parseOrgId } from "#platform/ids.ts";
import type { AdmitOutsider, Peer } from "#platform/rpc/callers.ts";
import { continueTrace } from "#platform/trace-context.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import { isClientScope, type Principal } from "../auth/principal.ts";
import type { RequireActive, TakeRequest } from "../http/rate-limit.ts";
import type { FloodGuard } from "../limits/flood-guard.ts";
import type { NoteUse } from "../limits/use-report.ts";
import { insufficientScope, isOpenWhileSuspended } from "../routes/require-scope.ts";
import { type ClientMap, isMapped, limitGroupOf, publicAccess } from "./public-rpcs.ts";

export interface AdmitDeps {
  readonly authenticate: Authenticate;
  readonly takeRequest: TakeRequest;
  readonly requireActive: RequireActive;
  readonly floodGuard: FloodGuard;
  readonly noteUse: NoteUse;
  readonly clients: () => ClientMap;
  readonly newId: NewId;
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Authorizes outside callers in the same order as the REST API: whether the RPC is public, then credential,
 * budget and scope.
 */
export const createAdmit =
  (deps: AdmitDeps): AdmitOutsider =>
  async ({ method, header }, peer) => {
    const access = publicAccess(method);
    if (access === undefined) {
      throw new ConnectError("this RPC is for processes of the installation alone", Code.PermissionDenied);
    }
    const refusal = deps.floodGuard.take(peer.address);
    if (refusal !== undefined) throw tooMany(refusal);
    const principal = await identify(header, peer, deps);
    const group = limitGroupOf(access);
    const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    const httpMethod = isRead ? "GET" : "POST";
    if (group !== "plan") {
      const grant = await deps.takeRequest(payerOf(principal), group, httpMethod);
      if (!grant.granted) {
        deps.noteUse(principal.orgId, 0, true);
        throw tooMany(grant);
      }
    }
    const scopes = access.scopes.filter(isClientScope);
    if (!scopes.some((scope) => principal.scopes.has(scope))) throw insufficientScope(scopes);
    if (!isOpenWhileSuspended({ scopes })) await deps.requireActive(principal, httpMethod);
    const requestId = header.get("x-request-id") ?? "";
    return callerHeaders({
      orgId: principal.orgId,
      clientId: principal.clientId,
      requestId: requestIdPattern.test(requestId) ? requestId : deps.newId(),
      traceparent: continueTrace(header.get("traceparent") ?? undefined),
    });
  };

/** A program that serves several organizations has a separate budget in each. */
const payerOf = (principal: Principal): Principal =>
  isMapped(principal) ? { ...principal, clientId: `${principal.clientId} ${principal.orgId}` } : principal;

/** A token is more specific than a certificate, so it takes precedence. */
async function identify(header: Headers, peer: Peer, deps: AdmitDeps): Promise<Principal> {
  const wanted = header.get("x-org-id");
  const authorization = header.get("authorization");
  const found =
    authorization === null
      ? ofCertificate(peer.names(), wanted, deps.clients())
      : await deps.authenticate(authorization).catch((error: unknown) => {
          deps.floodGuard.takeForGuess(peer.address);
          throw error;
        });
  if (found === undefined) throw new DomainError("UNAUTHORIZED");
  if (wanted !== null && wanted.toLowerCase() !== found.orgId) throw foreign();
  return found;
}

function ofCertificate(names: readonly string[], wanted: string | null, clients: ClientMap): Principal | undefined {
  const [client] = names.flatMap((name) => clients.get(name) ?? []);
  if (client === undefined) return undefined;
  const { organizations, clientId, scopes } = client;
  const orgId = wanted === null && organizations.length === 1 ? organizations[0] : parseOrgId(wanted ?? "");
  if (wanted === null && orgId === undefined) {
    throw new ConnectError("x-org-id must say which organization this is for", Code.InvalidArgument);
  }
  if (orgId === undefined || !organizations.includes(orgId)) throw foreign();
  return { orgId, clientId, scopes, tokenId: undefined };
}

/** The same error whether or not the organization exists. */
const foreign = (): ConnectError =>
  new ConnectError("the credential is not for the organization in x-org-id", Code.PermissionDenied);

const tooMany = ({ limit, resetAt, retryAfterSeconds }: Refusal): DomainError =>
  new DomainError("RATE_LIMIT_EXCEEDED", {
    metadata: { limit: String(limit), resetAt: String(resetAt), retryAfterSeconds: String(retryAfterSeconds) },
  });

interface Refusal {
  readonly limit: number;
  readonly resetAt: number;
  readonly retryAfterSeconds: number;
}
