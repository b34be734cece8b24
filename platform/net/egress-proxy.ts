import { isIP, connect as netConnect, type Socket } from "node:net";
import {
  type Environment,
  type FreshText,
  freshText,
  type Setting,
  type SettingValues,
  textNow,
  urlSetting,
} from "../config.ts";
import { OutboundFailure } from "./outbound-failure.ts";
import { hostOf, portOf } from "./outbound-url.ts";
import { createNamedReceivers, namedPlacesSetting } from "./receiver-settings.ts";

const proxySetting: Setting<string> = {
  ...urlSetting(
    "The proxy that connections to the outside go through, by CONNECT: http://[user:password@]host:port. What it refuses has failed; nothing goes around it but EGRESS_DIRECT. A file (EGRESS_PROXY_FILE) is read again with each connection. Empty connects directly.",
    "",
    { secret: true },
  ),
  parse: (text) => {
    const url = URL.parse(text);
    if (url === null || url.protocol !== "http:" || url.pathname !== "/" || url.search + url.hash !== "") {
      throw new Error("must be an http URL without a path");
    }
    return text;
  },
};

export const egressSettings = {
  EGRESS_PROXY: proxySetting,
  EGRESS_DIRECT: namedPlacesSetting(
    "What is connected to without EGRESS_PROXY, comma-separated: a host (`mail.bank.internal:587`), all hosts of a domain (`*.bank.internal`) or, where addresses stand in the place of names, a network (`10.20.0.0/16`), each with its port where it is not 443.",
  ),
};

interface Destination {
  /** A name or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The way out of the operator's network where it leads through a proxy. */
export interface Egress {
  isDirect(to: Destination): boolean;
  /**
   * A connection that the proxy has made. Nothing was sent over it, and nothing read that is not of the proxy. Rejects with
   * an OutboundFailure, or with the signal's reason.
   */
  connect(to: Destination, limits: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<Socket>;
}

/** Undefined when there is no proxy. */
export function egressOf(values: SettingValues<typeof egressSettings>, env: Environment = {}): Egress | undefined {
  const { EGRESS_PROXY: first, EGRESS_DIRECT: direct } = values;
  if (first === "") return undefined;
  return createEgress(freshText("EGRESS_PROXY", env, { parse: proxySetting.parse, first }), direct);
}

export function createEgress(proxy: FreshText, direct: readonly string[] = []): Egress {
  const named = createNamedReceivers(direct);
  return {
    isDirect: ({ host, port }) => named.hasName(host, port) || (isIP(host) !== 0 && named.hasAddress(host, port, host)),
    connect: (to, limits) => openTunnel(new URL(textNow(proxy)), to, limits),
  };
}

const maxHeadBytes = 16 * 1024;

async function openTunnel(
  proxy: URL,
  to: Destination,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Socket> {
  signal?.throwIfAborted();
  const request = requestFor(proxy, to);
  const socket = dial(proxy);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(failure("took too long")), timeoutMs);
  const onAbort = (): void => reject(signal?.reason);
  const onError = (error?: unknown): void => reject(failure(`cannot be reached${inBrackets(error)}`));
  const onReady = (): void => {
    socket.write(request);
  };
  let head = Buffer.alloc(0);
  // Read piece by piece, so that the stream is as new for whoever gets it.
  const onReadable = (): void => {
    const piece: Buffer | null = socket.read();
    if (piece === null) return;
    head = Buffer.concat([head, piece]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) {
      if (head.length > maxHeadBytes) reject(failure("answers with too much"));
      return;
    }
    socket.off("readable", onReadable);
    // Whoever is behind it may speak first, as mail servers do.
    if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
    const problem = refusalIn(head.toString("latin1"));
    if (problem === undefined) resolve();
    else reject(failure(problem));
  };
  signal?.addEventListener("abort", onAbort);
  socket.once("connect", onReady).on("readable", onReadable).once("error", onError).once("close", onError);
  try {
    await promise;
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    socket.off("connect", onReady).off("readable", onReadable).off("error", onError).off("close", onError);
  }
}

function dial(proxy: URL): Socket {
  const socket = netConnect({ host: hostOf(proxy), port: portOf(proxy) });
  socket.setNoDelay(true);
  // Whoever waits for the socket hears of errors; those that come in between must not end the process.
  socket.on("error", () => undefined);
  return socket;
}

function requestFor({ username, password }: URL, { host, port }: Destination): string {
  // What is no host would be lines of its own to the proxy.
  if (!/^[\w.:-]+$/.test(host)) throw failure("takes no such host");
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? "" : `Proxy-Authorization: Basic ${login}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`;
}

/** Undefined when the answer says that the connection is there. */
function refusalIn(head: string): string | undefined {
  const [, status] = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head) ?? [];
  if (status === undefined) return "does not answer as a proxy";
  return status.startsWith("2") ? undefined : `has refused the connection (status ${status})`;
}

/** Says nothing of what the proxy has sent, and not where it is. */
const failure = (what: string): OutboundFailure => new OutboundFailure("proxy", `The proxy ${what}.`);

function inBrackets(error: unknown): string {
  const code = Object(error).code as unknown;
  return typeof code === "string" ? ` (${code})` : "";
}
