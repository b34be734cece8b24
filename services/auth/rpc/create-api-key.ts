import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { makeApiKey } from "../domain/api-key.ts";
import { parseName } from "../domain/organization.ts";
import { hashApiKey } from "../domain/secrets.ts";
import { insertApiKey } from "../store/api-key-store.ts";
import { findOrganization } from "../store/organization-store.ts";
import type { AuthDeps } from "./deps.ts";
import { organizationNotFound, toApiKeyMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "keys" | "clock">;

export const createApiKey = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "createApiKey"> => ({
  async createApiKey(request) {
    const orgId = toOrgId(request.organizationId);
    const name = parseName(request.name);
    const organization = await findOrganization(deps.orm, orgId);
    if (organization === undefined) throw organizationNotFound();
    const { keyId, value } = makeApiKey(organization.sandbox);
    const key = await insertApiKey(deps.orm, orgId, {
      keyId,
      name,
      secretHash: hashApiKey(deps.keys, value),
      createdAt: deps.clock.now(),
    });
    return { key: toApiKeyMessage(key), apiKey: value };
  },
});
