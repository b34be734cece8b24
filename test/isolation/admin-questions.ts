import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { System } from "../support/system.ts";
import type { Question } from "./questions.ts";

/** The credentials of one organization. */
export interface Credentials {
  readonly organizationId: string;
  readonly keyId: string;
  readonly clientId: string;
}

export async function createCredentials({ admin }: System, organizationId: string): Promise<Credentials> {
  const { key } = await admin.createApiKey({ organizationId, name: "another" });
  const { client } = await admin.createOAuthClient({ organizationId, name: "shop", scopes: ["click:read"] });
  return { organizationId, keyId: key?.id ?? "", clientId: client?.id ?? "" };
}

/** What an operator does for the second organization, with the ids of credentials that are the first one's. */
export function adminQuestions({ admin }: System, ofA: Credentials, ofB: Credentials): Question[] {
  const { organizationId } = ofB;
  const about = { ...ofA, organizationId };
  const refused = (title: string, call: () => Promise<unknown>): Question => ({
    title: `${title} of the other organization`,
    kind: "foreign",
    safe: false,
    prepare: async () => () =>
      call().then(
        () => [`${title} was done`],
        (error: unknown) => (/not_found/.test(String(error)) ? [] : [String(error)]),
      ),
  });
  const done = (title: string, call: () => Promise<unknown>): Question => ({
    title,
    kind: "read",
    safe: title.startsWith("listing"),
    prepare: async () => async () => {
      const text = JSON.stringify(await call(), (_key, value) => (typeof value === "bigint" ? String(value) : value));
      return Object.values(ofA).flatMap((id) => (text.includes(id) ? [`${title} shows ${id}`] : []));
    },
  });
  return [
    refused("revoking a key", () => admin.revokeApiKey(about)),
    refused("revoking a client", () => admin.revokeOAuthClient(about)),
    refused("rotating a secret", () => admin.rotateOAuthClientSecret(about)),
    done("listing keys", () => admin.listApiKeys({ organizationId })),
    done("listing clients", () => admin.listOAuthClients({ organizationId })),
    done("rotating a secret of its own", () => admin.rotateOAuthClientSecret(ofB)),
    done("suspending it", async () => {
      await admin.suspendOrganization({ organizationId, reason: "unpaid", requestedBy: "Ann" });
      return admin.resumeOrganization({ organizationId, requestedBy: "Ann" });
    }),
    done("setting the plan", () => admin.setOrganizationPlan({ organizationId, plan: Plan.GEN_PRO })),
  ];
}
