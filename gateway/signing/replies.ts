import type { Request } from "express";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import { reportUrlOf } from "#platform/service-settings.ts";
import { prefers } from "../http/accept.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Reply } from "../http/reply.ts";
import type { RouteRequest } from "../routes/route.ts";
import type { Services } from "../routes/services.ts";
import { endedPage, linkEndOf } from "./ended-page.ts";
import type { LinkEnd } from "./ended-words.ts";

/** Never cached, and sent on without a referrer. */
const privately = { "Referrer-Policy": "no-referrer" } as const;

/** Redirects a browser. */
export const redirect = (url: string, headers: NonNullable<Reply["headers"]> = {}): Reply => ({
  status: 303,
  body: undefined,
  headers: { ...privately, ...headers, Location: asciiUrl(url) },
});

/** Headers are ASCII; browsers treat the percent-encoded form as the same URL. */
const asciiUrl = (url: string): string =>
  url.toWellFormed().replaceAll(/[^\x21-\x7e]+/gu, (letters) => encodeURIComponent(letters));

/** The page, which the link's origins may show in a frame. */
export const pageReply = (html: string, frameAncestors: readonly string[]): Reply => ({
  status: 200,
  body: html,
  isShared: true,
  contentType: "text/html; charset=utf-8",
  headers: { ...privately, "Content-Security-Policy": pagePolicy(frameAncestors) },
});

/** Only our own files may run, apply or be requested; drawn signatures are images in data: URLs. */
const pagePolicy = (frameAncestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`,
  ].join("; ");

/** Worker scripts have a policy of their own, because image decoders are WebAssembly. */
export const filePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Whether it is a browser that asks. */
export const wantsPage = ({ headers }: Pick<RouteRequest, "headers">): boolean =>
  prefers(headers.accept, "text/html", "application/json");

/**
 * The answer to a link or a session that has ended: browsers are redirected to the return URL, or see a page;
 * programs get the error. Rethrows any other error.
 */
export async function endedReply(
  error: unknown,
  request: Pick<RouteRequest, "headers" | "caller">,
  { looks, abuseContact }: Pick<Services, "looks" | "abuseContact">,
): Promise<Reply> {
  const known = fromConnectError(error) ?? (error instanceof DomainError ? error : undefined);
  if (known?.code !== "VIEW_URL_EXPIRED" || !wantsPage(request)) throw error;
  const { returnUrl = "", outcome, subject = "", organizationId = "", agreementId, brandId = "" } = known.metadata;
  if (returnUrl !== "") return redirect(returnUrl);
  const orgId = parseOrgId(organizationId);
  const { requestId, traceparent } = request.caller;
  // Nobody has signed in: the link says whose it is.
  const look = orgId && (await looks.of({ orgId, clientId: "link", requestId, traceparent }, { brandId }));
  const acceptLanguage = request.headers["accept-language"] ?? "";
  const reportUrl = reportUrlOf(abuseContact, agreementId);
  return endedPage(linkEndOf(outcome), { acceptLanguage, subject, look, reportUrl });
}

/**
 * A browser that opens a link or a page gets a page whatever goes wrong: one that says that it is no link, or that it may try
 * again. Programs get the error.
 */
export function linkProblemReply(
  request: Pick<Request, "method" | "path" | "headers">,
  reply: Reply,
  { requestId }: Pick<Exchange, "requestId">,
): Reply {
  const { method, path, headers } = request;
  const isLink = method === "GET" && path.startsWith("/signing/") && !path.startsWith("/signing/assets/");
  if (!isLink || reply.status < 400 || !wantsPage({ headers })) return reply;
  const end = endsOf.get(reply.status) ?? (reply.status >= 500 ? "failed" : "unknown");
  const page = endedPage(end, { acceptLanguage: headers["accept-language"], requestId });
  // Whether and when to try again is for browsers and programs alike.
  return { ...page, status: reply.status, headers: { ...reply.headers, ...page.headers } };
}

/** Those that say something of their own to who has a link: its agreement is locked, or there is too much to do. */
const endsOf: ReadonlyMap<number, LinkEnd> = new Map([
  [409, "correcting"],
  [429, "busy"],
  [503, "busy"],
]);

/** The answer to HEAD, which opens nothing: programs that preview links send HEAD first. */
export const unopened: Reply = { status: 200, body: "", contentType: "text/html; charset=utf-8", headers: privately };
