import type { Exchange } from "../http/exchange.ts";
import type { Reply } from "../http/reply.ts";

/**
 * What is answered to somebody with a cookie is for them alone: caches do not tell cookies apart, and a browser may be
 * somebody else's next. A cookie that the operation itself sets is newer than that of the check.
 */
export const sessionReply = (reply: Reply, { principal, newCookie }: Exchange): Reply =>
  principal?.user === undefined
    ? reply
    : {
        ...reply,
        headers: {
          ...(newCookie === undefined ? {} : { "Set-Cookie": newCookie }),
          ...reply.headers,
          "Cache-Control": "no-store",
        },
      };
