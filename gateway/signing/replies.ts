import { DomainError, fromConnectError } from "#platform/errors.ts";
import { prefers } from "../http/accept.ts";
import type { Reply } from "../http/reply.ts";
import type { RouteRequest } from "../routes/route.ts";

/** What nobody keeps and nobody is told where it came from. */
const privately = { "Referrer-Policy": "no-referrer" } as const;

/** Leads a browser on. */
export const redirect = (url: string, headers: NonNullable<Reply["headers"]> = {}): Reply => ({
  status: 303,
  body: undefined,
  headers: { ...privately, ...headers, Location: asciiUrl(url) },
});

/** Headers are ASCII; browsers read what is percent-encoded as the same address. */
const asciiUrl = (url: string): string =>
  url.toWellFormed().replaceAll(/[^\x21-\x7e]+/gu, (letters) => encodeURIComponent(letters));

/** The page, which the origins of the link may show in a frame. */
export const pageReply = (html: string, frameAncestors: readonly string[]): Reply => ({
  status: 200,
  body: html,
  contentType: "text/html; charset=utf-8",
  headers: { ...privately, "Content-Security-Policy": pagePolicy(frameAncestors) },
});

/** Nothing but our own files runs, applies or is asked; drawn signatures are pictures in data: addresses. */
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

/** Scripts that run in a worker bring their own policy: decoders of pictures are WebAssembly. */
export const filePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

const wantsPage = ({ headers }: Pick<RouteRequest, "headers">): boolean =>
  prefers(headers.accept, "text/html", "application/json");

/**
 * The answer to a link or a session that has ended: browsers are led back to where somebody waits for them, or told;
 * programs get the error. Throws what is another error.
 */
export function endedReply(error: unknown, request: Pick<RouteRequest, "headers">): Reply {
  const known = fromConnectError(error) ?? (error instanceof DomainError ? error : undefined);
  if (known?.code !== "VIEW_URL_EXPIRED" || !wantsPage(request)) throw error;
  const { returnUrl = "" } = known.metadata;
  return returnUrl === "" ? endedPage : redirect(returnUrl);
}

const endedPage: Reply = {
  status: 200,
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>This link has ended</title></head>
<body>
<main>
<h1>This link has ended</h1>
<p>It was used already, or is too old. Ask the sender for a new one.</p>
</main>
</body>
</html>
`,
  contentType: "text/html; charset=utf-8",
  headers: { ...privately, "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'" },
};

/** What a HEAD is answered, which opens nothing: programs that preview links ask for the head first. */
export const unopened: Reply = { status: 200, body: "", contentType: "text/html; charset=utf-8", headers: privately };
