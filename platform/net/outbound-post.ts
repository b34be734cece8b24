import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { beforeAbort, type Deadline, startDeadline } from "./deadline.ts";
import type { Egress } from "./egress-proxy.ts";
import { createNameResolver, type ResolveNames } from "./name-resolver.ts";
import { connectToAny } from "./outbound-connect.ts";
import { exchange, type OutboundAnswer } from "./outbound-exchange.ts";
import { type FailureReason, failureOf, OutboundFailure } from "./outbound-failure.ts";
import { hostOf, isOpenAddress, type OutboundRules, outboundUrlProblem, portOf } from "./outbound-url.ts";

export interface OutboundRequest {
  readonly url: string;
  /** Those of the connection (Host, Content-Length, Transfer-Encoding and so on) are set by the poster. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
  /** For everything from looking up the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Ends the attempt; it then failed with "connection". */
  readonly signal?: AbortSignal;
}

export type OutboundResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The header as it came, at most 64 characters. */
      readonly retryAfter?: string;
      /** The first 1,024 characters of the body without control characters; empty when it is compressed. */
      readonly excerpt: string;
      readonly durationMs: number;
    }
  | {
      readonly kind: "failed";
      readonly reason: FailureReason;
      /** A sentence for the customer. It repeats nothing that the receiver sent, and no address. */
      readonly message: string;
      readonly durationMs: number;
    };

export interface OutboundPoster {
  /** One attempt. Never rejects. Redirects are answers like others. */
  post(request: OutboundRequest): Promise<OutboundResult>;
  /** Ends the attempts under way, and resolves when all of them have. Later ones fail. */
  close(): Promise<void>;
}

export interface OutboundPosterOptions {
  readonly rules: OutboundRules;
  readonly resolve?: ResolveNames;
  /** The proxy of the operator's network, which is told addresses that were checked; absent: directly. */
  readonly egress?: Egress | undefined;
  /** Attempts at once; 1,000 when absent. More wait for their turn, and their time begins only then. */
  readonly maxSockets?: number;
  /** PEM; instead of the authorities that Node trusts. For tests. */
  readonly ca?: string;
}

const defaultMaxSockets = 1_000;

/**
 * Posts to addresses that customers name. Both the URL and each address are checked at each attempt, and connections
 * go to the addresses that were checked, over TLS whose certificate is for the URL's host. No connection is used twice,
 * no redirect followed, no proxy of the environment used, no answer inflated; of an answer at most 16 KiB of headers and 64 KiB of body
 * are read. Nothing is logged.
 */
export function createOutboundPoster(options: OutboundPosterOptions): OutboundPoster {
  const { rules, resolve = createNameResolver(rules), egress, ca, maxSockets = defaultMaxSockets } = options;
  const secureContext = createSecureContext({ minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) });
  const slots = createSlots(maxSockets);
  const closing = new AbortController();
  const running = new Set<Promise<OutboundResult>>();

  const postInTurn = async (request: OutboundRequest): Promise<OutboundResult> => {
    const cancelled = linkedSignal([closing.signal, request.signal]);
    try {
      const release = await slots.take(cancelled.signal);
      if (release === undefined) return { ...failedResult(cancelledFailure()), durationMs: 0 };
      try {
        return await attempt(request, { rules, resolve, egress, secureContext, cancelled: cancelled.signal });
      } finally {
        release();
      }
    } finally {
      cancelled.unlink();
    }
  };
  return {
    post: async (request) => {
      const result = postInTurn(request);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    close: async () => {
      closing.abort();
      await Promise.all(running);
    },
  };
}

interface AttemptParts {
  readonly rules: OutboundRules;
  readonly resolve: ResolveNames;
  readonly egress: Egress | undefined;
  readonly secureContext: SecureContext;
  readonly cancelled: AbortSignal;
}

async function attempt(request: OutboundRequest, parts: AttemptParts): Promise<OutboundResult> {
  const late = () => new OutboundFailure("timeout", `There was no full answer within ${request.timeoutMs} ms.`);
  const deadline = startDeadline(request.timeoutMs, late);
  const onCancel = (): void => deadline.end(cancelledFailure());
  parts.cancelled.addEventListener("abort", onCancel);
  const durationMs = (): number => Math.round(deadline.elapsedMs());
  try {
    const answer = await send(request, parts, deadline);
    return { kind: "answered", ...answer, durationMs: durationMs() };
  } catch (error) {
    return { ...failedResult(failureOf(error, "exchange")), durationMs: durationMs() };
  } finally {
    parts.cancelled.removeEventListener("abort", onCancel);
    deadline.clear();
  }
}

async function send(request: OutboundRequest, parts: AttemptParts, deadline: Deadline): Promise<OutboundAnswer> {
  const problem = outboundUrlProblem(request.url, parts.rules);
  if (problem !== undefined) throw new OutboundFailure("refused-address", `The URL ${problem}.`);
  const url = new URL(request.url);
  const isTls = url.protocol === "https:";
  const target = { isTls, host: hostOf(url), port: portOf(url) };
  const addresses = await allowedAddresses(target, parts, deadline.signal);
  const { secureContext, egress } = parts;
  const socket = await connectToAny(target, addresses, { secureContext, deadline, egress });
  const message = { path: url.pathname + url.search, headers: headersOf(request, url), body: request.body };
  return exchange(socket, message, deadline.signal);
}

const ownHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** With the host as in the URL, and its port if that is not the usual one. */
function headersOf({ headers }: OutboundRequest, url: URL): Record<string, string> {
  const others = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  const hostname = url.hostname.startsWith("[") ? url.hostname : hostOf(url);
  const host = url.port === "" ? hostname : `${hostname}:${url.port}`;
  return { "accept-encoding": "identity", ...Object.fromEntries(others), host };
}

const cancelledFailure = () => new OutboundFailure("connection", "The attempt was ended before there was an answer.");

const failedResult = ({ reason, message }: OutboundFailure) => ({ kind: "failed", reason, message }) as const;

/** Aborted with the first of the signals. Unlike AbortSignal.any, it leaves nothing at signals that live long. */
function linkedSignal(signals: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort);
  }
  const unlink = (): void => {
    for (const signal of signals) signal?.removeEventListener("abort", onAbort);
  };
  return { signal: controller.signal, unlink };
}

/** A bounded number of things at once; the others wait in order. */
interface Slots {
  /** Resolves to what gives the slot back, or to undefined when the signal is aborted before there is one. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  return {
    take: async (signal) => {
      if (signal.aborted) return undefined;
      if (free > 0) {
        free -= 1;
        return release;
      }
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const start = (): void => {
        waiting.delete(start);
        signal.removeEventListener("abort", giveUp);
        resolve(release);
      };
      const giveUp = (): void => {
        waiting.delete(start);
        resolve(undefined);
      };
      waiting.add(start);
      signal.addEventListener("abort", giveUp, { once: true });
      return promise;
    },
  };
}

interface AddressParts {
  readonly rules: OutboundRules;
  readonly resolve: ResolveNames;
}

/** So that a name with very many addresses is no way to have them all tried. */
const maxAddresses = 8;

/**
 * The addresses of a host that may be connected to, at least one and at most 8; the host may be an address itself,
 * without brackets. Looks a name up once. Rejects with an OutboundFailure, or with the signal's reason.
 */
export async function allowedAddresses(
  target: { readonly host: string; readonly port: number },
  { rules, resolve }: AddressParts,
  signal: AbortSignal,
): Promise<string[]> {
  const { host } = target;
  const found = isIP(host) === 0 ? await beforeAbort(lookUp(host, resolve), signal) : [host];
  const allowed = found.filter((address) => rules.allowPrivate || isOpenAddress(address, target, rules));
  if (allowed.length === 0) throw new OutboundFailure("refused-address", "The host has no public address.");
  return allowed.slice(0, maxAddresses);
}

async function lookUp(host: string, resolve: ResolveNames): Promise<string[]> {
  const addresses = await addressesOf(host, resolve);
  // Only addresses: a name would be looked up again when connecting, and could be another one by then.
  const usable = addresses.filter((address) => isIP(address) !== 0);
  if (usable.length === 0) throw new OutboundFailure("dns", "The host name does not resolve.");
  return usable;
}

async function addressesOf(host: string, resolve: ResolveNames): Promise<string[]> {
  try {
    return (await resolve(host)).map(({ address }) => address);
  } catch {
    return [];
  }
}
