import { type Asked, contractOf, requireConformance } from "./contract.ts";
import { type NotedRequest, noteExchange } from "./secrets.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body, or the text of any other; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** The REST API as a customer's backend calls it. */
export class Api {
  readonly baseUrl: string;
  readonly token: string;
  readonly organizationId: string;

  constructor(baseUrl: string, token: string, organizationId: string) {
    this.baseUrl = baseUrl;
    this.token = token;
    this.organizationId = organizationId;
  }

  /** The same organization through another credential or another gateway. */
  with(changes: { token?: string; baseUrl?: string }): Api {
    return new Api(changes.baseUrl ?? this.baseUrl, changes.token ?? this.token, this.organizationId);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const sent = {
      authorization: `Bearer ${this.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return readAnswer(response, this.baseUrl, { method, path, headers: sent, body });
  }

  get = (path: string): Promise<Answer> => this.call("GET", path);
  post = (path: string, body: unknown): Promise<Answer> => this.call("POST", path, body);

  accept = (key: string, body: unknown): Promise<Answer> =>
    this.call("POST", "/v1/click/accept", body, { "x-idempotency-key": key });

  /** An access token of a new OAuth client would be asked for like this. */
  static async fetchToken(baseUrl: string, clientId: string, clientSecret: string, scope: string): Promise<Answer> {
    const path = "/oauth2/token";
    const headers = { "content-type": "application/json" };
    const body = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope };
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    return readAnswer(response, baseUrl, { method: "POST", path, headers, body });
  }

  /** A published template; what most tests begin with. */
  async publishTemplate(fields: object = {}): Promise<{ templateId: string; versionId: string; slug: string }> {
    const template = await this.post("/v1/click/templates", { name: "Terms", type: "STATIC", ...fields });
    const versions = `/v1/click/templates/${template.body.id}/versions`;
    const version = await this.post(versions, { locale: "en", title: "Terms", content: "<p>Be kind.</p>" });
    const published = await this.post(`${versions}/${version.body.id}/publish`, {});
    if (published.status !== 200) throw new Error(`not published: ${JSON.stringify(published.body)}`);
    return { templateId: template.body.id, versionId: version.body.id, slug: template.body.slug };
  }
}

/** Throws when the answer is not what the OpenAPI document says. */
async function readAnswer(response: Response, baseUrl: string, request: Asked & NotedRequest): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const body = bodyOf(text, headers);
  noteExchange(baseUrl, request, body);
  requireConformance(await contractOf(baseUrl), request, { status, headers, text });
  return { status, headers, body };
}

function bodyOf(text: string, headers: Headers): unknown {
  if (text === "") return undefined;
  return headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
}
