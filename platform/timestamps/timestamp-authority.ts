import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { fromBER, Sequence } from "asn1js";
import { PKIStatus, TimeStampResp } from "pkijs";
import { fetchThrough } from "../net/egress-fetch.ts";
import type { Egress } from "../net/egress-proxy.ts";
import {
  checkTimestampToken,
  type Timestamp,
  TimestampError,
  type TimestampRequest,
  timestampRequest,
} from "./timestamp-token.ts";

export { TimestampError } from "./timestamp-token.ts";

/** A time-stamping authority (RFC 3161). */
export interface TimestampAuthority {
  /** A token over these bytes that was checked. Rejects with a TimestampError, within the time-out or on the signal. */
  stamp(data: Uint8Array, signal?: AbortSignal): Promise<Timestamp>;
}

export interface TimestampAuthorityOptions {
  /** Answers to requests over HTTP (RFC 3161 §3.4). */
  readonly url: string;
  /** PEM of certificates that the authority's chain must end in; when empty, only the token itself is checked. */
  readonly trusted: readonly string[];
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
  /** Default 10,000. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
/** A token with a chain of certificates has some 6 KiB. */
const maxReplyBytes = 65_536;

export function createTimestampAuthority(options: TimestampAuthorityOptions): TimestampAuthority {
  return {
    stamp: async (data, signal) => {
      const request = timestampRequest(data);
      return readTimestampReply(await send(options, request.der, signal), request, options.trusted);
    },
  };
}

async function send(
  { url, egress, timeoutMs = defaultTimeoutMs }: TimestampAuthorityOptions,
  der: Uint8Array,
  signal?: AbortSignal,
): Promise<Buffer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetchThrough(egress)(url, {
      method: "POST",
      headers: {
        "content-type": "application/timestamp-query",
        accept: "application/timestamp-reply",
        // Requests are minutes apart: a connection that is kept may be closed by the authority just as it is used.
        connection: "close",
      },
      body: der,
      // Whoever else it sends us to is not the authority that the operator chose.
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new TimestampError(`the authority answered with status ${response.status}`);
    }
    return await readLimited(response);
  } catch (error) {
    if (error instanceof TimestampError) throw error;
    throw new TimestampError("the authority could not be reached", { cause: error });
  }
}

async function readLimited(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the transfer.
    if (length > maxReplyBytes) throw new TimestampError(`the answer has more than ${maxReplyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

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

/** The certificates of a PEM file, one by one; none when it cannot be read or holds anything that is no certificate. */
export function readCertificates(path: string): string[] {
  try {
    const found = readFileSync(path, "utf8").match(block) ?? [];
    return found.map((pem) => new X509Certificate(pem).toString());
  } catch {
    return [];
  }
}

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
