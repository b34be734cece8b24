import { createServer } from "node:net";

const host = "127.0.0.1";

/** True when nobody listens on the port of the loopback address right now. */
export async function isFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

/** A port that is free now. Another program may take it before we do; starts report that as any taken port. */
export const findFreePort = (): Promise<number> => listenOnce(0);

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
