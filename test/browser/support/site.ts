import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

const built = join(resolve(import.meta.dirname, "../../.."), "web/dist");
export const embedFile = join(built, "embed.js");
/** Where the form finds the languages that its script does not bring. */
export const wordsPath = "/signing/assets/viewer/more-words.js";
const wordsFile = join(built, "signing/viewer/more-words.js");

/** What the page sent to its own backend. */
export interface Received {
  readonly idempotencyKey: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every part of it
  readonly body: any;
}

/** A customer's website with its backend, as far as a test needs them. */
export interface Site {
  readonly url: string;
  readonly received: Received[];
  /** Serves a page; returns its address. */
  page(html: string, headers?: Record<string, string>): string;
  /** Serves a file of another type; returns its path. */
  file(type: string, content: string): string;
  /** Serves a rendering as the API would; returns its path. */
  rendering(json: object): string;
  /** What the backend answers next, and after it what it answers always: 200 with a receipt. */
  answerOnce(status: number, body: object): void;
  close(): Promise<void>;
}

interface Resource {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export async function startSite(): Promise<Site> {
  const resources = new Map<string, Resource>();
  const received: Received[] = [];
  const answers: Resource[] = [];
  const json = (status: number, body: object): Resource => ({
    status,
    headers: { "content-type": "application/json", "x-request-id": "request-1" },
    body: JSON.stringify(body),
  });
  const add = (path: string, resource: Resource): string => {
    resources.set(path, resource);
    return path;
  };
  const respond = async (req: IncomingMessage): Promise<Resource> => {
    const path = new URL(req.url ?? "/", "http://localhost").pathname;
    if (path.endsWith("/embed.js")) return script(readFileSync(embedFile, "utf8"));
    if (path === wordsPath) return script(readFileSync(wordsFile, "utf8"));
    if (path !== "/accept")
      return resources.get(path) ?? json(404, { errorCode: "NOT_FOUND", requestId: "request-404" });
    const { "x-idempotency-key": key } = req.headers;
    received.push({ idempotencyKey: String(key), body: JSON.parse(await text(req)) });
    return answers.shift() ?? json(200, { receiptId: "receipt-1" });
  };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    void respond(req).then(({ status, headers, body }) => res.writeHead(status, headers).end(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    page: (html, headers = {}) => {
      const type = { "content-type": "text/html; charset=utf-8" };
      return url + add(`/page-${resources.size}`, { status: 200, headers: { ...type, ...headers }, body: html });
    },
    file: (type, content) =>
      add(`/file-${resources.size}`, { status: 200, headers: { "content-type": type }, body: content }),
    rendering: (body) => add(`/rendering-${resources.size}`, json(200, body)),
    answerOnce: (status, body) => void answers.push(json(status, body)),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const script = (body: string): Resource => ({
  status: 200,
  headers: { "content-type": "text/javascript; charset=utf-8" },
  body,
});
