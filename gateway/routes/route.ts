import type { IncomingHttpHeaders } from "node:http";
import type { CallOptions } from "@connectrpc/connect";
import type { JsonSchema } from "#api/kinds.ts";
import type { ChangeOf, CreateOf, Table } from "#api/members.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import type { ErrorCode } from "#platform/errors.ts";
import type { LimitGroup } from "../auth/organization-limits.ts";
import { isDashboardScope, type Scope, type SessionUser } from "../auth/principal.ts";
import type { RenderGrant } from "../auth/render-token.ts";
import type { DocumentFile } from "../document-bodies/document-file.ts";
import type { ErrorDialect } from "../http/error-dialect.ts";
import type { PageHost } from "../http/exchange.ts";
import type { Reply } from "../http/reply.ts";
import type { Services } from "./services.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call an operation. */
export interface ProtectedAccess {
  /** Any one of them is enough. */
  readonly scopes: readonly Scope[];
  /** Of the client that calls; `plan` for what counts in the windows of its organization's plan instead. */
  readonly limitGroup: LimitGroup | "plan";
  /** Whether a session's render token in `?token=` does instead; it pays with the budget of the session's client. */
  readonly renderToken?: boolean;
  /** Whether it may be called for a suspended organization although it is no read. */
  readonly whileSuspended?: boolean;
}

/** The network side of a request. */
export interface Observed {
  readonly ip: string;
  readonly userAgent: string;
}

/** Who calls, with the token of the lock of an agreement that they hold. */
export interface RequestCaller extends Caller {
  readonly lockToken?: string;
}

/** A request that has passed every check of its route. */
export interface RouteRequest<Path extends string = string, Query = unknown, Body = unknown> {
  /** As it was sent: HEAD asks for what GET would answer. */
  readonly method: string;
  /** Ids in the form in which they are written, texts exactly as they were sent. */
  readonly params: Readonly<Record<PathParam<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The documents of the body: each documentBase64 in it is the index of one; a body that is one itself is the first. */
  readonly files: readonly DocumentFile[];
  readonly caller: RequestCaller;
  /** What the credential may do. Of operations where the body decides what is needed; see requireScope. */
  readonly scopes: ReadonlySet<string>;
  /** The person who is signed in, when the credential is the cookie of a session. */
  readonly user: SessionUser | undefined;
  readonly observed: Observed;
  /** Empty when none was sent or the route wants none. */
  readonly idempotencyKey: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Present when the request came with a render token instead of a credential. */
  readonly renderGrant: RenderGrant | undefined;
  /** Present at a host name of an organization, where only what is of it is shown. */
  readonly pageHost: PageHost | undefined;
  /** Where clients reach this API, without a slash at the end; empty when the request does not tell. */
  publicUrl(): string;
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
  /** Whether the operation gets the bytes and checks them itself, for bodies that take long to parse. */
  readonly unparsed?: boolean;
  /** Types of messages that may come instead of JSON; the operation gets their bytes and reads them itself. */
  readonly messageTypes?: readonly string[];
  /** Of bodies that carry documents. */
  readonly documents?: DocumentRules;
  readonly example?: unknown;
  /** Where the body has what a service calls by its place in the message. */
  readonly pathOf?: (path: string) => string;
  readonly bodyType?: Body;
}

/** How documents may come, beside JSON with Base64 in it. */
export interface DocumentRules {
  /** Whether Base64 may have line breaks. */
  readonly lineBreaks: boolean;
  /** Whether the JSON and the documents may be the parts of a multipart/form-data. */
  readonly multipart: boolean;
  /** Whether the body may be nothing but a document: a PDF, or one of any type. */
  readonly raw: "no" | "pdf" | "any";
}

/** Query parameters: booleans, integers or texts, never repeated. */
export interface QuerySpec<Query> {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly queryType?: Query;
}

/** A path parameter that is no UUID. */
export interface TextParam {
  readonly schema: JsonSchema;
  /** What it names; parameters that name the same may be filled with the same value. */
  readonly names: string;
  /** The answer to a text that does not fit: a code, or a bad request when absent. */
  readonly otherwise?: ErrorCode;
}

/** A request header of an operation, for its description. */
export interface HeaderParam {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A header of an answer; a text that may be missing when nothing else is said. */
export interface HeaderDescription {
  readonly description: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly required?: boolean;
}

/** What an operation answers when it succeeds. */
export interface Success {
  readonly status: number;
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Default application/json. */
  readonly contentType?: string;
  /** Types of text that a client may ask for instead. */
  readonly alsoTypes?: readonly string[];
  /** One that stands for the real ones; made from the schema when absent. */
  readonly example?: unknown;
  /** The same for answers that are texts, by their types. */
  readonly textExamples?: Readonly<Record<string, string>>;
  /** Headers of its own, with their meaning. */
  readonly headers?: Readonly<Record<string, string | HeaderDescription>>;
  /** Another status that it also succeeds with, and when. */
  readonly also?: Readonly<Record<number, string>>;
}

/** One operation of the API: data for the executor and for the OpenAPI document. */
export interface RouteDescription<Path extends string = string, Query = unknown, Body = unknown> {
  readonly operationId: string;
  readonly method: Method;
  /** With `{name}` for parameters: UUIDs, unless texts says otherwise. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: ProtectedAccess | "public";
  /** Whether OAuth clients authenticate themselves here, in the body or as HTTP Basic. */
  readonly clientAuthentication?: boolean;
  readonly dialect: ErrorDialect;
  /** The answer when a path parameter is no UUID, and so names nothing. */
  readonly notFound?: Readonly<Partial<Record<PathParam<Path>, ErrorCode>>>;
  /** The path parameters that are no UUIDs. */
  readonly texts?: Readonly<Partial<Record<PathParam<Path>, TextParam>>>;
  readonly query?: QuerySpec<Query>;
  readonly body?: BodySpec<Body>;
  readonly idempotencyKey?: "required" | "optional";
  readonly headerParams?: Readonly<Record<string, HeaderParam>>;
  /**
   * How the browser or program that asked may keep what a protected operation answers; nobody keeps it when absent.
   * "revalidated": its ETag is a hash of the bytes, and it asks again each time. "immutable": the same credential always
   * gets the same bytes at the address.
   */
  readonly caching?: "revalidated" | "immutable";
  /**
   * Whether `call` only reads, so that it may run while the request is still being counted. What it finds is told only
   * when the count allows the request.
   */
  readonly besideLimit?: boolean;
  /** Lets pages of every origin read the answers, errors included. For answers that no cookie and no header opens. */
  readonly crossOrigin?: boolean;
  /** Browsers that open the address are shown errors as a page. */
  readonly errorPages?: boolean;
  readonly success: Success;
  /** Errors beyond those that every operation has. */
  readonly errors: readonly ErrorCode[];
}

interface RouteRow<Path extends string, Query, Body, Answer> extends RouteDescription<Path, Query, Body> {
  call(request: RouteRequest<Path, Query, Body>, services: Services): Promise<Answer>;
  respond(answer: Answer, request: RouteRequest<Path, Query, Body>, services: Services): Reply;
}

/** A row of a route table whose types have been checked. */
export interface Route extends RouteDescription {
  handle(request: RouteRequest, services: Services): Promise<Reply>;
}

/**
 * Checks a row against the generated clients: a renamed field of a message fails the compiler here. Throws when nothing
 * says what a path parameter is.
 */
export function defineRoute<const Path extends string, Query, Body, Answer>(
  row: RouteRow<Path, Query, Body, Answer>,
): Route {
  const { call, respond, ...description } = row;
  for (const name of paramsOf(row.path)) {
    if (!Object.hasOwn(row.notFound ?? {}, name) && !Object.hasOwn(row.texts ?? {}, name)) {
      throw new Error(`the operation ${row.operationId} does not say what its parameter ${name} is`);
    }
  }
  return {
    ...(description as RouteDescription),
    handle: async (request, services) => {
      const checked = request as RouteRequest<Path, Query, Body>;
      return respond(await call(checked, services), checked, services);
    },
  };
}

/** Whether only people who are signed in to the dashboard may call an operation: no program has such a scope. */
export const isForPeople = ({ access }: Pick<RouteDescription, "access">): boolean =>
  access !== "public" && access.scopes.every(isDashboardScope);

/** The names of the parameters of a path, in their order. */
export const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

/** A body of JSON that has been validated against a schema of this type. */
export const jsonBody = <Body>(spec: {
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly maxBytes?: number;
  readonly example?: unknown;
}): BodySpec<Body> => ({ required: true, maxBytes: 262_144, form: false, ...spec });

/** What a table says of bodies. */
interface Bodies<T extends Table> {
  readonly table: T;
  readonly schemas: Readonly<Record<"create" | "change", JsonSchema>>;
  bodyPath(path: string): string;
}

interface JsonBodySpec<Body> {
  readonly required?: boolean;
  readonly maxBytes?: number;
  readonly example?: Body;
}

/** A body of JSON that creates what a table is of. */
export const createBody = <T extends Table>(
  { schemas, bodyPath }: Bodies<T>,
  spec: JsonBodySpec<CreateOf<T>> = {},
): BodySpec<CreateOf<T>> => ({ ...jsonBody<CreateOf<T>>({ schema: schemas.create, ...spec }), pathOf: bodyPath });

/** A body of JSON that changes what a table is of. */
export const changeBody = <T extends Table>(
  { schemas, bodyPath }: Bodies<T>,
  spec: JsonBodySpec<ChangeOf<T>> = {},
): BodySpec<ChangeOf<T>> => ({ ...jsonBody<ChangeOf<T>>({ schema: schemas.change, ...spec }), pathOf: bodyPath });

/** A body of JSON of this schema that the operation parses and checks itself. */
export const unparsedBody = (spec: {
  readonly schema: JsonSchema;
  readonly maxBytes: number;
  readonly example: unknown;
}): BodySpec<Buffer> => ({ required: true, form: false, unparsed: true, ...spec });

/** 25 MB in Base64, with line breaks and escapes, and what is said of them. */
const documentBodyBytes = 36 * 1024 * 1024;

/**
 * A body of JSON with documents: in what the operation gets, each `documentBase64` is the index of one of
 * `request.files`. Larger ones are answered DOCUMENT_TOO_LARGE.
 */
export const documentBody = <Body>({
  lineBreaks = false,
  multipart = false,
  raw = "no",
  ...spec
}: {
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly example?: unknown;
} & Partial<DocumentRules>): BodySpec<Body> => ({
  required: true,
  maxBytes: documentBodyBytes,
  form: false,
  documents: { lineBreaks, multipart, raw },
  ...spec,
});

/** The same, of what a table is of. */
export const documentsBody = <T extends Table>(
  { schemas }: Bodies<T>,
  spec: { readonly example?: CreateOf<T> } & Partial<DocumentRules>,
): BodySpec<CreateOf<T>> => documentBody<CreateOf<T>>({ schema: schemas.create, ...spec });

/** Query parameters that have been validated against schemas of this type; those that are not required may be absent. */
export const queryOf = <Query>(
  properties: Readonly<Record<keyof Query & string, JsonSchema>>,
  required: readonly (keyof Query & string)[] = [],
): QuerySpec<Query> => ({ properties, required });

/** Query parameters that a table is of, and others. */
export const filterQuery = <T extends Table, More>(
  { schemas }: Bodies<T>,
  more: QuerySpec<More> = queryOf<More>({} as never),
): QuerySpec<CreateOf<T> & More> => ({
  properties: { ...more.properties, ...(schemas.create.properties as QuerySpec<unknown>["properties"]) },
  required: more.required,
});

/** Makes an RPC on behalf of the caller of a request. */
export const onBehalfOf = ({ caller }: Pick<RouteRequest, "caller">): CallOptions => ({
  headers: { ...callerHeaders(caller), ...(caller.lockToken ? { "x-edit-lock": caller.lockToken } : {}) },
});
