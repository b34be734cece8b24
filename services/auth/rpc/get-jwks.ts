import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { AuthDeps } from "./deps.ts";

export const getJwks = (deps: Pick<AuthDeps, "keyring">): Pick<ServiceImpl<typeof TokenService>, "getJwks"> => ({
  async getJwks() {
    return { jwksJson: JSON.stringify(await deps.keyring.jwks()) };
  },
});
