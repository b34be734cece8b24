import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { isApiKeyId } from "../domain/api-key.ts";
import { revokeApiKey as revoke } from "../store/api-key-store.ts";
import type { AuthDeps } from "./deps.ts";
import { apiKeyNotFound, toApiKeyMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock">;

export const revokeApiKey = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "revokeApiKey"> => ({
  async revokeApiKey(request) {
    if (!isApiKeyId(request.keyId)) throw apiKeyNotFound();
    const key = await revoke(deps.orm, toOrgId(request.organizationId), request.keyId, deps.clock.now());
    if (key === undefined) throw apiKeyNotFound();
    return { key: toApiKeyMessage(key) };
  },
});
