import { randomInt } from "node:crypto";
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

/**
 * A port that is free now. Another program may take it before we do; starts report that as any taken port. It is none of
 * those that systems give to outgoing connections, of which a busy machine makes many between now and then.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = nextPort;
    nextPort = port === lastPort ? firstPort : port + 1;
    if (await isFree(port)) return port;
  }
}

const portsPerWorker = 2000;

/**
 * Suites that run side by side in Jest's workers look at the same moment, and start their processes much later: each
 * worker has ports of its own. All other programs share the first ones.
 */
const firstPort = 15_000 + (Number(process.env.JEST_WORKER_ID ?? 0) % 8) * portsPerWorker;
const lastPort = firstPort + portsPerWorker - 1;

/**
 * From a random one on, so that programs that start at the same time rarely meet, and one after the other, so that the
 * many ports that one program asks for before it uses any are never the same.
 */
let nextPort = randomInt(firstPort, lastPort + 1);

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
