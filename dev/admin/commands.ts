import type { Client } from "@connectrpc/connect";
import type { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { type DeadEventClient, deadEventCommands } from "./dead-event-commands.ts";
import { deletionCommands, type MasterKeyClient, masterKeyCommands } from "./deletion-and-key-commands.ts";
import { type EvidenceAdminClient, evidenceCommands } from "./evidence-commands.ts";
import {
  type CommandOf,
  optionalCount,
  requiredPlan,
  requiredPublicKey,
  requiredScopes,
  requiredText,
  UsageError,
  type Values,
} from "./values.ts";
import {
  busyView,
  clientKeyView,
  clientView,
  keyView,
  organizationForPeople,
  organizationView,
  summaryForPeople,
  summaryView,
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
  {
    name: "organizations set-plan",
    synopsis: "--organization O --plan P",
    options: { organization: text, plan: text },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization"), plan: requiredPlan(values) };
      return async (admin) => organizationView((await admin.setOrganizationPlan(request)).organization);
    },
    forPeople: organizationForPeople,
  },
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
  {
    name: "organizations suspend",
    synopsis: "--organization O --reason R --by WHO",
    options: { organization: text, reason: text, by: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        reason: requiredText(values, "reason"),
        requestedBy: requiredText(values, "by"),
      };
      return async (admin) => organizationView((await admin.suspendOrganization(request)).organization);
    },
    forPeople: organizationForPeople,
  },
  {
    name: "organizations resume",
    synopsis: "--organization O --by WHO",
    options: { organization: text, by: text },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization"), requestedBy: requiredText(values, "by") };
      return async (admin) => organizationView((await admin.resumeOrganization(request)).organization);
    },
    forPeople: organizationForPeople,
  },
  {
    name: "keys create",
    synopsis: "--organization O --name N",
    options: { organization: text, name: text },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization"), name: requiredText(values, "name") };
      return async (admin) => {
        const { key, apiKey } = await admin.createApiKey(request);
        return { keyId: key?.id, apiKey };
      };
    },
  },
  {
    name: "keys list",
    synopsis: "--organization O",
    options: { organization: text },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization") };
      return async (admin) => ({ keys: (await admin.listApiKeys(request)).keys.map(keyView) });
    },
  },
  {
    name: "keys revoke",
    synopsis: "--organization O --key K",
    options: { organization: text, key: text },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization"), keyId: requiredText(values, "key") };
      return async (admin) => keyView((await admin.revokeApiKey(request)).key);
    },
  },
  {
    name: "clients create",
    synopsis: '--organization O --name N --scopes "S S …"',
    options: { organization: text, name: text, scopes: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        name: requiredText(values, "name"),
        scopes: requiredScopes(values),
      };
      return async (admin) => {
        const { client, clientSecret } = await admin.createOAuthClient(request);
        return { clientId: client?.id, clientSecret };
      };
    },
  },
  {
    name: "clients list",
    synopsis: "--organization O",
    options: { organization: text },
    prepare(values) {
      const request = { organizationId: requiredText(values, "organization") };
      return async (admin) => ({ clients: (await admin.listOAuthClients(request)).clients.map(clientView) });
    },
  },
  {
    name: "clients rotate-secret",
    synopsis: "--organization O --client C",
    options: { organization: text, client: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        clientId: requiredText(values, "client"),
      };
      return async (admin) => {
        const { client, clientSecret } = await admin.rotateOAuthClientSecret(request);
        return { clientId: client?.id, clientSecret };
      };
    },
  },
  {
    name: "clients add-key",
    synopsis: "--organization O --client C --public-key-file F",
    options: { organization: text, client: text, "public-key-file": text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        clientId: requiredText(values, "client"),
        publicKeyPem: requiredPublicKey(values, "public-key-file"),
      };
      return async (admin) => clientKeyView((await admin.addOAuthClientKey(request)).key);
    },
  },
  {
    name: "clients list-keys",
    synopsis: "--organization O --client C",
    options: { organization: text, client: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        clientId: requiredText(values, "client"),
      };
      return async (admin) => ({ keys: (await admin.listOAuthClientKeys(request)).keys.map(clientKeyView) });
    },
  },
  {
    name: "clients revoke-key",
    synopsis: "--organization O --client C --key K",
    options: { organization: text, client: text, key: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        clientId: requiredText(values, "client"),
        keyId: requiredText(values, "key"),
      };
      return async (admin) => clientKeyView((await admin.revokeOAuthClientKey(request)).key);
    },
  },
  {
    name: "clients revoke",
    synopsis: "--organization O --client C",
    options: { organization: text, client: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        clientId: requiredText(values, "client"),
      };
      return async (admin) => clientView((await admin.revokeOAuthClient(request)).client);
    },
  },
  {
    name: "users create-owner",
    synopsis: "--organization O --email E --name N",
    options: { organization: text, email: text, name: text },
    prepare(values) {
      const request = {
        organizationId: requiredText(values, "organization"),
        email: requiredText(values, "email"),
        name: requiredText(values, "name"),
      };
      return (admin) => admin.createOwner(request).then(({ userId, inviteUrl }) => ({ userId, inviteUrl }));
    },
  },
  {
    name: "erasures apply",
    synopsis: "[--dry-run]",
    options: { "dry-run": flag },
    prepare(values) {
      const request = { dryRun: values["dry-run"] === true };
      return async (admin) => {
        const { isKept, listed, missing, running, elsewhere, unreadable } = await admin.applyErasureList(request);
        if (!isKept) throw new Error("auth keeps no list of erasures: ERASURE_LIST is not set");
        return { listed, missing, running, elsewhere, unreadable };
      };
    },
  },
  {
    name: "tokens revoke",
    synopsis: "--token T",
    options: { token: text },
    prepare(values) {
      const request = { token: requiredText(values, "token") };
      return async (admin) => {
        await admin.revokeToken(request);
        return { revoked: true };
      };
    },
  },
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
