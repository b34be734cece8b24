import { type Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { FuzzRequest } from "./requests.ts";

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly milliseconds: number;
}

/** Longer than anything but a hang takes. */
const patienceMs = 20_000;

/** Sends a request byte for byte: an address is not tidied, and no header is added that was not asked for. */
export function send(baseUrl: string, agent: Agent, request: FuzzRequest): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const { method, path, headers, body, isChunked } = request;
  const sized = isChunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body?.length) };
  const length = body === undefined ? {} : sized;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, agent, method, path, headers: { ...headers, ...length } },
      (response) => {
        readAll(response).then((text) => {
          const milliseconds = performance.now() - started;
          resolve({ status: response.statusCode ?? 0, headers: headersOf(response), text, milliseconds });
        }, reject);
      },
    );
    sent.setTimeout(patienceMs, () => sent.destroy(new Error(`no answer within ${patienceMs} ms`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  return headers;
}

/** A line for a shell that sends the same request again. */
export function curlLine(baseUrl: string, { method, path, headers, body, isChunked }: FuzzRequest): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const shown = Object.entries({ ...headers, ...(isChunked ? { "transfer-encoding": "chunked" } : {}) }).map(
    ([name, value]) =>
      /^Bearer ./.test(value) ? '-H "authorization: Bearer $TOKEN"' : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const target = `-sS -i --path-as-is -X ${method} ${quoted(baseUrl + path)}`;
  if (body === undefined) return ["curl", target, ...shown].join(" ");
  const text = body.toString("utf8");
  const isPlain = /^[\x20-\x7e]{0,4000}$/.test(text);
  if (isPlain) return ["curl", target, ...shown, "--data-binary", quoted(text)].join(" ");
  return `echo ${body.toString("base64")} | base64 -d | ${["curl", target, ...shown, "--data-binary @-"].join(" ")}`;
}
