import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { makeClientId, makeClientSecret } from "../domain/oauth-client.ts";
import { parseName } from "../domain/organization.ts";
import { parseScopes } from "../domain/scopes.ts";
import { hashClientSecret } from "../domain/secrets.ts";
import { insertOAuthClient } from "../store/oauth-client-store.ts";
import { findOrganization } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toClientMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "keys" | "clock">;

export const createOAuthClient = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "createOAuthClient"> => ({
  async createOAuthClient(request) {
    const orgId = toOrgId(request.organizationId);
    const name = parseName(request.name);
    const scopes = parseScopes(request.scopes);
    if ((await findOrganization(deps.orm, orgId)) === undefined) throw organizationNotFound();
    const clientId = makeClientId();
    const clientSecret = makeClientSecret();
    const client = await insertOAuthClient(deps.orm, orgId, {
      clientId,
      name,
      scopes,
      secretHash: hashClientSecret(deps.keys, clientId, clientSecret),
      createdAt: deps.clock.now(),
    });
    return { client: toClientMessage(client), clientSecret };
  },
});
