import { Api } from "./api.ts";
import type { System } from "./system.ts";

/** An access token with these scopes, of a new OAuth client. */
export async function withScopes(system: System, owner: Api, scopes: string): Promise<Api> {
  const { client, clientSecret } = await system.admin.createOAuthClient({
    organizationId: owner.organizationId,
    name: scopes,
    scopes: scopes.split(" "),
  });
  const token = await Api.fetchToken(owner.baseUrl, client?.id ?? "", clientSecret, scopes);
  if (token.status !== 200) throw new Error(`no token: ${JSON.stringify(token.body)}`);
  return owner.with({ token: token.body.access_token });
}

/** The body of an answer that has to be this one. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function bodyOf(status: number, answer: { status: number; body: any }): any {
  if (answer.status === status) return answer.body;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** A template of some type with one version of this content, published. */
export async function publishText(
  api: Api,
  fields: object,
  content: string,
): Promise<{ templateId: string; versionId: string; slug: string; path: string }> {
  const { id: templateId, slug } = bodyOf(201, await api.post("/v1/click/templates", fields));
  const versions = `/v1/click/templates/${templateId}/versions`;
  const { id: versionId } = bodyOf(201, await api.post(versions, { locale: "en", title: "Text", content }));
  const path = `${versions}/${versionId}`;
  bodyOf(200, await api.post(`${path}/publish`, {}));
  return { templateId, versionId, slug, path };
}

/** Publishes other content under the same version, as a new major or minor revision. */
export async function republish(api: Api, path: string, content: string, requireReacceptance: boolean): Promise<void> {
  bodyOf(200, await api.post(`${path}/publish`, { published: false }));
  bodyOf(200, await api.call("PATCH", path, { content }));
  bodyOf(200, await api.post(`${path}/publish`, { requireReacceptance }));
}

/** Asks for analytics (required) and marketing. */
export const consentTemplate = {
  name: "Privacy choices",
  type: "CONSENT",
  typeConfig: {
    controller: { name: "Acme Ltd", address: "1 Main Street", email: "privacy@example.com" },
    jurisdiction: "EU",
    privacyNoticeUrl: "https://www.example.com/privacy",
    withdrawalMethod: "Write to privacy@example.com.",
    purposes: [
      { key: "analytics", name: "Analytics", description: "We count visits.", required: true },
      { key: "marketing", name: "Marketing", description: "We send news." },
    ],
  },
} as const;

export const consentText =
  "<p>Acme Ltd asks for your consent. You can withdraw it at any time by writing to privacy@example.com.</p>";

export const generatedTemplate = {
  name: "Order terms",
  type: "GENERATED",
  typeConfig: { variables: [{ key: "buyer", type: "STRING" }] },
} as const;

export const generatedText = "<p>{{buyer}} buys.</p>";

/** A small PDF with so many pages, each of one line in plain ASCII. */
export function textPdf(...lines: readonly string[]): Buffer {
  const kids = lines.map((_, index) => `${index * 2 + 4} 0 R`).join(" ");
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${lines.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ...lines.flatMap((line, index) => {
      const content = `BT /F 18 Tf 60 700 Td (${line.replaceAll(/[\\()]/g, "\\$&")}) Tj ET`;
      const page = `/MediaBox[0 0 612 792]/Contents ${index * 2 + 5} 0 R/Resources<</Font<</F 3 0 R>>>>`;
      return [`<</Type/Page/Parent 2 0 R${page}>>`, `<</Length ${content.length}>>\nstream\n${content}\nendstream`];
    }),
  ];
  let file = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  file += `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}
