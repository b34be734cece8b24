import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** As it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly body: any;
}

/** A server of a customer on this machine, with as many addresses as a test wants. */
export interface Receiver {
  urlOf(name: string): string;
  /** In the order in which they came. */
  at(name: string): readonly ReceivedRequest[];
  /** It answers 204 at first. */
  answerWith(name: string, status: number | "nothing"): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const requests = new Map<string, ReceivedRequest[]>();
  const statuses = new Map<string, number | "nothing">();
  const at = (name: string): ReceivedRequest[] => {
    const known = requests.get(name) ?? [];
    requests.set(name, known);
    return known;
  };
  const server = createServer(async (request, response) => {
    const name = (request.url ?? "").slice(1);
    at(name).push(await readRequest(request));
    const status = statuses.get(name) ?? 204;
    if (status !== "nothing") response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    at,
    answerWith: (name, status) => {
      statuses.set(name, status);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return { headers: request.headers as Record<string, string>, text, body: JSON.parse(text) };
}
