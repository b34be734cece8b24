import type { RouteDescription } from "../routes/route.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/**
 * Responses to a credential are private to its owner, whatever the operation says about caching, since a shared
 * cache would pass them on to strangers. Only what the route declares may be cached, and only by the client
 * itself; nothing sent to a cookie may be, because the browser may be somebody else's next. A cookie set by the
 * operation is newer than the one set by authentication.
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
