import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { verifyApiKey } from "../credentials.ts";
import { verifyAccessToken } from "../domain/access-token.ts";
import { looksLikeApiKey } from "../domain/api-key.ts";
import { operatorAudit } from "../logins/audit-entry.ts";
import { revokeApiKey } from "../store/api-key-store.ts";
import { revokeAccessToken } from "../store/revoked-token-store.ts";
import type { AuthDeps } from "./deps.ts";

type Deps = Pick<AuthDeps, "orm" | "lookup" | "keys" | "keyring" | "issuer" | "clock" | "newId">;

export const revokeToken = (deps: Deps): Pick<ServiceImpl<typeof AdminService>, "revokeToken"> => ({
  async revokeToken(request) {
    const isOurs = await (looksLikeApiKey(request.token)
      ? revokeByKeyValue(deps, request.token)
      : revokeByToken(deps, request.token));
    if (!isOurs) throw notOurs();
    return {};
  },
});

async function revokeByKeyValue(deps: Deps, value: string): Promise<boolean> {
  const key = await verifyApiKey(deps, value);
  if (key === undefined) return false;
  await revokeApiKey(deps.orm, key.orgId, { keyId: key.keyId, now: deps.clock.now() }, operatorAudit(deps));
  return true;
}

async function revokeByToken(deps: Deps, value: string): Promise<boolean> {
  const token = await verifyAccessToken(deps.issuer, await deps.keyring.jwks(), value);
  if (token === undefined) return false;
  await revokeAccessToken(deps.orm, token.orgId, token, deps.clock.now());
  return true;
}

const notOurs = (): DomainError =>
  new DomainError("VALIDATION_FAILED", {
    details: [
      { field: "token", code: "UNKNOWN_TOKEN", message: "must be an access token or an API key of this platform" },
    ],
  });
