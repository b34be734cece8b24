import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface ConnectProxy {
  /** Without a login. */
  readonly url: string;
  /** What it was asked, head by head, oldest first. */
  readonly asked: readonly string[];
  /** What it answers from now on in place of connecting; undefined connects. */
  answer(instead: ((client: Socket) => void) | undefined): void;
  stop(): Promise<void>;
}

/** A proxy that connects to whatever it is asked for by CONNECT; names that `hosts` has lead to 127.0.0.1. */
export async function startConnectProxy(hosts: readonly string[] = []): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  let instead: ((client: Socket) => void) | undefined;
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
  };
  const server = createServer((client) => {
    keep(client).once("data", (head) => {
      asked.push(head.toString());
      if (instead !== undefined) return instead(client);
      const [, host = "", port] = /^CONNECT \[?([^ \]]+)\]?:(\d+) HTTP\/1\.1\r\n/.exec(head.toString()) ?? [];
      const target = keep(connect(Number(port), hosts.includes(host) ? "127.0.0.1" : host));
      target.once("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(target).pipe(client);
      });
      target.once("close", () => client.destroy());
      client.once("close", () => target.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (other) => {
      instead = other;
    },
    stop: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, "close");
    },
  };
}
