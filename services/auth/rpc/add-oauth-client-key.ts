import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { maxLivingKeys, parseClientKey } from "../domain/client-key.ts";
import { isClientId } from "../domain/oauth-client.ts";
import { insertClientKey } from "../store/oauth-client-key-store.ts";
import type { AuthDeps } from "./deps.ts";
import { clientNotFound, toClientKeyMessage, toOrgId } from "./messages.ts";

type Deps = Pick<AuthDeps, "orm" | "clock">;

export const addOAuthClientKey = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "addOAuthClientKey"> => ({
  async addOAuthClientKey(request) {
    const key = await parseClientKey(request.publicKeyPem);
    if (!isClientId(request.clientId)) throw clientNotFound();
    const orgId = toOrgId(request.organizationId);
    const added = await insertClientKey(deps.orm, orgId, request.clientId, key, deps.clock.now());
    switch (added.kind) {
      case "added":
        return { key: toClientKeyMessage(added.key) };
      case "no-client":
        throw clientNotFound();
      case "too-many":
        throw refused("TOO_MANY_KEYS", `is one too many: a client has at most ${maxLivingKeys}; revoke one first`);
      case "revoked":
        throw refused("REVOKED_KEY", "was revoked and stays so; make a new key pair");
    }
  },
});

const refused = (code: string, message: string): DomainError =>
  new DomainError("VALIDATION_FAILED", { details: [{ field: "public_key_pem", code, message }] });
