import type { CallOptions } from "@connectrpc/connect";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { ErrorCode } from "#platform/errors.ts";
import type { LimitGroup } from "../auth/organization-limits.ts";
import type { Scope } from "../auth/scopes.ts";
import type { ErrorDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import type { Services } from "./services.ts";

/** JSON Schema 2020-12, which is also what OpenAPI 3.1 documents. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Who may call an operation. */
export interface ProtectedAccess {
  /** Any one of them is enough. */
  readonly scopes: readonly Scope[];
  readonly limitGroup: LimitGroup;
}

/** The network side of a request. */
export interface Observed {
  readonly ip: string;
  readonly userAgent: string;
}

/** A request that has passed every check of its route. */
export interface RouteRequest<Path extends string = string, Query = unknown, Body = unknown> {
  /** In the form in which our ids are written. */
  readonly params: Readonly<Record<PathParam<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly observed: Observed;
  /** Empty unless the route wants one. */
  readonly idempotencyKey: string;
  /** The Authorization header; only the token endpoint reads it. */
  readonly authorization: string | undefined;
}

type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never;

/** A body and its type; the type exists for the compiler only. */
export interface BodySpec<Body> {
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly maxBytes: number;
  readonly form: boolean;
  readonly example?: unknown;
  readonly bodyType?: Body;
}

/** Query parameters: booleans, integers or texts, never repeated. */
export interface QuerySpec<Query> {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly queryType?: Query;
}

/** What an operation answers when it succeeds. */
export interface Success {
  readonly status: number;
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Default application/json. */
  readonly contentType?: string;
  /** Headers of its own, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Another status that it also succeeds with, and when. */
  readonly also?: Readonly<Record<number, string>>;
}

/** One operation of the API: data for the executor and for the OpenAPI document. */
export interface RouteDescription<Path extends string = string, Query = unknown, Body = unknown> {
  readonly operationId: string;
  readonly method: Method;
  /** With `{name}` for parameters, all of which are UUIDs. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: ProtectedAccess | "public";
  readonly dialect: ErrorDialect;
  /** The answer when a path parameter is no UUID, and so names nothing. */
  readonly notFound?: Readonly<Record<PathParam<Path>, ErrorCode>>;
  readonly query?: QuerySpec<Query>;
  readonly body?: BodySpec<Body>;
  readonly needsIdempotencyKey?: boolean;
  readonly success: Success;
  /** Errors beyond those that every operation has. */
  readonly errors: readonly ErrorCode[];
}

interface RouteRow<Path extends string, Query, Body, Answer> extends RouteDescription<Path, Query, Body> {
  call(request: RouteRequest<Path, Query, Body>, services: Services): Promise<Answer>;
  respond(answer: Answer, request: RouteRequest<Path, Query, Body>): Reply;
}

/** A row of a route table whose types have been checked. */
export interface Route extends RouteDescription {
  handle(request: RouteRequest, services: Services): Promise<Reply>;
}

/** Checks a row against the generated clients: a renamed field of a message fails the compiler here. */
export function defineRoute<const Path extends string, Query, Body, Answer>(
  row: RouteRow<Path, Query, Body, Answer>,
): Route {
  const { call, respond, ...description } = row;
  return {
    ...(description as RouteDescription),
    handle: async (request, services) => {
      const checked = request as RouteRequest<Path, Query, Body>;
      return respond(await call(checked, services), checked);
    },
  };
}

/** A body of JSON that has been validated against a schema of this type. */
export const jsonBody = <Body>(spec: {
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly maxBytes?: number;
  readonly example?: unknown;
}): BodySpec<Body> => ({ required: true, maxBytes: 262_144, form: false, ...spec });

/** Query parameters that have been validated against schemas of this type; all of them may be absent. */
export const queryOf = <Query>(properties: Readonly<Record<keyof Query & string, JsonSchema>>): QuerySpec<Query> => ({
  properties,
});

/** Makes an RPC on behalf of the caller of a request. */
export const onBehalfOf = ({ caller }: Pick<RouteRequest, "caller">): CallOptions => ({
  headers: callerHeaders(caller),
});
