import type { Transport } from "@connectrpc/connect";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";

export interface FakeAuth {
  readonly transport: Transport;
  /** Without this, an organization is called "Acme" and is no sandbox. */
  setOrganization(orgId: string, facts: { readonly name: string; readonly sandbox: boolean }): void;
  /** While it is away, every call fails. */
  setAway(isAway: boolean): void;
}

/** An auth service that knows organizations and nothing else. */
export function createFakeAuth(): FakeAuth {
  const organizations = new Map<string, { readonly name: string; readonly sandbox: boolean }>();
  let away = false;
  const transport = createMemoryTransport(
    (router) => {
      router.service(TokenService, {
        describeOrganization: ({ organizationId: id }) => {
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          return { organization: { id, name: "Acme", sandbox: false, ...organizations.get(id) } };
        },
      });
    },
    { interceptors: [] },
  );
  return {
    transport,
    setOrganization: (orgId, facts) => {
      organizations.set(orgId, facts);
    },
    setAway: (isAway) => {
      away = isAway;
    },
  };
}
