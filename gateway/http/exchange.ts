import { isIP } from "node:net";
import type { Request, Response } from "express";
import type { NewId } from "#platform/ids.ts";
import { noopTracer, type Span, type Tracer } from "#platform/telemetry.ts";
import { continueTrace, isTraceparent } from "#platform/trace-context.ts";
import type { Principal } from "../auth/principal.ts";
import type { Grant } from "../limits/window-store.ts";

/** The host name of an organization at which a request came in. */
export interface PageHost {
  readonly host: string;
  readonly organizationId: string;
}

/** The state of one request while it is served. */
export interface Exchange {
  readonly requestId: string;
  readonly traceparent: string;
  /** The request in its trace. */
  readonly span: Span;
  /** From performance.now(), in milliseconds. */
  readonly startedAt: number;
  /** Where it is from. */
  readonly address: string;
  /** The path of the route that serves it, as in the route table. */
  route: string | undefined;
  principal: Principal | undefined;
  /** Present at a host name of an organization, where only what is of it is shown. */
  pageHost: PageHost | undefined;
  /** What the rate limiter said. */
  grant: Grant | undefined;
  /** The Set-Cookie header that renews a session, if its token was replaced. */
  newCookie: string | undefined;
}

function traceOf({ headers: { traceparent } }: Request): string | undefined {
  return typeof traceparent === "string" && isTraceparent(traceparent) ? traceparent : undefined;
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Assigns a request its id and trace context, before anything can fail. */
export function openExchange(req: Request, res: Response, newId: NewId, tracer: Tracer = noopTracer): Exchange {
  const { requestId, traceparent: unrecorded } = identify(req.headers, newId);
  const span = tracer.startSpan(req.method, "server", traceOf(req), { mayBegin: true });
  const traceparent = tracer.isOn === true && span.note !== undefined ? span.traceparent : unrecorded;
  const startedAt = performance.now();
  const exchange: Exchange = {
    requestId,
    traceparent,
    span,
    startedAt,
    address: clientAddressOf(req),
    route: undefined,
    principal: undefined,
    pageHost: undefined,
    grant: undefined,
    newCookie: undefined,
  };
  res.locals.exchange = exchange;
  return exchange;
}

/** The exchange of a response that openExchange has seen. */
export const exchangeOf = (res: Response): Exchange => res.locals.exchange as Exchange;

/** The ids of a request: the caller's where they are well-formed, else new ones. */
export function identify(
  headers: Readonly<Record<string, unknown>>,
  newId: NewId,
): { requestId: string; traceparent: string } {
  const { "x-request-id": sent, traceparent } = headers;
  return {
    requestId: typeof sent === "string" && requestIdPattern.test(sent) ? sent : newId(),
    traceparent: continueTrace(typeof traceparent === "string" ? traceparent : undefined),
  };
}

/**
 * The client's address as reported by trusted proxies. If a proxy passes on something that is not an address,
 * the proxy's own counts, so that nobody can choose what is counted, recorded and logged.
 */
export function clientAddressOf(req: Pick<Request, "ip" | "socket">): string {
  const told = plainAddress(req.ip ?? "");
  if (isIP(told) !== 0) return told;
  const withoutPort = withPort.exec(told.slice(0, 60));
  const address = withoutPort?.[1] ?? withoutPort?.[2] ?? "";
  return isIP(address) === 0 ? plainAddress(req.socket.remoteAddress ?? "") : plainAddress(address);
}

/** Some proxies tell the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withPort = /^(?:([\d.]+)|\[([\da-f:.]+)\])(?::\d+)?$/i;

/** An IPv4 client of a socket that listens on IPv6 looks like ::ffff:192.0.2.1. */
const plainAddress = (address: string): string => (/^::ffff:\d+\./i.test(address) ? address.slice(7) : address);
