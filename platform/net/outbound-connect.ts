import { isIP, connect as netConnect, type Socket } from "node:net";
import { type SecureContext, connect as tlsConnect } from "node:tls";
import type { Deadline } from "./deadline.ts";
import type { Egress } from "./egress-proxy.ts";
import { failureOf, OutboundFailure, type Phase } from "./outbound-failure.ts";

/** Where one request goes. */
export interface OutboundTarget {
  readonly isTls: boolean;
  /** A name without the dot of the root, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

interface ConnectParts {
  readonly secureContext: SecureContext;
  readonly deadline: Deadline;
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
}

/**
 * Connects to the first of the addresses that takes the connection, with TLS if the target says so. Each has an equal
 * share of the time that is left. No name is looked up here: a proxy is told the address too. Rejects with the
 * OutboundFailure of the last address, or with that of the deadline.
 */
export async function connectToAny(
  target: OutboundTarget,
  addresses: readonly string[],
  { secureContext, deadline, egress }: ConnectParts,
): Promise<Socket> {
  const proxy = egress?.isDirect(target) === false ? egress : undefined;
  let failure = new OutboundFailure("connection", "The host has no address.");
  for (const [index, address] of addresses.entries()) {
    let socket: Socket | undefined;
    try {
      const shareMs = deadline.remainingMs() / (addresses.length - index);
      const to = { host: address, port: target.port };
      const tunnel = await proxy?.connect(to, { timeoutMs: shareMs, signal: deadline.signal });
      if (tunnel !== undefined && !target.isTls) return tunnel;
      socket = open(target, address, secureContext, tunnel);
      const phase = tunnel === undefined ? "connect" : "handshake";
      await opened(socket, target, { shareMs, signal: deadline.signal, phase });
      return socket;
    } catch (error) {
      socket?.destroy();
      deadline.signal.throwIfAborted();
      failure = failureOf(error, "connect");
    }
  }
  throw failure;
}

function open(
  { isTls, host, port }: OutboundTarget,
  address: string,
  secureContext: SecureContext,
  tunnel: Socket | undefined,
): Socket {
  const to = tunnel === undefined ? { host: address, port } : { socket: tunnel, host };
  const socket = isTls
    ? tlsConnect({
        ...to,
        secureContext,
        // Names only (RFC 6066 §3). The certificate is checked against it, or else against the address.
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: true,
      })
    : netConnect({ host: address, port });
  if (tunnel !== undefined) socket.once("close", () => tunnel.destroy());
  socket.setNoDelay(true);
  // Whoever waits for the socket hears of errors; those that come in between must not end the process.
  socket.on("error", () => undefined);
  return socket;
}

async function opened(
  socket: Socket,
  { isTls }: OutboundTarget,
  { shareMs, signal, phase: begun }: { readonly shareMs: number; readonly signal: AbortSignal; readonly phase: Phase },
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let phase = begun;
  const onConnect = (): void => {
    phase = "handshake";
  };
  const fail = (error?: unknown): void => reject(failureOf(error, phase));
  const onAbort = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(new OutboundFailure("timeout", "The connection took too long.")), shareMs);
  const done = isTls ? "secureConnect" : "connect";
  socket.once("connect", onConnect).once(done, resolve).once("error", fail).once("close", fail);
  signal.addEventListener("abort", onAbort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    socket.off("connect", onConnect).off(done, resolve).off("error", fail).off("close", fail);
  }
}
