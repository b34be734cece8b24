import { DomainError, type ErrorCode } from "#platform/errors.ts";
import type { Reply } from "../http/reply.ts";
import {
  defineRoute,
  type ProtectedAccess,
  type QuerySpec,
  queryOf,
  type Route,
  type RouteDescription,
  type RouteRequest,
  type TextParam,
} from "../routes/route.ts";
import type { Services } from "../routes/services.ts";
import { compatDialect } from "./dialect.ts";

const compatPrefix = "/restapi/v2.1/accounts/{accountId}";

type Full<Path extends string> = `${typeof compatPrefix}${Path}`;

/** What the routes of the compatible interface declare one by one; everything else is the same for all. */
interface CompatRow<Path extends string, Query, Body, Answer>
  extends Omit<RouteDescription<Full<Path>, Query, Body>, "path" | "dialect" | "access" | "notFound" | "texts"> {
  /** Below the account: `/envelopes/{envelopeId}`. */
  readonly path: Path;
  /** Any one of these scopes is enough. */
  readonly scopes: ProtectedAccess["scopes"];
  /** Path parameters besides those that all routes share. */
  readonly notFound?: Readonly<Record<string, ErrorCode>>;
  readonly texts?: Readonly<Record<string, TextParam>>;
  call(request: RouteRequest<Full<Path>, Query, Body>, services: Services): Promise<Answer>;
  respond(answer: Answer, request: RouteRequest<Full<Path>, Query, Body>, services: Services): Reply;
}

/**
 * A route of the DocuSign-compatible interface: under the caller's own account, with the headers and errors its
 * clients expect.
 */
export function defineCompatRoute<const Path extends string, Query, Body, Answer>(
  row: CompatRow<Path, Query, Body, Answer>,
): Route {
  const { call, respond, path, scopes, notFound = {}, texts = {}, success, ...rest } = row;
  const absent = absentAccount(path);
  const full: Full<Path> = `${compatPrefix}${path}`;
  const description = {
    ...rest,
    path: full,
    access: { scopes, limitGroup: "sign" },
    dialect: compatDialect,
    notFound: { ...sharedIds(path), ...notFound },
    texts: { accountId: accountParam(absent), ...sharedTexts(path), ...texts },
    success: { ...success, headers: { ...traceHeader, ...success.headers } },
  } as const;
  return defineRoute<Full<Path>, Query, Body, Answer>({
    ...(description as unknown as RouteDescription<Full<Path>, Query, Body>),
    call: async (request, services) => {
      const { accountId = "" } = request.params as Readonly<Record<string, string>>;
      if (accountId.toLowerCase() !== request.caller.orgId) throw new DomainError(absent);
      return await call(request, services);
    },
    respond: (answer, request, services) => {
      const reply = respond(answer, request, services);
      return { ...reply, headers: { "X-DocuSign-TraceToken": request.caller.requestId, ...reply.headers } };
    },
  });
}

/** Query parameters as texts, to be read as tolerantly as bodies. */
export const compatQuery = <const Name extends string>(
  descriptions: Readonly<Record<Name, string>>,
): QuerySpec<Partial<Record<Name, string>>> =>
  queryOf<Partial<Record<Name, string>>>(
    Object.fromEntries(
      Object.entries<string>(descriptions).map(([name, description]) => [name, { type: "string", description }]),
    ) as Record<Name, { type: string; description: string }>,
  );

/** Another organization's account is reported as not existing. */
function absentAccount(path: string): ErrorCode {
  if (path.includes("{envelopeId}")) return "ENVELOPE_NOT_FOUND";
  return path.includes("{templateId}") ? "TEMPLATE_NOT_FOUND" : "ACCOUNT_NOT_FOUND";
}

const accountParam = (otherwise: ErrorCode): TextParam => ({
  schema: {
    type: "string",
    format: "uuid",
    description: "The ID of the organization, which is account_id of the user information.",
    examples: ["01961234-5678-7abc-8def-0123456789ab"],
  },
  names: "account",
  otherwise,
});

const ids: Readonly<Record<string, ErrorCode>> = { envelopeId: "ENVELOPE_NOT_FOUND", templateId: "TEMPLATE_NOT_FOUND" };

const sharedIds = (path: string): Readonly<Record<string, ErrorCode>> =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => path.includes(`{${name}}`)));

const idOfClient = (what: string, names: string, otherwise: ErrorCode): TextParam => ({
  schema: { type: "string", minLength: 1, maxLength: 50, description: `The id of the ${what}.`, examples: ["1"] },
  names,
  otherwise,
});

const textParams: Readonly<Record<string, TextParam>> = {
  recipientId: idOfClient("recipient, as it was given", "recipientId", "RECIPIENT_NOT_FOUND"),
  documentId: idOfClient("document, as it was given", "documentId", "DOCUMENT_NOT_FOUND"),
};

const sharedTexts = (path: string): Readonly<Record<string, TextParam>> =>
  Object.fromEntries(Object.entries(textParams).filter(([name]) => path.includes(`{${name}}`)));

const traceHeader = { "X-DocuSign-TraceToken": "The same as X-Request-Id." } as const;
