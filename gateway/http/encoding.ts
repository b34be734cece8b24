import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

type Coding = "br" | "gzip";

interface Encodable {
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly isShared?: boolean;
}

/** What fits into few packets gains nothing; an acceptance with its receipt stays below. */
const leastBytes = { shared: 1_000, own: 4_096 };

/** Fonts in this format and WebAssembly are as long as they are for want of it. */
const compressible =
  /^(text\/|application\/(json|javascript|jwk-set\+json|xml)\b|image\/svg|font\/ttf|application\/wasm)/;

/**
 * How the body of an answer is compressed, if at all. What is the same for everyone always is. Answers to a credential are,
 * unless a browser sent cookies along: pages elsewhere can have a browser send those, and could tell from the length of an
 * answer whether something that they had it ask for is like a secret in it (BREACH).
 */
export function codingFor(reply: Encodable, headers: IncomingHttpHeaders): Coding | undefined {
  if (!mayBeEncoded(reply)) return undefined;
  if (reply.isShared !== true && headers.cookie !== undefined) return undefined;
  const accepted = acceptedCodings(headers["accept-encoding"]);
  // Of what is sent once gzip costs less than half as much time as brotli of the same length.
  if (reply.isShared === true && accepted.has("br")) return "br";
  return accepted.has("gzip") ? "gzip" : undefined;
}

/** Whether clients may get it in several forms. */
export function mayBeEncoded({
  status,
  body,
  contentType = "application/json",
  headers = {},
  isShared,
}: Encodable): boolean {
  if (body === undefined || status === 206 || !compressible.test(contentType)) return false;
  if (body.length < (isShared === true ? leastBytes.shared : leastBytes.own)) return false;
  return headers["Content-Encoding"] === undefined && headers["Accept-Ranges"] === undefined;
}

/** The reply with its body compressed. Its ETag becomes a weak one, because the bytes are others. */
export async function encodedReply<Reply extends Encodable>(reply: Reply, coding: Coding): Promise<Reply> {
  const { body = "", headers = {}, isShared } = reply;
  const bytes = isShared === true ? await encodedOnce(body, coding) : await quickly(body, { level: 1 });
  const etag = headers.ETag;
  return {
    ...reply,
    body: bytes,
    headers: {
      ...headers,
      ...(typeof etag === "string" && !etag.startsWith("W/") ? { ETag: `W/${etag}` } : {}),
      "Content-Encoding": coding,
    },
  };
}

const quickly = promisify(gzip) as (body: string | Uint8Array, options: { level: number }) => Promise<Uint8Array>;
const brotli = promisify(brotliCompress);

/** Shared bodies are few: files of the build and the description of the interface. */
const known = new Map<string | Uint8Array, Map<Coding, Promise<Uint8Array>>>();

function encodedOnce(body: string | Uint8Array, coding: Coding): Promise<Uint8Array> {
  const codings = known.get(body) ?? new Map<Coding, Promise<Uint8Array>>();
  known.set(body, codings);
  const encoded =
    codings.get(coding) ?? (coding === "gzip" ? quickly(body, { level: 9 }) : brotli(body, brotliOptions(body.length)));
  codings.set(coding, encoded);
  return encoded;
}

/** The best quality takes seconds for megabytes, and whoever asks first waits for it. */
const brotliOptions = (length: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: length > 500_000 ? 5 : 9, [constants.BROTLI_PARAM_SIZE_HINT]: length },
});

/** Unlike `gzip;q=0`. */
function acceptedCodings(header: string | string[] | undefined): ReadonlySet<string> {
  const codings = String(header ?? "")
    .slice(0, 1_000)
    .split(",")
    .map((coding) =>
      coding
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    );
  return new Set(codings.filter(([, weight = ""]) => !/^q=0(\.0*)?$/.test(weight)).map(([name = ""]) => name));
}
