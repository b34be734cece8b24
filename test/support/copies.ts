import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import { createSeedVault, type SeedVault } from "#platform/vault/seed-vault.ts";
import type { AdminClient } from "../../dev/demo.ts";
import type { Secrets } from "../../dev/home.ts";
import { Api } from "./api.ts";

// What tests and drills need of a copy of the product, however they have started it.

/** Starts no processes for documents with this process: most files need none of them. */
export const noneKept = (process: string): Readonly<Record<string, string>> =>
  startedWith[process.replace(/-\d+$/, "")] ?? {};

const startedWith: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  docgen: { RENDERER_PROCESSES_KEPT: "0" },
  sign: { INTAKE_PROCESSES_KEPT: "0" },
};

/** Finds nobody: for that one would need what the service keeps in the database. */
export const signVaultOf = ({ signMasterKey }: Secrets): SeedVault =>
  createSeedVault("sign", parseMasterKeys(signMasterKey), () => Buffer.alloc(32));

/** With an API key, ready to call. */
export async function newOrganization(admin: AdminClient, baseUrl: string): Promise<Api> {
  const { organization } = await admin.createOrganization({ name: "Test", plan: Plan.GEN_PRO });
  const organizationId = organization?.id ?? "";
  const { apiKey } = await admin.createApiKey({ organizationId, name: "test" });
  return new Api(baseUrl, apiKey, organizationId);
}
