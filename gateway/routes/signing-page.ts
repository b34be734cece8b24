import { DomainError, fromConnectError } from "#platform/errors.ts";
import { type BuiltPage, type PageFile, pageFileReply } from "../built-page.ts";
import { standardDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { endedReply, filePolicy, pageReply, redirect, unopened } from "../signing/replies.ts";
import { requireHostOf, requireSessionToken, sessionCookie, sessionIdOf, visitorOf } from "../signing/session.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { example, text } from "./schema-parts.ts";
import type { Services } from "./services.ts";

export const signingTag = "Signing page";

export const sessionParam = {
  schema: example(
    { type: "string", pattern: "^[A-Za-z0-9_-]{22}$", description: "The ID of the session, not its secret." },
    "q3Vw8Zk1mX0sT5bR7yPd2A",
  ),
  names: "signingSession",
  otherwise: "VIEW_URL_EXPIRED",
} as const;

export const documentParam = {
  schema: example(text(1, 100, "The documentId of the document."), "1"),
  names: "documentId",
  otherwise: "DOCUMENT_NOT_FOUND",
} as const;

/** Two MB: a signature and initials that are drawn, and what was typed into many fields. */
export const maxFinishBytes = 2 * 1024 * 1024;
/** Five MB in Base64. */
export const maxAttachmentBytes = 7 * 1024 * 1024;

/** Whoever has a link has all that it needs, and nobody else learns anything. */
const base = { method: "GET", tag: signingTag, access: "public", dialect: standardDialect } as const;

const linkParam = {
  schema: example(
    { type: "string", minLength: 1, maxLength: 1_000, description: "The secret of the link." },
    "AZYSNFZ4erCN7wEjRWeJqwEjRWeJq83vASNFZ4mrze8",
  ),
  names: "signingLink",
  otherwise: "VIEW_URL_EXPIRED",
} as const;

const fileParam = (names: string, description: string, shown: string) =>
  ({
    schema: example({ type: "string", pattern: "^[A-Za-z0-9._-]{1,100}$", description }, shown),
    names,
    otherwise: "NOT_FOUND",
  }) as const;

/** What a browser opens. */
export const signingPageRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    errorPages: true,
    operationId: "openSigningLink",
    path: "/signing/{token}",
    summary: "Open a link to an agreement",
    description:
      "Creates a session from the link, once, and redirects the browser to its page. If the link has expired, the browser is redirected to the return URL with event=ttl_expired. HEAD requests, prefetching browsers and link previews open nothing.",
    texts: { token: linkParam },
    success: {
      status: 200,
      description: "A page that says that the link has expired, if there is no return URL.",
      contentType: "text/html",
      also: { 303: "To the page of the session, or to the return URL." },
      headers: { Location: "Where to go on.", "Set-Cookie": "The session, for its own addresses only." },
    },
    errors: ["VIEW_URL_EXPIRED", "RATE_LIMIT_EXCEEDED", "ENVELOPE_LOCKED"],
    call: openLink,
    respond: (reply) => reply,
  }),
  defineRoute({
    ...base,
    errorPages: true,
    operationId: "getSigningPage",
    path: "/signing/s/{sid}/",
    summary: "Show the page of a session",
    description: "The page a browser shows after it opened a link; only that browser can load it.",
    texts: { sid: sessionParam },
    success: {
      status: 200,
      description: "The page.",
      contentType: "text/html",
      also: { 303: "To the return URL, when the session has ended." },
      headers: { Location: "The return URL.", "Content-Security-Policy": "Names who may frame the page." },
    },
    errors: ["VIEW_URL_EXPIRED", "NOT_FOUND", "ENVELOPE_LOCKED"],
    call: showPage,
    respond: (reply) => reply,
  }),
  defineRoute({
    ...base,
    crossOrigin: true,
    operationId: "getSigningFile",
    path: "/signing/assets/{folder}/{file}",
    summary: "Load a file of the signing page",
    description:
      "Scripts, styles, fonts, and the PDF viewer, which also shows texts that are PDFs in the form on any page.",
    texts: {
      folder: fileParam("signingFolder", "What kind of file it is.", "code"),
      file: fileParam("signingFile", "The name of the file.", "index-fQWf-u3f.js"),
    },
    success: {
      status: 200,
      description: "The file.",
      contentType: "application/octet-stream",
      alsoTypes: ["text/javascript", "text/css", "font/ttf", "application/wasm"],
      textExamples: { "text/javascript": 'import "./page.js";\n', "text/css": "main { color: black }\n" },
    },
    errors: ["NOT_FOUND"],
    call: async ({ params }, services) => {
      const file = requireFile(`${params.folder}/${params.file}`, services);
      return pageFileReply(file, filePolicy);
    },
    respond: (reply) => reply,
  }),
];

/** Only what looks like a link is asked for. */
const linkLength = 64;

async function openLink(request: RouteRequest<"{token}">, services: Services): Promise<Reply> {
  const { signing, linkGuard } = services;
  const preview = previewOf(request);
  if (request.method === "HEAD" || preview === "program") return unopened;
  // A browser keeps an answer that it has prefetched, unless it is an error: then it asks again when the link is followed.
  if (preview === "prefetch") throw new DomainError("SERVICE_UNAVAILABLE", { message: "Links are not prefetched." });
  const { ip } = request.observed;
  linkGuard.requireCalm(ip);
  const { token } = request.params;
  try {
    if (token.length !== linkLength) throw new DomainError("VIEW_URL_EXPIRED");
    requireHostOf(token, request.pageHost);
    const { sessionToken, frameAncestors } = await signing.openView({ token, visitor: visitorOf(request) });
    const isHttps = request.publicUrl().startsWith("https:");
    const cookie = sessionCookie(sessionToken, { isHttps, isFramed: frameAncestors.length > 0 });
    return redirect(`/signing/s/${sessionIdOf(sessionToken)}/`, { "Set-Cookie": cookie });
  } catch (error) {
    if (isUnknown(error)) await linkGuard.recordFailure(ip);
    return endedReply(error, request, services);
  }
}

/** Whoever brings a link that there was has not guessed it. */
function isUnknown(error: unknown): boolean {
  const known = error instanceof DomainError ? error : fromConnectError(error);
  return known?.code === "VIEW_URL_EXPIRED" && known.metadata.returnUrl === undefined;
}

async function showPage(request: RouteRequest<"{sid}">, services: Services): Promise<Reply> {
  const { signing, signingPage } = services;
  const { html } = requirePage(signingPage);
  try {
    // Without a visitor: nobody has seen the agreement before the page asks for it.
    const { frameAncestors } = await signing.getCeremony({ sessionToken: requireSessionToken(request) });
    return pageReply(html, frameAncestors);
  } catch (error) {
    return endedReply(error, request, services);
  }
}

function requirePage(page: BuiltPage | undefined): BuiltPage {
  if (page === undefined) throw new DomainError("NOT_FOUND");
  return page;
}

function requireFile(name: string, { signingPage }: Services): PageFile {
  const file = requirePage(signingPage).files.get(name);
  if (file === undefined) throw new DomainError("NOT_FOUND");
  return file;
}

/** Programs that fetch a link which nobody has followed. */
export type Preview = "program" | "prefetch";

/** Whether a request only previews or prefetches a link: it must not use up a link that opens once. */
function previewOf({ headers, observed }: Pick<RouteRequest, "headers" | "observed">): Preview | undefined {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => String(headers[name] ?? ""));
  if (purposes.some((purpose) => /prefetch|preview|prerender/i.test(purpose.slice(0, 100)))) return "prefetch";
  const program = observed.userAgent.toLowerCase();
  return previewers.some((name) => program.includes(name)) ? "program" : undefined;
}

/** Messengers and social networks, by their User-Agent. */
const previewers = [
  "slackbot",
  "facebookexternalhit",
  "twitterbot",
  "linkedinbot",
  "discordbot",
  "telegrambot",
  "whatsapp/",
  "skypeuripreview",
  "google-pagerenderer",
  "googlebot",
  "bingbot",
  "bingpreview",
  "applebot",
  "mattermost-bot",
];
