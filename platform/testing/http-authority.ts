import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpAuthority {
  readonly url: string;
  /** The requests that came, oldest first. */
  readonly requests: readonly {
    readonly contentType: string | undefined;
    readonly query: Buffer;
    readonly port?: number | undefined;
  }[];
  /** What it answers from now on. */
  answer(reply: (query: Buffer) => Buffer): void;
  /** Handles requests in any other way from now on. */
  handle(listener: RequestListener): void;
  close(): Promise<void>;
}

/** A time-stamping authority on a port of its own. */
export async function startHttpAuthority(): Promise<HttpAuthority> {
  const requests: { contentType: string | undefined; query: Buffer; port?: number | undefined }[] = [];
  let listener: RequestListener = (_request, response) => response.writeHead(500).end();
  const server: Server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    requests,
    answer: (reply) => {
      listener = async (request, response) => {
        const query = await bodyOf(request);
        requests.push({ contentType: request.headers["content-type"], query, port: request.socket.remotePort });
        try {
          const body = reply(query);
          response.writeHead(200, { "content-type": "application/timestamp-reply" }).end(body);
        } catch (error) {
          response.writeHead(500).end(String(error));
        }
      };
    },
    handle: (other) => {
      listener = other;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
