import { createTestDatabase } from "#platform/testing/database.ts";
import { type Answer, type CallOptions, startTestGateway, type TestGateway } from "./test-gateway.ts";

export interface GenSetup {
  readonly gateway: TestGateway;
  readonly token: string;
  /** With a token that may do everything in document generation. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A published template's id. */
  publish(): Promise<string>;
  stop(): Promise<void>;
}

export async function startGenSetup(): Promise<GenSetup> {
  const database = await createTestDatabase();
  const gateway = await startTestGateway(database.url);
  const token = await gateway.auth.token("gen:read gen:write");
  const send: GenSetup["send"] = (method, path, body, headers = {}) => {
    const options: CallOptions = { token, headers, ...(body === undefined ? {} : { body }) };
    return gateway.call(method, path, options);
  };
  let count = 0;
  return {
    gateway,
    token,
    send,
    publish: async () => {
      count += 1;
      const body = { name: `Offer ${count}`, format: "html", content: "<p>{{ name }}</p>" };
      const { id } = (await send("POST", "/v1/gen/templates", body)).body;
      await send("POST", `/v1/gen/templates/${id}/publish`);
      return id;
    },
    stop: async () => {
      await gateway.stop();
      await database.drop();
    },
  };
}

export const rateHeadersOf = ({ headers }: Pick<Answer, "headers">) => ({
  limit: headers.get("x-ratelimit-limit"),
  remaining: headers.get("x-ratelimit-remaining"),
  reset: headers.get("x-ratelimit-reset"),
  retryAfter: headers.get("retry-after"),
});
