import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { type BenchSystem, liftLimits } from "../system.ts";

/** So many organizations with a text to accept and without limits. Answers what their requests have as Authorization. */
export async function makeOrganizations(system: BenchSystem, count: number): Promise<readonly string[]> {
  const authorizations: string[] = [];
  while (authorizations.length < count) authorizations.push(await makeOne(system));
  return authorizations;
}

/** From now on the organization is told of its acceptances at this URL. */
export async function addEndpoint({ demo }: BenchSystem, authorization: string, url: string): Promise<void> {
  const body = { url, eventTypes: ["click.acceptance.recorded"] };
  await postJson(`${demo.baseUrl}/v1/webhooks/endpoints`, authorization, body);
}

async function makeOne({ admin, demo }: BenchSystem): Promise<string> {
  const { organization } = await admin.createOrganization({ name: "Bench", plan: Plan.GEN_PRO, sandbox: true });
  const organizationId = organization?.id ?? "";
  const { apiKey } = await admin.createApiKey({ organizationId, name: "Bench" });
  await liftLimits(admin, organizationId);
  const authorization = `Bearer ${apiKey}`;
  const post = (path: string, body: object) => postJson(demo.baseUrl + path, authorization, body);
  const template = await post("/v1/click/templates", {
    ...{ name: "Terms of Service", slug: "terms-of-service", type: "STATIC" },
    counterparty: { legalName: "Example Ltd." },
  });
  const versions = `/v1/click/templates/${template.id}/versions`;
  const version = await post(versions, {
    ...{ locale: "en", title: "Terms of Service", buttonText: "I agree" },
    content: "<h1>Terms of Service</h1><p>You may use the service. We keep it running.</p>",
  });
  await post(`${versions}/${version.id}/publish`, {});
  return authorization;
}

async function postJson(url: string, authorization: string, body: object): Promise<{ readonly id: string }> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}
