import { once } from "node:events";
import { createConnection } from "node:net";

export interface Connection {
  /** Sends one request and resolves with the status of its answer once the whole answer has arrived. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

/** A keep-alive HTTP/1.1 connection for one request at a time; answers must carry Content-Length. */
export async function connect(host: string, port: number): Promise<Connection> {
  const socket = createConnection({ host, port, noDelay: true });
  await once(socket, "connect");
  let pending: { resolve(status: number): void; reject(error: Error): void } | undefined;
  let received: Buffer = Buffer.alloc(0);

  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const status = readAnswer(received);
    if (status === undefined) return;
    received = Buffer.alloc(0);
    const waiter = pending;
    pending = undefined;
    waiter?.resolve(status);
  });
  const fail = (error: Error) => {
    pending?.reject(error);
    pending = undefined;
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/** The status code when the buffer holds a whole answer. */
function readAnswer(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const at = head.indexOf("\r\ncontent-length:");
  if (at < 0) throw new Error("the answer has no Content-Length");
  const length = Number.parseInt(head.slice(at + 17), 10);
  if (bytes.length < headEnd + 4 + length) return undefined;
  return Number(head.slice(9, 12));
}
