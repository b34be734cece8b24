import { once } from "node:events";
import { createConnection, type Socket } from "node:net";

export interface Connection {
  /** Sends one request and resolves with the status of its answer once the whole answer has arrived. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

interface Answer {
  readonly status: number;
  /** The server closes the connection after this answer. */
  readonly isLast: boolean;
}

/** A keep-alive HTTP/1.1 connection for one request at a time; it is opened again when the server has had enough of it. */
export async function connect(host: string, port: number): Promise<Connection> {
  let socket = await open(host, port);
  return {
    send: async (request) => {
      if (socket.destroyed) socket = await open(host, port);
      const answer = await exchange(socket, request);
      if (answer.isLast) socket.destroy();
      return answer.status;
    },
    close: () => {
      socket.destroy();
    },
  };
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = createConnection({ host, port, noDelay: true });
  await once(socket, "connect");
  return socket;
}

function exchange(socket: Socket, request: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let received: Buffer | undefined;
    const finish = (): void => {
      socket.off("data", take).off("error", reject).off("close", fail);
    };
    const fail = (): void => reject(new Error("the server closed the connection without an answer"));
    const take = (chunk: Buffer): void => {
      received = received === undefined ? chunk : Buffer.concat([received, chunk]);
      try {
        const answer = readAnswer(received);
        if (answer === undefined) return;
        finish();
        resolve(answer);
      } catch (error) {
        finish();
        reject(error);
      }
    };
    socket.on("data", take).on("error", reject).on("close", fail);
    socket.write(request);
  });
}

/** The answer when the buffer holds the whole of it. Answers must carry Content-Length. */
function readAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const at = head.indexOf("\r\ncontent-length:");
  if (at < 0) throw new Error(`the answer has no Content-Length: ${head}`);
  const length = Number.parseInt(head.slice(at + 17), 10);
  if (bytes.length < headEnd + 4 + length) return undefined;
  return { status: Number(head.slice(9, 12)), isLast: head.includes("\r\nconnection: close") };
}
