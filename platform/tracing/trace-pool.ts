import type pg from "pg";
import { noopTracer, type SpanAttributes, type Tracer } from "../telemetry.ts";

type Query = (...args: unknown[]) => unknown;

/** Makes a span of each statement of the pool that is sent within another one. Spans hold no text and no values. */
export function tracePool(pool: pg.Pool, tracer: Tracer = noopTracer): void {
  if (tracer.isOn !== true) return;
  const trace = (target: { query: unknown }): void => {
    target.query = tracedQuery((target.query as Query).bind(target), tracer);
  };
  // A pool queries one of its clients with a callback, which is left alone there.
  trace(pool as { query: unknown });
  pool.on("connect", (client) => trace(client as { query: unknown }));
}

const tracedQuery =
  (query: Query, tracer: Tracer): Query =>
  (...args) => {
    const parent = tracer.active?.();
    const statement = parent === undefined || typeof args.at(-1) === "function" ? undefined : statementOf(args[0]);
    if (statement === undefined) return query(...args);
    const { name, attributes } = describeStatement(statement);
    const span = tracer.startSpan(name, "client", parent, { attributes });
    return (query(...args) as Promise<unknown>).then(
      (result) => {
        span.end();
        return result;
      },
      (error: unknown) => {
        span.end(error);
        throw error;
      },
    );
  };

interface Statement {
  readonly text: string;
  readonly name?: string | undefined;
}

/** Undefined for cursors and the like. */
export function statementOf(query: unknown): Statement | undefined {
  if (typeof query === "string") return { text: query };
  if (typeof query !== "object" || query === null || "submit" in query) return undefined;
  const { text, name } = query as { readonly text?: unknown; readonly name?: unknown };
  return typeof text === "string" ? { text, name: typeof name === "string" ? name : undefined } : undefined;
}

const verbPattern = /^\s*([a-z]{1,20})\b/i;
// Names of ours have their schema or stand in quotes; what is written is told before what is read for it.
const writtenPattern = /\b(?:into|update)\s+("?[a-z_]+"?\."?[a-z_]+"?|"[a-z_]+")/i;
const readPattern = /\b(?:from|join)\s+("?[a-z_]+"?\."?[a-z_]+"?|"[a-z_]+")/i;

/** The name that the statement was given; else its first word and a table, which hold no values. */
export function describeStatement({ text, name }: Statement): { name: string; attributes: SpanAttributes } {
  const operation = verbPattern.exec(text)?.[1]?.toLowerCase() ?? "statement";
  const table = (writtenPattern.exec(text) ?? readPattern.exec(text))?.[1]?.replaceAll('"', "");
  const attributes = {
    "db.system.name": "postgresql",
    "db.operation.name": operation,
    ...(table === undefined ? {} : { "db.collection.name": table }),
  };
  return { name: name ?? (table === undefined ? operation : `${operation} ${table}`), attributes };
}
