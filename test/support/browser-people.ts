import { request } from "node:http";
import { contractOf, requireConformance } from "./contract.ts";
import { noteExchange } from "./secrets.ts";

export interface PageAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
  /** The value of the session's cookie, when the answer sets one. */
  readonly cookie: string | undefined;
}

/** What a browser does in which somebody uses the dashboard: it keeps the cookie and sends the token against forgery. */
export class Browser {
  readonly baseUrl: string;
  cookie = "";
  csrfToken = "";
  /** The address it comes from; one of this machine. */
  readonly from: string;

  constructor(baseUrl: string, from = "127.0.0.1") {
    this.baseUrl = baseUrl;
    this.from = from;
  }

  async call(method: string, path: string, body?: unknown): Promise<PageAnswer> {
    const headers: Record<string, string> = {
      ...(this.cookie === "" ? {} : { cookie: `assent_session=${this.cookie}` }),
      ...(this.csrfToken === "" ? {} : { "x-csrf-token": this.csrfToken }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(JSON.stringify(body))) }),
      origin: this.baseUrl,
    };
    const answer = await this.send(method, path, headers, body === undefined ? "" : JSON.stringify(body));
    const parsed = answer.text === "" ? undefined : JSON.parse(answer.text);
    noteExchange(this.baseUrl, { path, headers: {}, body }, parsed);
    requireConformance(await contractOf(this.baseUrl), { method, path }, answer);
    const cookie = /^assent_session=([\w-]*);/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
    if (cookie !== undefined) this.cookie = cookie;
    const { csrfToken } = parsed?.session ?? parsed ?? {};
    if (typeof csrfToken === "string") this.csrfToken = csrfToken;
    return { status: answer.status, text: answer.text, body: parsed, cookie };
  }

  get = (path: string): Promise<PageAnswer> => this.call("GET", path);
  post = (path: string, body?: unknown): Promise<PageAnswer> => this.call("POST", path, body);

  login = (email: string, password: string): Promise<PageAnswer> =>
    this.post("/v1/dashboard/login", { email, password });

  private send(method: string, path: string, headers: Record<string, string>, body: string) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: Headers; text: string }>();
    const sent = request(
      `${this.baseUrl}${path}`,
      { method, headers, localAddress: this.from, agent: false },
      (res) => {
        const chunks: Buffer[] = [];
        res.on("data", (chunk: Buffer) => chunks.push(chunk));
        res.on("error", reject);
        res.on("end", () => {
          const pairs = Object.entries(res.headers).map(([name, value]): [string, string] => [name, String(value)]);
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: res.statusCode ?? 0, headers: new Headers(pairs), text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
    return promise;
  }
}
