import { randomUUID } from "node:crypto";
import type { Demo } from "../demo.ts";

/** What the shop's backend answers to its own page. */
export interface ShopAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly cookie?: string;
}

/** The part of the shop that knows the API key. */
interface ShopBackend {
  /** Who the cookie says the visitor is, and where they stand with the terms; a newcomer gets a cookie. */
  readVisitor(cookie: string): Promise<ShopAnswer>;
  /** The next visit is that of a newcomer. */
  forgetVisitor(): ShopAnswer;
  createSession(body: Readonly<Record<string, unknown>>, cookie: string): Promise<ShopAnswer>;
  /** Takes what the page hands over and records it under a key of its own. */
  recordDecision(acceptance: Readonly<Record<string, unknown>>, ip: string): Promise<ShopAnswer>;
  readEvidence(sessionId: string): Promise<ShopAnswer>;
}

export function createShopBackend(demo: Demo): ShopBackend {
  const { terms, choices } = demo.deployments;
  const places = new Map([
    ["terms", { templateSlug: termsSlug, deploymentId: terms.id }],
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
    readVisitor: async (cookie) => {
      const known = visitorIn(cookie);
      const visitor = known ?? randomUUID();
      const response = await call("GET", `/v1/click/consent/${userRefOf(visitor)}`);
      if (!response.ok) return json(response.status, await response.json());
      const { agreements } = (await response.json()) as { agreements: Agreement[] };
      const accepted = agreements.find(({ templateSlug }) => templateSlug === termsSlug) ?? null;
      const mustAccept = accepted?.status !== "ACCEPTED" || accepted.reacceptanceRequired;
      const answer = json(200, { userRef: userRefOf(visitor), accepted, mustAccept });
      return known === undefined ? { ...answer, cookie: cookieOf(visitor, year) } : answer;
    },
    forgetVisitor: () => ({ ...json(200, {}), cookie: cookieOf("", 0) }),
    createSession: async ({ place }, cookie) => {
      const named = places.get(String(place)) ?? (await placeOf(String(place)));
      if (named === undefined) return json(404, { errorCode: "NO_SUCH_PLACE" });
      const userRef = userRefOf(visitorIn(cookie) ?? randomUUID());
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

const termsSlug = "terms-of-service";

/** What the API says of the text that somebody decided on last; the page reads its label and time. */
interface Agreement {
  readonly templateSlug: string;
  readonly status: string;
  readonly reacceptanceRequired: boolean;
}

// A shop with logins knows its users by their accounts. This one keeps a name for each browser.
const userRefOf = (visitor: string): string => `visitor-${visitor}`;
const visitorIn = (cookie: string): string | undefined =>
  /(?:^|; )demo-visitor=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:;|$)/.exec(cookie)?.[1];
const year = 31_536_000;
const cookieOf = (visitor: string, seconds: number): string =>
  `demo-visitor=${visitor}; Path=/demo; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
