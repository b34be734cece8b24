import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** A span as it came over the wire. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty when it begins a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly string[];
  readonly failed: boolean;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** What was sent, byte for byte. */
  readonly bodies: readonly Buffer[];
  readonly requests: readonly { readonly path: string; readonly authorization: string }[];
  /** Requests that have no answer yet. */
  waiting(): number;
  /** What it does from now on; it takes spans at first. What waits for its answer is answered when it does again. */
  behave(as: "taking" | "silent" | "refusing"): void;
  close(): Promise<void>;
}

/** A collector of traces: OTLP over HTTP with protobuf, read without any part of OpenTelemetry. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const requests: { path: string; authorization: string }[] = [];
  const silenced: (() => void)[] = [];
  let behaviour: Parameters<OtlpReceiver["behave"]>[0] = "taking";
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (behaviour === "silent") await new Promise<void>((resolve) => silenced.push(resolve));
    if (behaviour === "refusing") {
      response.writeHead(503).end();
      return;
    }
    const body = Buffer.concat(chunks);
    bodies.push(body);
    requests.push({ path: request.url ?? "", authorization: request.headers.authorization ?? "" });
    spans.push(...readExport(body));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    requests,
    waiting: () => silenced.length,
    behave: (as) => {
      behaviour = as;
      if (as !== "silent") for (const resume of silenced.splice(0)) resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The fields of a message by their numbers; opentelemetry-proto says which is which. */
type Fields = Map<number, (Uint8Array | number | bigint)[]>;

function readFields(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields: Fields = new Map();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), readValue(reader, wireType)]);
  }
  return fields;
}

function readValue(reader: BinaryReader, wireType: number): Uint8Array | number | bigint {
  if (wireType === 2) return reader.bytes();
  if (wireType === 1) return reader.fixed64() as bigint;
  return wireType === 5 ? reader.fixed32() : BigInt(reader.int64());
}

const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((bytes) => readFields(bytes as Uint8Array));
const text = (fields: Fields, number: number): string => Buffer.from(bytesOf(fields, number)).toString();
const hex = (fields: Fields, number: number): string => Buffer.from(bytesOf(fields, number)).toString("hex");
const bytesOf = (fields: Fields, number: number): Uint8Array => (fields.get(number)?.[0] as Uint8Array) ?? Buffer.of();
const whole = (fields: Fields, number: number): number => Number(fields.get(number)?.[0] ?? 0);

const readExport = (body: Uint8Array): ReceivedSpan[] =>
  messages(readFields(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0] ?? new Map(), 1);
    const scopes = messages(resourceSpans, 2);
    return scopes.flatMap((scope) =>
      messages(scope, 2).map((span) => readSpan(span, String(resource["service.name"]))),
    );
  });

const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];

const readSpan = (span: Fields, service: string): ReceivedSpan => ({
  service,
  traceId: hex(span, 1),
  spanId: hex(span, 2),
  parentId: hex(span, 4),
  name: text(span, 5),
  kind: kinds[whole(span, 6)] ?? "unknown",
  attributes: attributesOf(span, 9),
  links: messages(span, 13).map((link) => hex(link, 2)),
  failed: messages(span, 15).some((status) => whole(status, 3) === 2),
});

const attributesOf = (fields: Fields, number: number): Record<string, string | number | boolean> =>
  Object.fromEntries(
    messages(fields, number).map((pair) => {
      const value = messages(pair, 2)[0] ?? new Map();
      if (value.has(1)) return [text(pair, 1), text(value, 1)];
      return [text(pair, 1), value.has(2) ? whole(value, 2) === 1 : whole(value, 3)];
    }),
  );
