import type { RouteDescription } from "../routes/route.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/**
 * What is answered to a credential is for its owner alone, whatever the operation itself says to caches: a shared one
 * would hand it on to strangers. Only what its row declares is kept, by whoever asked; and nothing that was answered to
 * a cookie, because a browser may be somebody else's next. A cookie that the operation itself sets is newer than that
 * of the check.
 */
export function protectedReply(
  reply: Reply,
  { access, caching }: Pick<RouteDescription, "access" | "caching">,
  { principal, newCookie }: Exchange,
): Reply {
  if (access === "public") return reply;
  const mayKeep = caching !== undefined && reply.status < 400 && principal?.user === undefined;
  return {
    ...reply,
    headers: {
      ...(newCookie === undefined ? {} : { "Set-Cookie": newCookie }),
      ...reply.headers,
      ...(mayKeep ? cachingHeaders[caching] : { "Cache-Control": "private, no-store" }),
    },
  };
}

const cachingHeaders = {
  // Asked for again each time, because it may be deleted.
  revalidated: { "Cache-Control": "private, no-cache" },
  // Another organization's has the same address, so the credential is part of the key.
  immutable: { "Cache-Control": "private, max-age=31536000, immutable", Vary: "Authorization" },
} as const;
