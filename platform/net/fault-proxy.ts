import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";

/** What happens to the bytes between a client and a server. */
export type FaultMode =
  | "pass"
  /** Requests reach the server, answers do not reach the client until the mode changes. */
  | "hold-answers"
  /** Requests and answers arrive, but late. */
  | "slow"
  /** New connections are closed at once. */
  | "refuse";

export interface FaultProxy {
  readonly port: number;
  setMode(mode: FaultMode): void;
  /** Resets every open connection, as a lost network does. */
  cut(): void;
  close(): Promise<void>;
}

type Direction = "requests" | "answers";

const slowMs = 100;

/** A TCP proxy on the loopback address for fault tests and drills. Listens on a free port. */
export async function createFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const gate = createGate();

  const server = createServer((client) => {
    if (gate.mode === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const upstream = createConnection({ ...target, noDelay: true });
    client.setNoDelay(true);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const drop = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", drop).on("close", drop);
    pipeline(client, gate.through("requests"), upstream).catch(drop);
    pipeline(upstream, gate.through("answers"), client).catch(drop);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();

  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    setMode: gate.setMode,
    cut,
    close: async () => {
      cut();
      gate.setMode("pass");
      server.close();
      await once(server, "close");
    },
  };
}

/** Lets bytes through as the mode says. Bytes that wait together are one piece, so that being slow does not add up. */
function createGate() {
  let mode: FaultMode = "pass";
  let changed = Promise.withResolvers<void>();
  const open = async (direction: Direction): Promise<void> => {
    if (mode === "slow") await delay(slowMs);
    while (mode === "hold-answers" && direction === "answers") await changed.promise;
  };
  return {
    get mode(): FaultMode {
      return mode;
    },
    setMode: (next: FaultMode): void => {
      mode = next;
      changed.resolve();
      changed = Promise.withResolvers();
    },
    through: (direction: Direction) =>
      async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const piece of pieces) {
          if (mode !== "pass") await open(direction);
          yield piece;
        }
      },
  };
}
