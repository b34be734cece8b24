import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import type { Egress } from "./egress-proxy.ts";
import { hostOf, portOf } from "./outbound-url.ts";

type Body = Uint8Array | URLSearchParams | string;

/** As much of `fetch` as requests to addresses of the operator need. */
export type Fetch = (
  url: string,
  init: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Body | undefined;
    readonly signal?: AbortSignal;
    readonly redirect?: "manual";
  },
) => Promise<Response>;

/** The proxy's part; the caller's signal is what ends the request as a whole. */
const connectMs = 10_000;
/** Far more than any answer that is asked for this way. */
const maxBodyBytes = 1_048_576;

/**
 * Requests to addresses that the operator has set, through the proxy where there is one, which then also looks their names
 * up. One connection for each request. Redirects are answers like others. Rejects as `fetch` does.
 */
export function fetchThrough(egress: Egress | undefined): Fetch {
  const direct: Fetch = (url, { body, ...init }) =>
    fetch(url, { ...init, redirect: "manual", ...(body === undefined ? {} : { body: bytesOf(body) }) });
  if (egress === undefined) return direct;
  return async (url, init) => {
    const parsed = new URL(url);
    const to = { host: hostOf(parsed), port: portOf(parsed) };
    if (egress.isDirect(to)) return direct(url, init);
    try {
      const tunnel = await egress.connect(to, { timeoutMs: connectMs, ...(init.signal && { signal: init.signal }) });
      return await exchange(parsed.protocol === "https:" ? secured(tunnel, to.host) : tunnel, parsed, init);
    } catch (error) {
      init.signal?.throwIfAborted();
      throw new TypeError(error instanceof Error ? error.message : "fetch failed", { cause: error });
    }
  };
}

/** A copy that shares its memory with nobody. */
const bytesOf = (body: Body): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(body instanceof URLSearchParams ? body.toString() : body));

function secured(tunnel: Socket, host: string): Socket {
  const name = isIP(host) === 0 ? { servername: host } : { host };
  const socket = tlsConnect({ socket: tunnel, ...name, minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] });
  return socket.on("close", () => tunnel.destroy());
}

async function exchange(socket: Socket, url: URL, init: Parameters<Fetch>[1]): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const body = bytesOf(init.body ?? "");
  const onAbort = (): void => reject(init.signal?.reason);
  init.signal?.addEventListener("abort", onAbort);
  const request = httpRequest({
    method: init.method ?? "GET",
    path: url.pathname + url.search,
    headers: {
      ...init.headers,
      host: url.host,
      "accept-encoding": "identity",
      "content-length": String(body.length),
      connection: "close",
    },
    createConnection: () => socket,
  });
  const onClose = (): void => reject(new Error("the connection was closed before an answer had come"));
  request.on("error", reject).on("close", onClose);
  request.on("response", (response) => {
    // The request may be closed before its answer has been read to its end.
    request.off("close", onClose);
    readAnswer(response).then(resolve, reject);
  });
  request.end(body);
  try {
    return await promise;
  } finally {
    init.signal?.removeEventListener("abort", onAbort);
    socket.destroy();
  }
}

/** Statuses that `Response` takes no body with. */
const withoutBody: readonly number[] = [204, 205, 304];

async function readAnswer(response: IncomingMessage): Promise<Response> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBodyBytes) throw new Error(`the answer has more than ${maxBodyBytes} bytes`);
    pieces.push(piece);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headersDistinct)) headers.set(name, (value ?? []).join(", "));
  const { statusCode: status = 0 } = response;
  return new Response(withoutBody.includes(status) ? null : Buffer.concat(pieces), { status, headers });
}
