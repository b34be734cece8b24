import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { type BenchSystem, liftLimits } from "../system.ts";

/**
 * An organization for each of the URLs, which is told of its acceptances there, with a text to accept and without
 * limits. Answers what its requests have as Authorization.
 */
export async function makeOrganizations(system: BenchSystem, urls: readonly string[]): Promise<readonly string[]> {
  const authorizations: string[] = [];
  for (const url of urls) authorizations.push(await makeOne(system, url));
  return authorizations;
}

async function makeOne({ admin, demo }: BenchSystem, url: string): Promise<string> {
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
  await post("/v1/webhooks/endpoints", { url, eventTypes: ["click.acceptance.recorded"] });
  return authorization;
}

async function postJson(url: string, authorization: string, body: object): Promise<{ readonly id: string }> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}
