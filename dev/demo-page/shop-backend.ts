import { randomUUID } from "node:crypto";
import type { Demo } from "../demo.ts";

/** What the shop's backend answers to its own page. */
export interface ShopAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The part of the shop that knows the API key. */
export interface ShopBackend {
  createSession(body: Readonly<Record<string, unknown>>): Promise<ShopAnswer>;
  /** Takes what the page hands over and records it under a key of its own. */
  recordDecision(acceptance: Readonly<Record<string, unknown>>, ip: string): Promise<ShopAnswer>;
  readEvidence(sessionId: string): Promise<ShopAnswer>;
}

export function createShopBackend(demo: Demo): ShopBackend {
  const { terms, choices } = demo.deployments;
  const places = new Map([
    ["terms", { templateSlug: "terms-of-service", deploymentId: terms.id }],
    ["choices", { templateSlug: "your-choices", deploymentId: choices.id }],
  ]);
  // What somebody else's page sends about sessions of others must not be recorded in their name.
  const sessions = new Set<string>();
  const call = async (method: "GET" | "POST", path: string, body?: object, key?: string): Promise<Response> =>
    fetch(demo.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${demo.apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "x-idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const read = async (path: string): Promise<unknown> => {
    const response = await call("GET", path);
    return response.ok ? response.json() : undefined;
  };
  /** What a session of a deployment names; only the key is public, as it would be on a page. */
  const placeOf = async (key: string): Promise<object | undefined> => {
    if (!/^dep_[0-9A-Za-z]{22}$/.test(key)) return undefined;
    const rendering = (await read(`/v1/click/render/${key}?format=json`)) as { templateId: string } | undefined;
    if (rendering === undefined) return undefined;
    const { templateId } = rendering;
    const deployments = (await read(`/v1/click/templates/${templateId}/deployments`)) as { id: string; key: string }[];
    const found = deployments.find((deployment) => deployment.key === key);
    return found && { templateId, deploymentId: found.id };
  };
  return {
    createSession: async ({ place }) => {
      const named = places.get(String(place)) ?? (await placeOf(String(place)));
      if (named === undefined) return json(404, { errorCode: "NO_SUCH_PLACE" });
      const userRef = `visitor-${randomUUID()}`;
      const response = await call("POST", "/v1/click/sessions", { ...named, userRef });
      const session = (await response.json()) as { id: string; renderUrl: string };
      if (!response.ok) return json(response.status, session);
      sessions.add(session.id);
      return json(201, { sessionId: session.id, userRef, renderUrl: session.renderUrl });
    },
    recordDecision: async (acceptance, ip) => {
      const { sessionId } = acceptance;
      if (typeof sessionId !== "string" || !sessions.has(sessionId)) return json(404, { errorCode: "NO_SUCH_SESSION" });
      const context = { ...(acceptance.context as object | undefined), ip };
      // A session is decided once, so its id makes the key: whatever is repeated, there is one record.
      const response = await call("POST", "/v1/click/accept", { ...acceptance, context }, `demo:${sessionId}`);
      return json(response.status, await response.json());
    },
    readEvidence: async (sessionId) => {
      if (!sessions.has(sessionId)) return json(404, { errorCode: "NO_SUCH_SESSION" });
      const response = await call("GET", `/v1/click/evidence/${sessionId}`);
      return json(response.status, await response.json());
    },
  };
}

const json = (status: number, body: unknown): ShopAnswer => ({
  status,
  type: "application/json; charset=utf-8",
  body: JSON.stringify(body, null, 2),
});
