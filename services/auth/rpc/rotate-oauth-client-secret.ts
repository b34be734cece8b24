import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { isClientId, makeClientSecret } from "../domain/oauth-client.ts";
import { hashClientSecret } from "../domain/secrets.ts";
import { replaceClientSecret } from "../store/oauth-client-store.ts";
import type { AuthDeps } from "./deps.ts";
import { clientNotFound, toClientMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "keys">;

export const rotateOAuthClientSecret = (
  deps: Deps,
): Pick<ServiceImpl<typeof AdminService>, "rotateOAuthClientSecret"> => ({
  async rotateOAuthClientSecret(request) {
    const { clientId } = request;
    if (!isClientId(clientId)) throw clientNotFound();
    const clientSecret = makeClientSecret();
    const secretHash = hashClientSecret(deps.keys, clientId, clientSecret);
    const client = await replaceClientSecret(deps.orm, toOrgId(request.organizationId), clientId, secretHash);
    if (client === undefined) throw clientNotFound();
    return { client: toClientMessage(client), clientSecret };
  },
});
