import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { afterEach } from "@jest/globals";
import { until } from "../../testing/until.ts";
import { createOutboundPoster, type OutboundPosterOptions } from "../outbound-post.ts";

export interface Receiver {
  readonly port: number;
  /** What each connection has sent, in the order in which they were opened. */
  readonly received: readonly string[];
  readonly open: ReadonlySet<Socket>;
}

/** Answers a connection once the first bytes of a request have come. */
export type Answer = (socket: Socket) => void;

export const says =
  (text: string | Buffer): Answer =>
  (socket) =>
    socket.end(text);

/** Everything that a test starts here is stopped after it, and no connection may be left by then. */
export function useReceivers() {
  const undo: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  /** On 127.0.0.1 and a free port; with TLS when given. */
  const receive = async (answer: Answer, tls?: TlsOptions): Promise<Receiver> => {
    const received: string[] = [];
    const open = new Set<Socket>();
    const onConnection = (socket: Socket): void => {
      const index = received.push("") - 1;
      open.add(socket);
      socket.once("data", () => answer(socket));
      socket.on("data", (piece) => {
        received[index] += piece.toString();
      });
      socket.on("error", () => undefined).on("close", () => open.delete(socket));
    };
    const server: Server = tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection);
    server.on("tlsClientError", () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    undo.push(async () => {
      await until(() => open.size === 0);
      server.close();
      await once(server, "close");
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return { port, received, open };
  };

  const poster = (options: Partial<OutboundPosterOptions> = {}) => {
    const made = createOutboundPoster({ rules: { allowPrivate: true }, ...options });
    undo.push(made.close);
    return made;
  };
  return { receive, poster };
}
