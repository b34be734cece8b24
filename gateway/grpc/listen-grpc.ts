import { createHash } from "node:crypto";
import {
  clone,
  create,
  createFileRegistry,
  type DescEnum,
  type DescFile,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  type FileRegistry,
  type JsonObject,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, Interceptor, Transport } from "@connectrpc/connect";
import { createHealthState } from "#platform/admin-port.ts";
import { callerHeaderNames } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { peerKey, requireKnownCaller } from "#platform/rpc/callers.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { type RpcServer, startRpcServer } from "#platform/rpc/server.ts";
import type { OpenTlsFiles } from "#platform/rpc/tls.ts";
import type { Runtime } from "#platform/service.ts";
import { type AdmitDeps, createAdmit } from "./admit.ts";
import { type Backend, backends, type ClientMap, publicAccess } from "./public-rpcs.ts";
import { createReflection } from "./reflection.ts";

export interface GrpcConfig {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Plain text when absent, for a network that is encrypted already. */
  readonly tls: OpenTlsFiles | undefined;
  /** Programs that authenticate with certificates, as currently configured. */
  readonly clients: () => ClientMap;
  /** Whether server reflection is offered. */
  readonly reflection?: boolean;
}

export interface GrpcDeps extends Omit<AdmitDeps, "clients" | "newId"> {
  readonly runtime: Pick<Runtime, "logger" | "metrics" | "tracer" | "newId">;
  readonly transports: Readonly<Record<Backend, Transport>>;
}

/** Room for a document of 25 MB and its metadata. */
const maxMessageBytes = 28 * 1024 * 1024;

/** Serves the public RPCs to programs outside the installation. Rejects when the port cannot be bound. */
export async function listenGrpc(config: GrpcConfig, deps: GrpcDeps): Promise<RpcServer> {
  const { logger, metrics, tracer, newId } = deps.runtime;
  const admitOutsider = createAdmit({ ...deps, clients: config.clients, newId });
  // Caller headers are never trusted here, not even from internal processes.
  const known = requireKnownCaller({ ownNames: new Set(), admitOutsider });
  const callers: Interceptor = (next) => known(noting(deps.noteUse)(next));
  const health = createHealthState();
  const reflection = config.reflection
    ? createReflection(publicDescriptors(backends.map(([, service]) => service)), deps.floodGuard)
    : undefined;
  const server = await startRpcServer({
    ...{ host: config.host, port: config.port, tls: config.tls, maxMessageBytes, logger, health },
    register: reflection?.register,
    routes: forwardingRoutes(deps.transports),
    interceptors: serverInterceptors({ service: "gateway", logger, metrics, tracer, callers }),
  });
  health.setServing(true);
  logger.info({ grpcPort: server.port }, "serving gRPC");
  return {
    port: server.port,
    drain: (graceMs) => {
      health.setServing(false);
      reflection?.close();
      return server.drain(graceMs);
    },
  };
}

/** Of calls that were admitted, whose organization is known by then. */
const noting =
  (noteUse: GrpcDeps["noteUse"]): Interceptor =>
  (next) =>
  async (request) => {
    const startedAt = performance.now();
    try {
      return await next(request);
    } finally {
      noteUse(request.header.get("x-org-id") ?? "", performance.now() - startedAt, false);
    }
  };

/** Forwards every public RPC to the service that implements it. */
function forwardingRoutes(transports: Readonly<Record<Backend, Transport>>): RpcRoutes {
  return (router) => {
    for (const [backend, service] of backends) {
      for (const method of service.methods) {
        // RPCs that are not public are refused earlier; without a handler they would answer as unknown.
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
  // Cancels the work when the caller stops waiting.
  const { signal } = context;
  const answer = await transport.unary(method, signal, context.timeoutMs(), headers, completed);
  return answer.message;
}

/** Sets the fields that services only accept from the gateway, overwriting the caller's. */
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

/** A hash of the whole request: the same key with another request is refused. */
const hashOf = (method: DescMethodUnary, message: Message): Uint8Array =>
  createHash("sha256")
    .update(`${method.parent.typeName}/${method.name}\n`)
    .update(canonicalJson(toJson(method.input, message) as JsonObject))
    .digest();

/**
 * The public part of the contracts: services with their public RPCs, the types those need, and their options.
 * Internal RPCs and types are left out.
 */
export function publicDescriptors(services: readonly DescService[]): FileRegistry {
  const methods = services.flatMap((service) => service.methods.filter((method) => publicAccess(method) !== undefined));
  const wanted = new Set(methods.map(({ parent }) => parent.file).flatMap(filesOfOptions));
  const types = new Set<DescMessage | DescEnum>();
  for (const { input, output } of methods) {
    reach(input, types);
    reach(output, types);
  }
  const names = new Set<string>([...types, ...methods.map(({ parent }) => parent)].map(({ typeName }) => typeName));
  const methodNames = new Set(methods.map(({ parent, name }) => `${parent.typeName}.${name}`));
  const kept = new Set([...wanted, ...[...types, ...methods.map(({ parent }) => parent)].map(({ file }) => file)]);

  const reduced = (file: DescFile) => {
    const proto = clone(FileDescriptorProtoSchema, file.proto);
    proto.dependency = file.dependencies.filter((one) => kept.has(one)).map((one) => one.proto.name);
    if (wanted.has(file)) return proto;
    const isKept = ({ name }: { name: string }) => names.has(`${proto.package}.${name}`);
    proto.messageType = proto.messageType.filter(isKept);
    proto.enumType = proto.enumType.filter(isKept);
    proto.service = proto.service.filter(isKept);
    for (const service of proto.service) {
      service.method = service.method.filter(({ name }) => methodNames.has(`${proto.package}.${service.name}.${name}`));
    }
    return proto;
  };
  const file = inOrder(kept).map(reduced);
  return createFileRegistry(create(FileDescriptorSetSchema, { file }));
}

/** Files that define options. They are included whole, with everything they import. */
function filesOfOptions(file: DescFile): DescFile[] {
  return withImports(file).flatMap((one) => (one.extensions.length > 0 ? withImports(one) : []));
}

/** Collects a type, the types that enclose it and the types of all its fields. */
function reach(type: DescMessage | DescEnum, found: Set<DescMessage | DescEnum>): void {
  let outermost = type;
  while (outermost.parent !== undefined) outermost = outermost.parent;
  if (found.has(outermost)) return;
  found.add(outermost);
  if (outermost.kind === "message") reachFields(outermost, found);
}

function reachFields(message: DescMessage, found: Set<DescMessage | DescEnum>): void {
  for (const { message: inner, enum: choice } of message.fields) {
    if (inner !== undefined) reach(inner, found);
    if (choice !== undefined) reach(choice, found);
  }
  for (const nested of message.nestedMessages) reachFields(nested, found);
}

/** A file, preceded by its imports. */
const withImports = (file: DescFile): DescFile[] => [...file.dependencies.flatMap(withImports), file];

const inOrder = (kept: ReadonlySet<DescFile>): DescFile[] => [
  ...new Set([...kept].flatMap(withImports).filter((file) => kept.has(file))),
];
