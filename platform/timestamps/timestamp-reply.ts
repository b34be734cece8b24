import { fromBER, Sequence } from "asn1js";
import { PKIStatus, TimeStampResp } from "pkijs";
import { TimestampError } from "./timestamp-error.ts";
import type { TimestampRequest } from "./timestamp-request.ts";
import { checkTimestampToken, type Timestamp } from "./timestamp-token.ts";

/** The token of an answer (RFC 3161 §2.4.2) to this request, checked. Rejects with a TimestampError. */
export async function readTimestampReply(
  reply: Buffer,
  request: TimestampRequest,
  trusted: readonly string[],
): Promise<Timestamp> {
  const { status, token } = parseReply(reply);
  if (status !== PKIStatus.granted && status !== PKIStatus.grantedWithMods) {
    throw new TimestampError(`the authority refused the request with status ${status}`);
  }
  if (token === undefined) throw new TimestampError("the answer has no token");
  return checkTimestampToken(token, request, trusted);
}

/** The bytes of the token are kept as they came: encoding them anew might not give what was signed. */
function parseReply(reply: Buffer): { status: number; token: Buffer | undefined } {
  try {
    const { offset, result } = fromBER(reply);
    if (offset !== reply.length || !(result instanceof Sequence)) throw new Error("it is not one sequence");
    const token = result.valueBlock.value[1]?.valueBeforeDecodeView;
    const { status } = new TimeStampResp({ schema: result });
    return { status: status.status, token: token && Buffer.from(token) };
  } catch (cause) {
    throw new TimestampError("the answer is no time-stamp response", { cause });
  }
}
