import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { listClientKeys } from "../store/oauth-client-key-store.ts";
import type { AuthDeps } from "./deps.ts";
import { clientNotFound, toClientKeyMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm">;

export const listOAuthClientKeys = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "listOAuthClientKeys"> => ({
  async listOAuthClientKeys({ organizationId, clientId }) {
    const keys = isClientId(clientId) ? await listClientKeys(deps.orm, toOrgId(organizationId), clientId) : undefined;
    if (keys === undefined) throw clientNotFound();
    return { keys: keys.map(toClientKeyMessage) };
  },
});
