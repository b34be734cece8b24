import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../../support/api.ts";
import type { Random } from "../accept-history/random.ts";

/** A customer's backend. */
export interface Visitor {
  readonly api: Api;
  readonly gateways: readonly string[];
  readonly templateSlug: string;
  readonly credentials: { readonly client_id: string; readonly client_secret: string };
  /** What it reads, of one service each. */
  readonly paths: readonly string[];
}

export interface Load {
  /** What has happened since the last look. */
  look(): LoadReport;
  /** Ends it, once what is under way is answered. */
  stop(): Promise<LoadReport>;
  /** Receipts by idempotency key, since the beginning. */
  readonly receipts: ReadonlyMap<string, string>;
}

export interface LoadReport {
  readonly requests: number;
  /** Sent again after 503, after a refused connection, and after one that broke. */
  readonly unavailable: number;
  readonly refused: number;
  readonly broken: number;
  /** What the customer would have seen. */
  readonly failures: readonly string[];
  /** From the first try to the answer, in milliseconds, each wait included. */
  readonly longestMs: number;
}

export const noReport: LoadReport = {
  ...{ requests: 0, unavailable: 0, refused: 0, broken: 0, failures: [], longestMs: 0 },
};

export interface LoadOptions {
  readonly random: Random;
  /** Requests a second, of all clients together. */
  readonly perSecond: number;
}

type Counts = { -readonly [K in keyof LoadReport]: LoadReport[K] extends readonly string[] ? string[] : number };
interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
  readonly expected: readonly number[];
}

const clients = 8;
const attemptTimeoutMs = 10_000;
/** As long as a customer asks again for one answer. */
const patienceMs = 60_000;

/** Clients that send what may be sent again, and send it again as docs/limits.md and docs/click.md say. */
export function startLoad(visitor: Visitor, { random, perSecond }: LoadOptions): Load {
  const receipts = new Map<string, string>();
  let counts = noCounts();
  let isStopped = false;
  const running = Array.from({ length: clients }, async (_, client) => {
    const own = random.fork(client);
    for (let n = 0; !isStopped; n += 1) {
      const key = `client-${client}-request-${n}`;
      const request = own.chance(0.4) ? acceptance(visitor, key) : own.pick(others(visitor));
      await perform(
        visitor,
        own,
        request,
        () => counts,
        (body) => {
          if (request.path === acceptPath) receipts.set(key, (body as { receiptId: string }).receiptId);
        },
      );
      await delay(own.between(0, (2_000 * clients) / perSecond));
    }
  });
  const look = (): LoadReport => {
    const seen = counts;
    counts = noCounts();
    return seen;
  };
  const stop = async (): Promise<LoadReport> => {
    isStopped = true;
    await Promise.all(running);
    return look();
  };
  return { look, stop, receipts };
}

const noCounts = (): Counts => ({ ...noReport, failures: [] });

const acceptPath = "/v1/click/accept";

const acceptance = ({ api, templateSlug }: Visitor, key: string): Request => ({
  ...{ method: "POST", path: acceptPath, expected: [200, 201] },
  headers: { authorization: `Bearer ${api.token}`, "x-idempotency-key": key },
  body: { templateSlug, userRef: "ada" },
});

const others = ({ api, paths, credentials }: Visitor): Request[] => [
  ...paths.map((path) => ({
    ...{ method: "GET", path, expected: [200] },
    headers: { authorization: `Bearer ${api.token}` },
  })),
  {
    ...{ method: "POST", path: "/oauth2/token", expected: [200] },
    body: { grant_type: "client_credentials", ...credentials, scope: "click:read" },
  },
];

/** One request until it is answered. */
async function perform(
  { gateways }: Visitor,
  random: Random,
  request: Request,
  counts: () => Counts,
  done: (body: unknown) => void,
): Promise<void> {
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  for (let first = random.integer(gateways.length); ; first += 1) {
    const answer = await send(gateways[first % gateways.length] ?? "", request);
    if (answer.kind === "answered" && request.expected.includes(answer.status)) {
      counts().requests += 1;
      counts().longestMs = Math.max(counts().longestMs, Math.round(elapsed()));
      done(answer.body);
      return;
    }
    const mayTryAgain = answer.kind !== "answered" || answer.status === 503;
    if (!mayTryAgain || elapsed() > patienceMs) {
      counts().requests += 1;
      counts().failures.push(`${request.method} ${request.path}: ${JSON.stringify(answer)}`);
      return;
    }
    counts()[answer.kind === "answered" ? "unavailable" : answer.kind] += 1;
    // Another gateway is asked at once, as a load balancer would; whoever is told when to come again comes then.
    await delay((answer.kind === "answered" ? answer.retryAfter * 1_000 : 50) * random.between(0.9, 1.1));
  }
}

type Sent =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: number; readonly body: unknown }
  | { readonly kind: "refused" | "broken"; readonly reason: string };

async function send(gateway: string, { method, path, headers, body }: Request): Promise<Sent> {
  try {
    const response = await fetch(gateway + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(attemptTimeoutMs),
    });
    const retryAfter = Number(response.headers.get("retry-after") ?? 1);
    return { kind: "answered", status: response.status, retryAfter, body: await response.json() };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { kind: code === "ECONNREFUSED" ? "refused" : "broken", reason: code ?? (error as Error).name };
  }
}
