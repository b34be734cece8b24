import type { MessageInitShape } from "@bufbuild/protobuf";
import { rendering } from "#api/renderings.ts";
import type { RenderRequestSchema } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { clickDialect } from "../http/error-dialect.ts";
import type { PageLook } from "../render/brand-looks.ts";
import { type RenderFormat, renderReply } from "../render/reply.ts";
import { contentTimeoutMs, fileAnswer } from "./generation/file-answer.ts";
import {
  defineRoute,
  onBehalfOf,
  type ProtectedAccess,
  queryOf,
  type Route,
  type RouteRequest,
  type TextParam,
} from "./route.ts";
import { described, languageTag, oneOf, required, text, uuid } from "./schema-parts.ts";
import type { Services } from "./services.ts";
import { pdfReply } from "./template-files.ts";

export const deploymentKeyParam: TextParam = {
  names: "deploymentKey",
  schema: {
    type: "string",
    description: "The public key of a deployment.",
    maxLength: 26,
    pattern: "^dep_[0-9A-Za-z]{22}$",
    examples: ["dep_0123456789abcdefABCDEF"],
  },
  otherwise: "CLICK_RENDER_NOT_FOUND",
};

const templateNameParam: TextParam = {
  names: "templateIdOrSlug",
  schema: {
    type: "string",
    description: "The id of a template or its slug.",
    maxLength: 100,
    pattern: "^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$",
    examples: ["terms-of-service"],
  },
  otherwise: "CLICK_TEMPLATE_NOT_FOUND",
};

export const scriptHashParam: TextParam = {
  names: "embedScriptHash",
  schema: {
    type: "string",
    description: "The hash of the script.",
    maxLength: 32,
    pattern: "^[0-9a-f]{32}$",
    examples: ["0123456789abcdef0123456789abcdef"],
  },
  otherwise: "CLICK_RENDER_NOT_FOUND",
};

/** Not click:accept alone, which may not read what templates say. */
const access: ProtectedAccess = { scopes: ["click:read", "click:write", "click:admin"], limitGroup: "render" };
const base = { method: "GET", tag: "Render", dialect: clickDialect, access } as const;

const format = described(oneOf("json", "html", "fragment"), "Instead of the Accept header.");
const locale = described(languageTag, "The nearest one that is published is taken.");
const success = {
  status: 200,
  description: "The rendered text.",
  schema: rendering.schemas.answer,
  alsoTypes: ["text/html"],
  textExamples: { "text/html": "<p>You may use the service as follows.</p>" },
  headers: {
    ETag: {
      description: "For a fragment: its hash. The other formats contain a token that is new each time.",
      example: `"sha256:${"0123456789abcdef".repeat(4)}"`,
    },
    "X-Click-Content-Hash": { description: "The hash of the published text.", required: true },
    "Content-Security-Policy": { description: "The origins that can frame the page.", required: true },
  },
  also: { 304: "The fragment is the one that If-None-Match names." },
} as const;
const headerParams = {
  "If-None-Match": {
    description: "The ETag of a fragment that you have.",
    schema: { type: "string", examples: [`"sha256:${"0123456789abcdef".repeat(4)}"`] },
  },
} as const;

export const renderRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "renderDeployment",
    path: "/v1/click/render/{deploymentKey}",
    summary: "Render a deployment",
    description: "As JSON, a complete page or an HTML fragment.",
    texts: { deploymentKey: deploymentKeyParam },
    query: queryOf<{ locale?: string; userRef?: string; format?: RenderFormat }>({
      locale,
      userRef: described(text(1, 255), "Your name for the user who will see it."),
      format,
    }),
    headerParams,
    success,
    errors: ["CLICK_ORIGIN_NOT_ALLOWED", "CLICK_DATA_INVALID"],
    call: ({ params, query, ...request }, services) =>
      renderWithLook(request, services, {
        subject: { case: "deploymentKey", value: params.deploymentKey },
        locale: query.locale,
        userRef: query.userRef,
      }),
    respond: (answer, request, services) =>
      renderReply(answer.rendering, { ...askedFor(request, services, answer.look), script: undefined }),
  }),
  defineRoute({
    ...base,
    operationId: "renderSession",
    path: "/v1/click/render/sessions/{sessionId}",
    summary: "Render a session",
    description:
      "Shows the text that the session has pinned. Browsers use the session's render token instead of a credential; this marks the session as presented and adds the controls to a page.",
    access: { ...access, renderToken: true },
    crossOrigin: true,
    notFound: { sessionId: "CLICK_SESSION_NOT_FOUND" },
    query: queryOf<{ token?: string; format?: RenderFormat }>({
      token: described(text(1, 4_096), "The session's render token."),
      format,
    }),
    headerParams,
    success,
    errors: ["CLICK_ORIGIN_NOT_ALLOWED", "CLICK_RENDER_NOT_FOUND", "CLICK_SESSION_EXPIRED", "CLICK_SESSION_CLOSED"],
    call: ({ params, renderGrant, ...request }, services) => {
      // A token tells nothing about other sessions, not even that they exist.
      if (renderGrant !== undefined && renderGrant.sessionId !== params.sessionId) {
        throw new DomainError("CLICK_SESSION_NOT_FOUND");
      }
      return renderWithLook(request, services, {
        subject: { case: "sessionId", value: params.sessionId },
        token: renderGrant?.token,
      });
    },
    respond: (answer, request, services) =>
      renderReply(answer.rendering, {
        ...askedFor(request, services, answer.look),
        script: request.renderGrant === undefined ? undefined : services.embedScript,
      }),
  }),
  defineRoute({
    ...base,
    operationId: "getSessionPdf",
    path: "/v1/click/render/sessions/{sessionId}/pdf",
    summary: "Load the PDF of a session",
    description:
      "For a text that is a PDF: the file whose hash its rendering names. Browsers use the session's render token instead of a credential.",
    access: { ...access, renderToken: true },
    crossOrigin: true,
    notFound: { sessionId: "CLICK_SESSION_NOT_FOUND" },
    query: queryOf<{ token?: string }>({ token: described(text(1, 4_096), "The session's render token.") }),
    ...fileAnswer({ description: "The PDF.", contentType: "application/pdf" }),
    errors: ["CLICK_ORIGIN_NOT_ALLOWED", "CLICK_RENDER_NOT_FOUND", "CLICK_SESSION_EXPIRED", "RANGE_NOT_SATISFIABLE"],
    call: ({ params: { sessionId }, renderGrant, ...request }, { click }) => {
      if (renderGrant !== undefined && renderGrant.sessionId !== sessionId) {
        throw new DomainError("CLICK_SESSION_NOT_FOUND");
      }
      return click.getSessionPdf(
        { sessionId, token: renderGrant?.token, origin: request.headers.origin },
        { ...onBehalfOf(request), timeoutMs: contentTimeoutMs },
      );
    },
    respond: (found, request) => pdfReply(found, request),
  }),
  defineRoute({
    ...base,
    operationId: "renderTemplate",
    path: "/v1/click/render/templates/{templateIdOrSlug}",
    summary: "Preview a template",
    description: "Renders the version published in the locale, or the version you name, even a draft.",
    texts: { templateIdOrSlug: templateNameParam },
    query: queryOf<{ locale?: string; versionId?: string; format?: RenderFormat }>({
      locale,
      versionId: described(uuid, "Renders this version, even a draft, instead of the published one."),
      format,
    }),
    headerParams,
    success,
    errors: ["CLICK_RENDER_NOT_FOUND", "CLICK_VERSION_NOT_FOUND"],
    call: ({ params: { templateIdOrSlug: name }, query, ...request }, services) =>
      renderWithLook(request, services, {
        subject: {
          case: "template",
          value: {
            templateIdOrSlug: isUuid(name) ? name.toLowerCase() : name,
            versionId: query.versionId?.toLowerCase(),
          },
        },
        locale: query.locale,
      }),
    respond: (answer, request, services) =>
      renderReply(answer.rendering, { ...askedFor(request, services, answer.look), script: undefined }),
  }),
];

type RenderRequest = RouteRequest<string, { readonly format?: RenderFormat }>;

/** What to show, and how it looks. */
async function renderWithLook(
  request: Pick<RouteRequest, "caller" | "headers">,
  { click, looks }: Pick<Services, "click" | "looks">,
  wanted: Omit<MessageInitShape<typeof RenderRequestSchema>, "$typeName" | "origin">,
) {
  const answer = await click.render({ ...wanted, origin: request.headers.origin }, onBehalfOf(request));
  const rendering = required(answer.rendering);
  return { rendering, look: await looks.of(request.caller, rendering) };
}

const askedFor = (
  { query, headers, publicUrl }: RenderRequest,
  { abuseContact }: Pick<Services, "abuseContact">,
  look: PageLook,
) => ({
  ...{ format: query.format, accept: headers.accept, ifNoneMatch: headers["if-none-match"] },
  ...{ look, abuseContact, publicUrl: publicUrl() },
});
