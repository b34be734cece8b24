import { createHash } from "node:crypto";
import { clone, type DescMethodUnary, type JsonObject, type Message, toJson } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { HandlerContext, Transport } from "@connectrpc/connect";
import { callerHeaderNames } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { peerKey } from "#platform/rpc/callers.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { type Backend, backends, publicAccess } from "./public-rpcs.ts";

/** Answers every public RPC with what the service answers that offers it. */
export function forwardingRoutes(transports: Readonly<Record<Backend, Transport>>): RpcRoutes {
  return (router) => {
    for (const [backend, service] of backends) {
      for (const method of service.methods) {
        // Those that are not public are refused before; without a handler they would not even be known.
        if (method.methodKind !== "unary") continue;
        const unary = method as DescMethodUnary;
        router.rpc(unary, (message, context) => forward(transports[backend], unary, message, context));
      }
    }
  };
}

async function forward(
  transport: Transport,
  method: DescMethodUnary,
  message: Message,
  context: HandlerContext,
): Promise<Message> {
  if (publicAccess(method) === undefined) throw new Error(`${method.name} is not public`);
  const headers = Object.fromEntries(callerHeaderNames.map((name) => [name, context.requestHeader.get(name) ?? ""]));
  const completed = complete(method, message, context);
  // What the caller does not wait for any longer is not done.
  const { signal } = context;
  const answer = await transport.unary(method, signal, context.timeoutMs(), headers, completed);
  return answer.message;
}

/** Fills in what services believe of the gateway alone, whatever the caller has put there. */
function complete(method: DescMethodUnary, given: Message, context: HandlerContext): Message {
  const fields = method.input.field;
  if (fields.observed === undefined && fields.requestHash === undefined) return given;
  const message = clone(method.input, given);
  const view = reflect(method.input, message);
  const { observed, requestHash, idempotencyKey } = fields;
  if (observed !== undefined) view.clear(observed);
  if (requestHash !== undefined) {
    view.clear(requestHash);
    if (idempotencyKey !== undefined && view.get(idempotencyKey) !== "") view.set(requestHash, hashOf(method, message));
  }
  if (observed?.fieldKind === "message") {
    const seen = reflect(observed.message);
    const { ip, userAgent } = observed.message.field;
    if (ip !== undefined) seen.set(ip, context.values.get(peerKey).address);
    if (userAgent !== undefined) seen.set(userAgent, (context.requestHeader.get("user-agent") ?? "").slice(0, 1_000));
    view.set(observed, seen);
  }
  return message;
}

/** Of everything that was asked for: the same key with another request is refused. */
const hashOf = (method: DescMethodUnary, message: Message): Uint8Array =>
  createHash("sha256")
    .update(`${method.parent.typeName}/${method.name}\n`)
    .update(canonicalJson(toJson(method.input, message) as JsonObject))
    .digest();
