import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  readonly baseUrl: string;
  /** The status of an answer to a caller who knows this machine by another name. */
  askAs(host: string, path: string, method?: string): Promise<number>;
  close(): Promise<void>;
}

/** Serves pages as `npm start` does, without the product behind them. */
export async function serveLocally(
  ...pages: readonly ((req: IncomingMessage, res: ServerResponse) => boolean)[]
): Promise<LocalServer> {
  const server = createServer((req, res) => {
    if (!pages.some((handle) => handle(req, res))) res.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    askAs: (host, path, method = "GET") =>
      new Promise((resolve, reject) => {
        request({ host: "127.0.0.1", port, path, method, headers: { host } }, (res) => {
          res.resume();
          resolve(res.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      }),
    close: () => new Promise((done) => void server.close(() => done())),
  };
}
