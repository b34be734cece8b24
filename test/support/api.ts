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
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  }

  get = (path: string): Promise<Answer> => this.call("GET", path);
  post = (path: string, body: unknown): Promise<Answer> => this.call("POST", path, body);

  accept = (key: string, body: unknown): Promise<Answer> =>
    this.call("POST", "/v1/click/accept", body, { "x-idempotency-key": key });

  /** An access token of a new OAuth client would be asked for like this. */
  static async fetchToken(baseUrl: string, clientId: string, clientSecret: string, scope: string): Promise<Answer> {
    const response = await fetch(`${baseUrl}/oauth2/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: clientSecret,
        scope,
      }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
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

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
}
