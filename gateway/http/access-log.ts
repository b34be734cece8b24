import type { Request, Response } from "express";
import { type Logger, withoutRedaction } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { traceId } from "#platform/trace-context.ts";
import type { NoteUse } from "../limits/use-report.ts";
import type { Exchange } from "./exchange.ts";

export interface AccessLogDeps {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "httpDuration">;
  readonly noteUse: NoteUse;
}

/** Writes one line per request and measures it, however it ends. */
export type LogWhenClosed = (req: Request, res: Response, exchange: Exchange) => void;

/** What nginx calls a client that went away before the answer. */
const clientClosed = 499;

export function createAccessLog({ logger, metrics, noteUse }: AccessLogDeps): LogWhenClosed {
  // Every field of the line is named here and none is a secret; searching them for some took longer than writing it.
  const lines = withoutRedaction(logger);
  return (req, res, exchange) => {
    res.on("close", () => {
      const { requestId, traceparent, startedAt, route = "unknown", principal } = exchange;
      const elapsedMs = performance.now() - startedAt;
      const status = res.writableFinished ? res.statusCode : clientClosed;
      metrics.httpDuration.observe({ route, method: req.method, status }, elapsedMs / 1000);
      if (principal !== undefined) noteUse(principal.orgId, elapsedMs, status === 429);
      exchange.span.note?.(
        {
          "http.request.method": req.method,
          "http.route": route,
          "http.response.status_code": status,
          ...(principal === undefined ? {} : { "assent.organization_id": principal.orgId }),
        },
        `${req.method} ${route}`,
      );
      exchange.span.end(status >= 500 ? { code: String(status) } : undefined);
      const line = {
        requestId,
        traceId: traceId(traceparent),
        orgId: principal?.orgId,
        clientId: principal?.clientId,
        method: req.method,
        route,
        status,
        ms: Math.round(elapsedMs * 10) / 10,
      };
      lines.info(line, "request");
    });
  };
}
