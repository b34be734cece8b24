import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import type { Demo } from "../demo.ts";
import { createShopBackend, type ShopAnswer } from "./shop-backend.ts";

/** A customer's website with its own backend, on the port of the gateway but not a part of it. */
export interface DemoPage {
  /** False when the request is none of ours. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
  /** From now on it can call the API. */
  open(demo: Demo): void;
}

const maxBodyBytes = 262_144;

export function createDemoPage(): DemoPage {
  let respond: ((req: IncomingMessage, path: string) => Promise<ShopAnswer>) | undefined;
  return {
    handle: (req, res) => {
      const path = req.url?.split("?", 1)[0] ?? "";
      if (path !== "/demo" && !path.startsWith("/demo/")) return false;
      void answer(req, respond, path).then(({ status, type, body, cookie }) => {
        const kept = cookie === undefined ? {} : { "set-cookie": cookie };
        res.writeHead(status, { ...headers, ...kept, "content-type": type }).end(req.method === "HEAD" ? "" : body);
      });
      return true;
    },
    open: (demo) => {
      respond = createResponder(demo);
    },
  };
}

/** What a careful website would send: nothing but its own files runs or loads. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

async function answer(
  req: IncomingMessage,
  respond: ((req: IncomingMessage, path: string) => Promise<ShopAnswer>) | undefined,
  path: string,
): Promise<ShopAnswer> {
  // A website elsewhere could point its own name to this machine and use our API key through us.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(req.headers.host ?? ""))
    return text(421, "Misdirected Request");
  // What another website makes a browser ask for comes without the visitor's cookie, and would replace it.
  const isForeign = !["same-origin", "none", undefined].includes(req.headers["sec-fetch-site"] as string | undefined);
  if (isForeign && path.startsWith("/demo/api/")) return text(403, "Forbidden");
  if (respond === undefined) return text(503, "The demo is not ready yet.");
  try {
    return await respond(req, path);
  } catch (error) {
    return text(502, error instanceof Error ? error.message : String(error));
  }
}

function createResponder(demo: Demo): (req: IncomingMessage, path: string) => Promise<ShopAnswer> {
  const shop = createShopBackend(demo);
  const embedUrl = `/v1/click/render/${demo.deployments.terms.key}/embed.js`;
  return async (req, path) => {
    const known = files[path];
    if (known !== undefined && (req.method === "GET" || req.method === "HEAD")) {
      const body = readFileSync(fileURLToPath(new URL(known.file, import.meta.url)), "utf8");
      return { status: 200, type: known.type, body: body.replace("{{embedUrl}}", embedUrl) };
    }
    const cookie = req.headers.cookie ?? "";
    if (path === "/demo/api/visitor" && req.method === "GET") return shop.readVisitor(cookie);
    const evidence = /^\/demo\/api\/evidence\/([0-9a-f-]{36})$/.exec(path)?.[1];
    if (evidence !== undefined && req.method === "GET") return shop.readEvidence(evidence);
    // A form of another website cannot send this type, and its scripts may not.
    if (req.method !== "POST" || req.headers["content-type"] !== "application/json") return text(404, "Not Found");
    if (path === "/demo/api/sessions") return shop.createSession(await readBody(req), cookie);
    if (path === "/demo/api/visitor") return shop.forgetVisitor();
    if (path === "/demo/api/decisions") {
      return shop.recordDecision(await readBody(req), req.socket.remoteAddress ?? "");
    }
    return text(404, "Not Found");
  };
}

const html = "text/html; charset=utf-8";
const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  "/demo": { file: "site/index.html", type: html },
  "/demo/": { file: "site/index.html", type: html },
  "/demo/shop.css": { file: "site/shop.css", type: "text/css; charset=utf-8" },
  "/demo/shop.js": { file: "site/shop.js", type: "text/javascript; charset=utf-8" },
};

const text = (status: number, body: string): ShopAnswer => ({ status, type: "text/plain; charset=utf-8", body });

async function readBody(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (typeof body !== "object" || body === null) throw new Error("the body must be an object");
  return body as Record<string, unknown>;
}
