import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";

/** What happens to the bytes between a client and a server. */
export type FaultMode =
  | "pass"
  /** Requests reach the server, answers do not reach the client until the mode changes. */
  | "hold-answers"
  /** New connections are closed at once. */
  | "refuse";

export interface FaultProxy {
  readonly port: number;
  setMode(mode: FaultMode): void;
  /** Resets every open connection, as a lost network does. */
  cut(): void;
  close(): Promise<void>;
}

/** A TCP proxy on the loopback address for fault tests and drills. Listens on a free port. */
export async function createFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: FaultMode = "pass";

  const server = createServer((client) => {
    if (mode === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const upstream = createConnection({ ...target, noDelay: true });
    client.setNoDelay(true);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.pipe(upstream);
    upstream.pipe(client);
    if (mode === "hold-answers") upstream.unpipe(client).pause();
    const drop = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", drop).on("close", drop);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();

  const cut = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    setMode: (next) => {
      mode = next;
      for (const [client, upstream] of pairs) {
        if (next === "hold-answers") upstream.unpipe(client).pause();
        else upstream.pipe(client);
      }
    },
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
