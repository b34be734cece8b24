import { fileURLToPath } from "node:url";
import type { RequestHandler } from "express";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { type BuiltPage, loadBuiltPage, pageFileReply } from "../built-page.ts";
import { exchangeOf } from "../http/exchange.ts";
import { type Reply, sendReply } from "../http/reply.ts";

/** Where the build writes the page. */
export const defaultDashboardFolder = fileURLToPath(new URL("../../web/dist/dashboard", import.meta.url));

/** Undefined when it was not built. Throws when it is required. */
export const loadDashboard = (
  folder: string,
  built: { readonly required: boolean; readonly logger: Logger },
): BuiltPage | undefined =>
  loadBuiltPage(folder, { ...built, name: "dashboard", loss: "people cannot sign in with a browser" });

const root = "/dashboard";
const assets = `${root}/assets/`;

/**
 * Serves /dashboard and everything below: its files, and the page itself for any other path, which does its own
 * routing. The page is the same for everybody and contains no data, so it needs no sign-in.
 */
export function serveDashboard(page: BuiltPage | undefined): RequestHandler {
  return (req, res, next) => {
    const { path, method } = req;
    if (page === undefined || !(path === root || path.startsWith(`${root}/`))) {
      next();
      return;
    }
    const exchange = exchangeOf(res);
    exchange.route = root;
    if (method !== "GET" && method !== "HEAD") {
      throw new DomainError("METHOD_NOT_ALLOWED", { metadata: { allow: "GET, HEAD" } });
    }
    sendReply(res, exchange, path.startsWith(assets) ? fileReply(page, path) : pageReply(page));
  };
}

function fileReply({ files }: BuiltPage, path: string): Reply {
  const file = files.get(path.slice(assets.length));
  if (file === undefined) throw new DomainError("NOT_FOUND");
  const policy = path.endsWith(workerEnding) ? workerPolicy : "default-src 'none'";
  return pageFileReply(file, policy);
}

/** PDF documents are read in a worker, which has a policy of its own, because image decoders are WebAssembly. */
const workerEnding = ".mjs";
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Always revalidated, so that a page never refers to files that a newer release no longer has. */
const pageReply = ({ html }: BuiltPage): Reply => ({
  status: 200,
  body: html,
  isShared: true,
  contentType: "text/html; charset=utf-8",
  headers: {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": pagePolicy,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
  },
});

/** Only our own files may run, apply or be requested, and nobody may frame the page. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  // Documents are read in a worker and shown with our fonts where they embed none.
  "worker-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");
