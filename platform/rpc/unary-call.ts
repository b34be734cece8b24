import { create } from "@bufbuild/protobuf";
import {
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { type Peer, peerKey } from "./callers.ts";
import type { UnaryRoute } from "./routes.ts";

/** What a handler is told about its call, and the means to tell it that nobody waits any more. */
export interface CallContext extends HandlerContext {
  abort(reason?: unknown): void;
}

/** The context of one call that came over gRPC. */
export function createCallContext(
  route: UnaryRoute,
  requestHeader: Headers,
  deadline: number | undefined,
  peer: Peer,
): CallContext {
  const callSignal = createCallSignal();
  return {
    method: route.method,
    service: route.method.parent,
    protocolName: "grpc",
    requestMethod: "POST",
    url: route.path,
    requestHeader,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    values: createContextValues().set(peerKey, peer),
    timeoutMs: () => (deadline === undefined ? undefined : deadline - Date.now()),
    get signal() {
      return callSignal.signal;
    },
    abort: callSignal.abort,
  };
}

/** Runs one call through the interceptors, the first one outermost, and the handler. */
export async function runUnaryRoute(
  route: UnaryRoute,
  interceptors: readonly Interceptor[],
  context: CallContext,
  message: UnaryRequest["message"],
): Promise<UnaryResponse> {
  const request: UnaryRequest = {
    stream: false,
    method: route.method,
    service: context.service,
    requestMethod: context.requestMethod,
    url: context.url,
    header: context.requestHeader,
    contextValues: context.values,
    message,
    get signal() {
      return context.signal;
    },
  };
  let next: ReturnType<Interceptor> = (given) =>
    invokeHandler(route, context, given as UnaryRequest, given === request);
  for (const interceptor of interceptors.toReversed()) next = interceptor(next);
  return (await next(request)) as UnaryResponse;
}

async function invokeHandler(
  route: UnaryRoute,
  context: CallContext,
  request: UnaryRequest,
  isOriginal: boolean,
): Promise<UnaryResponse> {
  const output = await route.impl(request.message, isOriginal ? context : contextOf(request, context));
  return {
    stream: false,
    method: route.method,
    service: context.service,
    header: context.responseHeader,
    trailer: context.responseTrailer,
    message: create(route.method.output, output),
  };
}

/** An interceptor may pass on a request of its own making; the handler sees what that says. */
const contextOf = (request: UnaryRequest, context: CallContext): HandlerContext => ({
  ...context,
  requestHeader: request.header,
  signal: request.signal,
  values: request.contextValues,
});

/** The abort signal of one call. */
interface CallSignal {
  readonly signal: AbortSignal;
  /** Aborts the signal; the first reason counts. */
  abort(reason?: unknown): void;
}

/** A signal that is made when somebody first looks at it: making and aborting one costs a tenth of a whole call. */
function createCallSignal(): CallSignal {
  let controller: AbortController | undefined;
  let ended: { readonly reason: unknown } | undefined;
  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (ended !== undefined) controller.abort(ended.reason);
      }
      return controller.signal;
    },
    abort: (reason) => {
      ended ??= { reason };
      controller?.abort(ended.reason);
    },
  };
}
