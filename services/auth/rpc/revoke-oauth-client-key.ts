import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { isClientKeyId } from "../domain/client-key.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { revokeClientKey } from "../store/oauth-client-key-store.ts";
import type { AuthDeps } from "./deps.ts";
import { clientKeyNotFound, toClientKeyMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock">;

export const revokeOAuthClientKey = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "revokeOAuthClientKey"> => ({
  async revokeOAuthClientKey({ organizationId, clientId, keyId }) {
    if (!isClientId(clientId) || !isClientKeyId(keyId)) throw clientKeyNotFound();
    const key = await revokeClientKey(deps.orm, toOrgId(organizationId), clientId, keyId, deps.clock.now());
    if (key === undefined) throw clientKeyNotFound();
    return { key: toClientKeyMessage(key) };
  },
});
