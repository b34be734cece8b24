import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { revokeOAuthClient as revoke } from "../store/oauth-client-store.ts";
import type { AuthDeps } from "./deps.ts";
import { clientNotFound, toClientMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock">;

export const revokeOAuthClient = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "revokeOAuthClient"> => ({
  async revokeOAuthClient(request) {
    if (!isClientId(request.clientId)) throw clientNotFound();
    const client = await revoke(deps.orm, toOrgId(request.organizationId), request.clientId, deps.clock.now());
    if (client === undefined) throw clientNotFound();
    return { client: toClientMessage(client) };
  },
});
