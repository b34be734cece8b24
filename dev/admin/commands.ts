import type { Client } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { type DeadEventClient, deadEventCommands } from "./dead-event-commands.ts";
import { deletionCommands, type MasterKeyClient, masterKeyCommands } from "./deletion-and-key-commands.ts";
import { type EvidenceAdminClient, evidenceCommands } from "./evidence-commands.ts";
import {
  busyView,
  type CommandOf,
  clientKeyView,
  clientView,
  keyView,
  optionalCount,
  organizationForPeople,
  organizationView,
  requiredPlan,
  requiredText,
  requiring,
  summaryForPeople,
  summaryView,
  UsageError,
  type Values,
} from "./views.ts";

export type AdminClient = Client<typeof AdminService>;
export type Command =
  | (CommandOf<AdminClient> & { readonly service: "auth" })
  | (CommandOf<EvidenceAdminClient> & { readonly service: "click" })
  /** Several services answer these, and --service says which one. */
  | (CommandOf<DeadEventClient> & { readonly service: "named" })
  | (CommandOf<MasterKeyClient> & { readonly service: "sealing" });

interface OrganizationList {
  readonly organizations: readonly ReturnType<typeof summaryView>[];
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const authCommands: readonly CommandOf<AdminClient>[] = [
  {
    name: "organizations create",
    synopsis: "--name N --plan P [--sandbox]",
    options: { name: text, plan: text, sandbox: flag },
    prepare(values) {
      const request = {
        name: requiredText(values, "name"),
        plan: requiredPlan(values),
        sandbox: values.sandbox === true,
      };
      return async (admin) => ({ organizationId: (await admin.createOrganization(request)).organization?.id });
    },
  },
  requiring(
    "organizations set-plan",
    { organizationId: "organization", plan: "plan" },
    async (admin, request) => organizationView((await admin.setOrganizationPlan(request)).organization),
    organizationForPeople,
  ),
  {
    name: "organizations set-limits",
    synopsis:
      "--organization O [--accept N] [--render N] [--other N] [--sign N] [--shared-accept N …] [--credentials N]",
    options: {
      ...{ organization: text, accept: text, render: text, other: text, sign: text, credentials: text },
      ...{ "shared-accept": text, "shared-render": text, "shared-other": text, "shared-sign": text },
    },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization"), ...namedLimits(values) };
      return async (admin) => organizationView((await admin.setOrganizationLimits(request)).organization);
    },
    forPeople: organizationForPeople,
  },
  {
    name: "organizations list",
    synopsis: "",
    options: {},
    prepare() {
      return async (admin) => {
        const organizations: object[] = [];
        let cursor = "";
        do {
          const page = await admin.listOrganizations({ pageSize: 500, cursor });
          organizations.push(...page.organizations.map(summaryView));
          cursor = page.nextCursor;
        } while (cursor !== "");
        return { organizations };
      };
    },
    forPeople: (result) => ({ organizations: (result as OrganizationList).organizations.map(summaryForPeople) }),
  },
  {
    name: "organizations busy",
    synopsis: "[--limit N]",
    options: { limit: text },
    prepare(values) {
      const request = { limit: optionalCount(values, "limit") ?? 0 };
      return async (admin) => {
        const { organizations } = await admin.listBusyOrganizations(request);
        return { organizations: organizations.map(busyView) };
      };
    },
  },
  requiring(
    "organizations suspend",
    { organizationId: "organization", reason: "reason", requestedBy: "by" },
    async (admin, request) => organizationView((await admin.suspendOrganization(request)).organization),
    organizationForPeople,
  ),
  requiring(
    "organizations resume",
    { organizationId: "organization", requestedBy: "by" },
    async (admin, request) => organizationView((await admin.resumeOrganization(request)).organization),
    organizationForPeople,
  ),
  requiring("keys create", { organizationId: "organization", name: "name" }, async (admin, request) => {
    const { key, apiKey } = await admin.createApiKey(request);
    return { keyId: key?.id, apiKey };
  }),
  requiring("keys list", { organizationId: "organization" }, async (admin, request) => ({
    keys: (await admin.listApiKeys(request)).keys.map(keyView),
  })),
  requiring("keys revoke", { organizationId: "organization", keyId: "key" }, async (admin, request) =>
    keyView((await admin.revokeApiKey(request)).key),
  ),
  requiring(
    "clients create",
    { organizationId: "organization", name: "name", scopes: "scopes" },
    async (admin, request) => {
      const { client, clientSecret } = await admin.createOAuthClient(request);
      return { clientId: client?.id, clientSecret };
    },
  ),
  requiring("clients list", { organizationId: "organization" }, async (admin, request) => ({
    clients: (await admin.listOAuthClients(request)).clients.map(clientView),
  })),
  requiring("clients rotate-secret", { organizationId: "organization", clientId: "client" }, async (admin, request) => {
    const { client, clientSecret } = await admin.rotateOAuthClientSecret(request);
    return { clientId: client?.id, clientSecret };
  }),
  requiring(
    "clients add-key",
    { organizationId: "organization", clientId: "client", publicKeyPem: "public-key-file" },
    async (admin, request) => clientKeyView((await admin.addOAuthClientKey(request)).key),
  ),
  requiring("clients list-keys", { organizationId: "organization", clientId: "client" }, async (admin, request) => ({
    keys: (await admin.listOAuthClientKeys(request)).keys.map(clientKeyView),
  })),
  requiring(
    "clients revoke-key",
    { organizationId: "organization", clientId: "client", keyId: "key" },
    async (admin, request) => clientKeyView((await admin.revokeOAuthClientKey(request)).key),
  ),
  requiring("clients revoke", { organizationId: "organization", clientId: "client" }, async (admin, request) =>
    clientView((await admin.revokeOAuthClient(request)).client),
  ),
  requiring(
    "users create-owner",
    { organizationId: "organization", email: "email", name: "name" },
    async (admin, request) => {
      const { userId, inviteUrl } = await admin.createOwner(request);
      return { userId, inviteUrl };
    },
  ),
  {
    name: "erasures apply",
    synopsis: "[--dry-run]",
    options: { "dry-run": flag },
    prepare(values) {
      const request = { dryRun: values["dry-run"] === true };
      return async (admin) => {
        const { isKept, listed, missing, running, elsewhere, unreadable } = await admin.applyErasureList(request);
        if (!isKept) throw new Error("auth keeps no list of erasures, because ERASURE_LIST is not set");
        return { listed, missing, running, elsewhere, unreadable };
      };
    },
  },
  requiring("tokens revoke", { token: "token" }, async (admin, request) => {
    await admin.revokeToken(request);
    return { revoked: true };
  }),
];

export const commands: readonly Command[] = [
  ...[...authCommands, ...deletionCommands].map((command) => ({ ...command, service: "auth" as const })),
  ...evidenceCommands.map((command) => ({ ...command, service: "click" as const })),
  ...deadEventCommands.map((command) => ({ ...command, service: "named" as const })),
  ...masterKeyCommands.map((command) => ({ ...command, service: "sealing" as const })),
];

function namedLimits(values: Values) {
  const counts = (prefix: string) => ({
    accept: optionalCount(values, `${prefix}accept`),
    render: optionalCount(values, `${prefix}render`),
    other: optionalCount(values, `${prefix}other`),
    sign: optionalCount(values, `${prefix}sign`),
  });
  const [limits, sharedLimits] = [counts(""), counts("shared-")];
  const maxCredentials = optionalCount(values, "credentials");
  const named = [...Object.values(limits), ...Object.values(sharedLimits), maxCredentials];
  if (named.every((count) => count === undefined)) {
    throw new UsageError(
      "name at least one of --accept, --render, --other and --sign, with shared- before it for all clients together, or --credentials",
    );
  }
  return { limits, sharedLimits, maxCredentials };
}
