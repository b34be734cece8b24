// Servers of customers, in a process of their own: what is posted to /well/… is answered, and to /hang/… never. Prints
// its port when it listens. Asked by a message for what came since the last one, it answers a ReceivedText.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { ReceivedText } from "./start-receivers.ts";

let latenciesMs: number[] = [];
let hanging = 0;
let again = 0;
let known = new Set<string>();

const server = createServer((request, response) => {
  // Those that hang are ended by the other side.
  answer(request, response).catch(() => response.destroy());
});
// Whoever waits for an answer waits longer than this process would by itself.
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
});

process.on("message", () => {
  const received: ReceivedText = { latenciesMs, hanging, again };
  process.send?.(received);
  latenciesMs = [];
  hanging = 0;
  again = 0;
});
process.on("disconnect", () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const now = Date.now();
  const url = request.url ?? "";
  if (url.startsWith("/hang/")) {
    hanging += 1;
    return;
  }
  note(url, body, now);
  response.writeHead(200, { "content-length": "0" }).end();
}

/** How long after it happened an event came here for the first time. */
function note(url: string, body: string, now: number): void {
  const { id, createdAt } = JSON.parse(body) as { readonly id: string; readonly createdAt: string };
  const key = `${url} ${id}`;
  if (known.has(key)) {
    again += 1;
    return;
  }
  if (known.size > 1_000_000) known = new Set();
  known.add(key);
  latenciesMs.push(now - Date.parse(createdAt));
}
