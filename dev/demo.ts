import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { createClient } from "@connectrpc/connect";
import { type AdminService, type OAuthClient, Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { type DemoDeployments, seedDemoPage } from "./demo-page/seed.ts";
import { type Home, readHomeFile, writeHomeFile } from "./home.ts";
import { sampleRequests, seedSamples } from "./samples/samples.ts";
import type { Unready } from "./single-process.ts";

export type AdminClient = ReturnType<typeof createClient<typeof AdminService>>;

/** What a newcomer and the tools need to call a fresh copy; written to demo.json in the data folder. */
export interface Demo {
  readonly baseUrl: string;
  readonly organizationId: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in to the dashboard. */
  readonly ownerEmail: string;
  readonly ownerPassword: string;
  readonly deployments: DemoDeployments;
  /** Ids of the sample templates of documents, by their slugs. */
  readonly samples: Readonly<Record<string, string>>;
}

type Owner = Pick<Demo, "ownerEmail" | "ownerPassword">;
type Credentials = Omit<Demo, "deployments" | "samples" | keyof Owner>;

const demoFile = "demo.json";
const demoSlug = "terms-of-service";
const clientScopes = [
  ...["click:read", "click:write", "click:admin", "click:accept", "gen:read", "gen:write"],
  ...["webhooks:read", "webhooks:write", "privacy:admin"],
];

/** The demo organization of this copy: made on the first start, found again on every later one. */
export async function prepareDemo(home: Home, admin: AdminClient, baseUrl: string): Promise<Demo> {
  const existing = readHomeFile<Credentials & Partial<Demo>>(home, demoFile);
  const client = existing && (await findClient(admin, existing));
  if (existing !== undefined && client !== undefined) {
    const demo = await completeDemo(home, admin, { ...existing, baseUrl }, client);
    if (JSON.stringify(demo) !== JSON.stringify(existing)) writeHomeFile(home, demoFile, demo);
    return demo;
  }
  const credentials = await createCredentials(admin, baseUrl);
  await seedTemplate(credentials);
  const deployments = await seedPage(credentials);
  const owner = await createOwner(admin, credentials);
  const demo = { ...credentials, ...owner, deployments, samples: await seedTemplates(home, credentials) };
  writeHomeFile(home, demoFile, demo);
  return demo;
}

/** A copy that was first started by an older release may miss the demo page, the samples, the owner or newer scopes. */
async function completeDemo(
  home: Home,
  admin: AdminClient,
  { deployments, samples, ownerEmail, ownerPassword, ...known }: Credentials & Partial<Demo>,
  client: OAuthClient,
): Promise<Demo> {
  const mayAll = clientScopes.every((scope) => client.scopes.includes(scope));
  const credentials = mayAll ? known : { ...known, ...(await createClientOf(admin, known.organizationId)) };
  const hasOwner = ownerEmail !== undefined && ownerPassword !== undefined;
  return {
    ...credentials,
    ...(hasOwner ? { ownerEmail, ownerPassword } : await createOwner(admin, credentials)),
    deployments: deployments ?? (await seedPage(credentials)),
    samples: samples ?? (await seedTemplates(home, credentials)),
  };
}

/** Undefined when the database was replaced since demo.json was written. */
async function findClient(admin: AdminClient, demo: Credentials): Promise<OAuthClient | undefined> {
  const { clients } = await admin
    .listOAuthClients({ organizationId: demo.organizationId })
    .catch(() => ({ clients: [] }));
  return clients.find((client) => client.id === demo.clientId);
}

async function createCredentials(admin: AdminClient, baseUrl: string): Promise<Credentials> {
  const { organization } = await admin.createOrganization({ name: "Demo", plan: Plan.GEN_PRO, sandbox: true });
  if (organization === undefined) throw new Error("the auth service created no organization");
  const organizationId = organization.id;
  const { apiKey } = await admin.createApiKey({ organizationId, name: "Demo key" });
  return { baseUrl, organizationId, apiKey, ...(await createClientOf(admin, organizationId)) };
}

async function createClientOf(
  admin: AdminClient,
  organizationId: string,
): Promise<Pick<Credentials, "clientId" | "clientSecret">> {
  const { client, clientSecret } = await admin.createOAuthClient({
    organizationId,
    name: "Demo backend",
    scopes: clientScopes,
  });
  if (client === undefined) throw new Error("the auth service created no client");
  return { clientId: client.id, clientSecret };
}

const demoOwnerEmail = "owner@example.com";

async function createOwner(admin: AdminClient, { organizationId }: Credentials): Promise<Owner> {
  const ownerPassword = randomBytes(15).toString("base64url");
  await admin.createOwner({ organizationId, email: demoOwnerEmail, name: "Demo owner", password: ownerPassword });
  return { ownerEmail: demoOwnerEmail, ownerPassword };
}

/** One published template over the public API, so that the first pasted line can record an acceptance. */
async function seedTemplate(demo: Credentials): Promise<void> {
  const template = (await call(demo, "POST", "/v1/click/templates", {
    name: "Terms of Service",
    slug: demoSlug,
    type: "STATIC",
    counterparty: { legalName: "Example Ltd." },
  })) as { id: string };
  const versions = `/v1/click/templates/${template.id}/versions`;
  const version = (await call(demo, "POST", versions, {
    locale: "en",
    title: "Terms of Service",
    content: "<h1>Terms of Service</h1><p>You may use the service. We keep it running.</p>",
    buttonText: "I agree",
  })) as { id: string };
  await call(demo, "POST", `${versions}/${version.id}/publish`, {});
}

const seedPage = (demo: Credentials): Promise<DemoDeployments> =>
  seedDemoPage((method, path, body) => call(demo, method, path, body), demoSlug);

/** The samples of documents, and for each of them a file with what to send to render it. */
async function seedTemplates(home: Home, demo: Credentials): Promise<Readonly<Record<string, string>>> {
  const ids = await seedSamples((method, path, body) => call(demo, method, path, body));
  for (const [slug, request] of sampleRequests(ids)) writeHomeFile(home, sampleFile(slug), request);
  return ids;
}

const sampleFile = (slug: string): string => `sample-${slug}.json`;

const patienceMs = 60_000;

/** A machine that is busy with the start may need a moment before its services answer. */
async function call(demo: Credentials, method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const response = await ask(demo, method, path, body);
    if (response.ok) return response.json();
    const waitMs = Number(response.headers.get("retry-after") ?? 1) * 1_000;
    if (response.status !== 503 || Date.now() + waitMs > deadline)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    await delay(waitMs);
  }
}

const ask = (demo: Credentials, method: "GET" | "POST", path: string, body?: object): Promise<Response> =>
  fetch(demo.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Pages that only a copy in one process has, beside the demo page. */
export interface LocalPages {
  readonly mailbox: boolean;
  readonly webhooks: boolean;
}

/** What the terminal shows once everything has started. */
export const welcomeText = (demo: Demo, home: Home, pages?: LocalPages, unready: readonly Unready[] = []): string => `
${unready.length === 0 ? "Assent is ready.\n" : `${unreadyText(unready)}\nSee ${home.logFolder} for more. ${demo.baseUrl}/readyz answers 200 once all are ready.\n`}
  base URL       ${demo.baseUrl}
  reference      ${demo.baseUrl}/docs
  dashboard      ${demo.baseUrl}/dashboard/
    sign in as   ${demo.ownerEmail}
    password     ${demo.ownerPassword}
${pageLines(demo, pages)}  organization   ${demo.organizationId}
  API key        ${demo.apiKey}
  OAuth client   ${demo.clientId}
  client secret  ${demo.clientSecret}
  data folder    ${home.folder}

Record an acceptance (repeat it with the same key to get the same receipt):

  curl -s -X POST ${demo.baseUrl}/v1/click/accept \\
    -H 'Authorization: Bearer ${demo.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -H 'X-Idempotency-Key: first-try' \\
    -d '{"templateSlug":"${demoSlug}","userRef":"user-1"}'

Generate a document (contentUrl in the response is where its PDF is):

  curl -s -X POST ${demo.baseUrl}/v1/gen/documents \\
    -H 'Authorization: Bearer ${demo.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d @${join(home.folder, sampleFile("invoice"))}

${pages?.webhooks ? webhookText(demo) : ""}Get an access token, as your backend would:

  curl -s -X POST ${demo.baseUrl}/oauth2/token \\
    -H 'Content-Type: application/json' \\
    -d '{"grant_type":"client_credentials","client_id":"${demo.clientId}","client_secret":"${demo.clientSecret}","scope":"click:read click:accept"}'

Stop with Ctrl-C.
`;

export const unreadyText = (unready: readonly Unready[]): string =>
  `Assent is running, but it is NOT ready:\n\n${unready.map(({ name, reason }) => `  ${name.padEnd(14)} ${reason}\n`).join("")}`;

const pageLines = ({ baseUrl }: Demo, pages: LocalPages | undefined): string =>
  (pages ? `  demo page      ${baseUrl}/demo\n` : "") +
  (pages?.mailbox ? `  mailbox        ${baseUrl}/mailbox\n` : "") +
  (pages?.webhooks ? `  webhooks       ${baseUrl}/webhook-deliveries\n` : "");

const webhookText = ({ baseUrl, apiKey }: Demo): string => `\
Send events to the inbox of this instance, and see them at ${baseUrl}/webhook-inbox:

  curl -s -X POST ${baseUrl}/v1/webhooks/endpoints \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"url":"${baseUrl}/webhook-inbox"}'

`;
