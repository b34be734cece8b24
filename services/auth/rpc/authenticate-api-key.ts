import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { verifyApiKey } from "../credentials.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = Pick<AuthDeps, "lookup" | "keys" | "usage">;

export const authenticateApiKey = (deps: Deps): Pick<ServiceImpl<typeof TokenService>, "authenticateApiKey"> => ({
  async authenticateApiKey(request) {
    const key = await verifyApiKey(deps, request.apiKey);
    if (key === undefined || key.isRevoked) throw new DomainError("INVALID_TOKEN");
    deps.usage.note(key.orgId, key.keyId);
    return { keyId: key.keyId, organizationId: key.orgId };
  },
});
