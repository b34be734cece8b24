import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { createServer, globalAgent } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { contractOf, requireConformance } from "../../../support/contract.ts";
import { noteExchange } from "../../../support/secrets.ts";

/** A request that went through, with what was answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of anything but JSON, the bytes. */
  readonly bytes: Buffer;
  readonly text: string;
}

/**
 * What stands in front of an installation: ends TLS, and hands requests on as they are. Remembers the answers, and holds
 * each of them against the OpenAPI document.
 */
export interface TlsProxy {
  /** With the port. */
  readonly host: string;
  /** The last answer. Throws when it was not what the OpenAPI document says. */
  last(): Exchange;
  stop(): Promise<void>;
}

export async function startTlsProxy(baseUrl: string): Promise<TlsProxy> {
  const { key, cert } = makeCertificate();
  // The SDK has no setting for authorities, so its users trust those of the process.
  globalAgent.options.ca = cert;
  const contract = await contractOf(baseUrl);
  let latest: Exchange | undefined;
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    void forward(baseUrl, incoming).then(
      (exchange) => {
        latest = exchange;
        outgoing.writeHead(exchange.status, exchange.headers);
        outgoing.end(exchange.bytes);
      },
      (error: Error) => outgoing.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    last: () => {
      if (latest === undefined) throw new Error("nothing was asked yet");
      const headers = new Headers(latest.headers as Record<string, string>);
      requireConformance(contract, latest, { status: latest.status, headers, text: latest.text });
      return latest;
    },
    stop: () => {
      globalAgent.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function forward(baseUrl: string, incoming: IncomingMessage): Promise<Exchange> {
  const { method = "GET", url: path = "/", headers } = incoming;
  const sent = await bytesOf(incoming);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(baseUrl + path, { method, headers });
    outgoing.on("response", resolve).on("error", reject);
    outgoing.end(sent);
  });
  const bytes = await bytesOf(answer);
  const plain = answer.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
  const text = plain.toString(answer.headers["content-type"]?.includes("json") ? "utf8" : "latin1");
  noteExchange(baseUrl, { path, headers: textsOf(headers), body: jsonOf(sent) }, jsonOf(plain));
  return { method, path, status: answer.statusCode ?? 0, headers: answer.headers, bytes, text };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const textsOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "assent-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const wanted = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...algorithm, ...wanted, "-keyout", key, "-out", cert], { stdio: "pipe" });
  const made = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(folder, { recursive: true, force: true });
  return made;
}
