import type { ServedPage } from "../verifier.ts";
import type { Reply } from "./reply.ts";

/** A page whose scripts and styles are in it. */
export const pageInOneFileReply = ({ page, pageHashes }: ServedPage): Reply => ({
  status: 200,
  body: page.source,
  contentType: "text/html; charset=utf-8",
  headers: {
    ETag: page.etag,
    "Cache-Control": "no-cache",
    "Content-Security-Policy": contentPolicy(pageHashes),
    "Referrer-Policy": "no-referrer",
  },
});

/** Only the page's own script runs, which asks nobody but us. */
const contentPolicy = ({ script, style }: ServedPage["pageHashes"]): string =>
  [
    "default-src 'none'",
    `script-src '${script}'`,
    `style-src '${style}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
