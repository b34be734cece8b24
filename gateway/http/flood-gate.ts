import type { Request, Response } from "express";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { FloodGuard } from "../limits/flood-guard.ts";
import type { Route } from "../routes/route.ts";
import { createAddressDialect } from "./address-dialect.ts";
import { tooManyRequests } from "./error-dialect.ts";
import { errorReply } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { readableAnywhere, sendReply } from "./reply.ts";

export interface FloodGateDeps {
  readonly floodGuard: Pick<FloodGuard, "take">;
  readonly routes: readonly Route[];
  readonly metrics: Pick<Metrics, "limiterRefusals">;
  readonly logger: Logger;
}

/** Whether a request may go on; one that may not has been answered. */
export type FloodGate = (req: Request, res: Response, exchange: Exchange) => boolean;

/** Load balancers ask here, often, and must not find a process unhealthy because of what others sent. */
const healthPath = "/healthz";

export function createFloodGate({ floodGuard, routes, metrics, logger }: FloodGateDeps): FloodGate {
  const dialectOf = createAddressDialect(routes);
  const isCrossOrigin = crossOriginMatcher(routes);
  return (req, res, exchange) => {
    if (req.url === healthPath) return true;
    exchange.grant = floodGuard.take(exchange.address);
    if (exchange.grant === undefined) return true;
    metrics.limiterRefusals.inc({ group: "flood" });
    const dialect = dialectOf(req.path);
    const reply = errorReply(tooManyRequests(dialect, exchange.grant), exchange, dialect, logger);
    sendReply(res, exchange, isCrossOrigin(req.path) ? readableAnywhere(reply) : reply);
    return false;
  };
}

/** Which addresses have answers that pages of every origin may read. */
function crossOriginMatcher(routes: readonly Route[]): (path: string) => boolean {
  const patterns = routes.filter(({ crossOrigin }) => crossOrigin === true).map(({ path }) => patternOf(path));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

function patternOf(path: string): RegExp {
  const literals = path.split(/\{\w+\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join("[^/]+")}$`);
}
