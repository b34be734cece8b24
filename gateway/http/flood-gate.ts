import type { Request, Response } from "express";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { FloodGuard } from "../limits/flood-guard.ts";
import type { Route } from "../routes/route.ts";
import { clickDialect, type ErrorDialect, oauthDialect, standardDialect } from "./error-dialect.ts";
import { errorReply } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { sendReply } from "./reply.ts";

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
  const tokenPaths = new Set(routes.filter(({ dialect }) => dialect === oauthDialect).map(({ path }) => path));
  return (req, res, exchange) => {
    if (req.url === healthPath) return true;
    exchange.grant = floodGuard.take(exchange.address);
    if (exchange.grant === undefined) return true;
    metrics.limiterRefusals.inc({ group: "flood" });
    const dialect = dialectOf(req.path, tokenPaths);
    sendReply(res, exchange, errorReply(new DomainError(dialect.rateLimited), exchange, dialect, logger));
    return false;
  };
}

/** No route has been looked up yet, so the address alone says how its errors look. */
function dialectOf(path: string, tokenPaths: ReadonlySet<string>): ErrorDialect {
  if (path.startsWith("/v1/click/")) return clickDialect;
  return tokenPaths.has(path) ? oauthDialect : standardDialect;
}
