import { create, type DescMessage, type DescMethodUnary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Transport, UnaryResponse } from "@connectrpc/connect";
import { toWire } from "./metadata.ts";

/**
 * A transport that sends equal reads of one caller once when they come in the same turn of the event loop. Every answer
 * is as fresh as one of its own: a read joins others only before they are sent, so what was written before it began is
 * in the answer. Those who share an answer share its message, which nobody may change; services see the request id of
 * the first.
 *
 * One RPC costs 55 us of CPU here, to join one 4 us.
 */
export function shareReads(transport: Transport): Transport {
  let gathering = new Map<string, Gathered>();

  const sendAll = (): void => {
    const reads = gathering;
    gathering = new Map();
    for (const read of reads.values()) read.send();
  };

  const join = (key: string, send: () => Promise<AnyResponse>): Promise<AnyResponse> => {
    let read = gathering.get(key);
    if (read === undefined) {
      const { promise, resolve } = Promise.withResolvers<AnyResponse>();
      read = { answer: promise, send: () => resolve(send()) };
      gathering.set(key, read);
      if (gathering.size === 1) setImmediate(sendAll);
    }
    return read.answer;
  };

  return {
    stream: transport.stream,
    unary: async (method, signal, timeoutMs, header, input, contextValues) => {
      const isRead = method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
      if (!isRead || signal !== undefined || contextValues !== undefined || !isRecord(header)) {
        return transport.unary(method, signal, timeoutMs, header, input, contextValues);
      }
      const message = create(method.input, input);
      const key = keyOf(method, timeoutMs, header, toWire(method.input, message));
      const answer = await join(key, () => transport.unary(method, undefined, timeoutMs, header, message));
      return answer as UnaryResponse<typeof method.input, typeof method.output>;
    },
  };
}

type AnyResponse = UnaryResponse<DescMessage, DescMessage>;

interface Gathered {
  readonly answer: Promise<AnyResponse>;
  send(): void;
}

type Headers = Parameters<Transport["unary"]>[3];

const isRecord = (header: Headers): header is Record<string, string> =>
  header !== undefined && !(Symbol.iterator in header);

/** What differs from request to request although the caller is the same. */
const ofTheRequest = new Set(["x-request-id", "traceparent"]);

function keyOf(method: DescMethodUnary, timeoutMs: number | undefined, header: Record<string, string>, bytes: Buffer) {
  let key = `${method.parent.typeName}/${method.name} ${timeoutMs}\n`;
  for (const name in header) if (!ofTheRequest.has(name)) key += `${name}:${header[name]}\n`;
  return key + bytes.toString("latin1");
}
