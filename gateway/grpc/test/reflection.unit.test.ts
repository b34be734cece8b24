import { readFileSync } from "node:fs";
import { create, createFileRegistry, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { describe, expect, test } from "@jest/globals";
import {
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { newId } from "#platform/ids.ts";
import { observe, useResources } from "#platform/rpc/test/harness.ts";
import { configFromEnv, settings } from "../../config.ts";
import { createFloodGuard } from "../../limits/flood-guard.ts";
import { type GrpcDeps, listenGrpc, publicDescriptors } from "../listen-grpc.ts";
import { backends, publicAccess } from "../public-rpcs.ts";

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

const resources = useResources();
const services = backends.map(([, service]) => service);
const rpcs = services.flatMap(({ methods }) => methods);
const publicRpcs = rpcs.filter((method) => publicAccess(method) !== undefined);
const internalRpcs = rpcs.filter((method) => publicAccess(method) === undefined);
const list: Question = { case: "listServices", value: "" };
const symbol = (value: string): Question => ({ case: "fileContainingSymbol", value });

/** Asks a gateway of its own, over one stream. */
async function open({ reflection = true, requests = 1_000, version = "v1" } = {}) {
  const { logger, metrics } = observe();
  const unused = (): never => {
    throw new Error("reflection asks nobody else");
  };
  const deps = {
    runtime: { logger, metrics, newId, tracer: undefined },
    transports: {},
    ...{ authenticate: unused, takeRequest: unused, requireActive: unused },
    floodGuard: createFloodGuard({ requests, monotonic: () => 0, now: () => 0 }),
  } as unknown as GrpcDeps;
  const config = { host: "127.0.0.1", port: 0, tls: undefined, clients: () => new Map(), reflection };
  const server = await listenGrpc(config, deps);
  resources.defer(() => server.drain(0));
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  resources.defer(() => client.close());
  const asIs = (bytes: Buffer): Buffer => bytes;
  const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  const start = () => client.makeBidiStreamRequest<Buffer, Buffer>(path, asIs, asIs);
  const askBytes = (questions: readonly Uint8Array[]): Promise<ServerReflectionResponse[]> =>
    new Promise((resolve, reject) => {
      const answers: ServerReflectionResponse[] = [];
      const call = start();
      call.on("data", (bytes: Buffer) => answers.push(fromBinary(ServerReflectionResponseSchema, bytes)));
      call.once("error", reject).once("end", () => resolve(answers));
      for (const bytes of questions) call.write(Buffer.from(bytes));
      call.end();
    });
  const ask = (...questions: Question[]) =>
    askBytes(
      questions.map((messageRequest) =>
        toBinary(ServerReflectionRequestSchema, create(ServerReflectionRequestSchema, { messageRequest })),
      ),
    );
  return { server, start, ask, askBytes };
}

const codeOf = (asked: Promise<unknown>): Promise<status> =>
  asked.then(
    () => status.OK,
    ({ code }: ServiceError) => code,
  );

function filesIn(answer: ServerReflectionResponse | undefined) {
  const told = answer?.messageResponse;
  if (told?.case !== "fileDescriptorResponse") throw new Error(`no file but ${told?.case}`);
  return told.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

describe("reflection", () => {
  test.each(["v1", "v1alpha"])("of %s lists exactly the services with public RPCs", async (version) => {
    const { ask } = await open({ version });
    const [answer] = await ask(list);
    const names = [...new Set(publicRpcs.map(({ parent }) => parent.typeName))].sort();
    expect(names).toHaveLength(4);
    const told = answer?.messageResponse;
    expect(told?.case === "listServicesResponse" && told.value.service.map(({ name }) => name).sort()).toEqual(names);
  });

  test("answers for every public RPC the file that it is in and all that it imports", async () => {
    const { ask } = await open();
    const answers = await ask(...publicRpcs.map(({ parent, name }) => symbol(`${parent.typeName}.${name}`)));
    expect(answers).toHaveLength(publicRpcs.length);
    for (const [n, rpc] of publicRpcs.entries()) {
      const file = filesIn(answers[n]);
      expect(file[0]?.name).toBe(rpc.parent.file.proto.name);
      // Throws when an import is missing.
      const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.reverse() }));
      const told = registry.getService(rpc.parent.typeName)?.methods.find(({ name }) => name === rpc.name);
      expect(told?.input.fields.map(({ name, number }) => [name, number])).toEqual(
        rpc.input.fields.map(({ name, number }) => [name, number]),
      );
      expect(told && publicAccess(told)?.scopes).toEqual(publicAccess(rpc)?.scopes);
    }
  });

  test("answers for a message, a file by its name and an option", async () => {
    const { ask } = await open();
    const extension = { containingType: "google.protobuf.MethodOptions", extensionNumber: 50_617 };
    const [message, named, option, numbers] = await ask(
      symbol("assent.click.v1.AcceptRequest"),
      { case: "fileByFilename", value: "google/protobuf/timestamp.proto" },
      { case: "fileContainingExtension", value: extension },
      { case: "allExtensionNumbersOfType", value: extension.containingType },
    );
    const names = filesIn(message).map(({ name }) => name);
    expect(names[0]).toBe("assent/click/v1/click.proto");
    expect(names).toEqual(expect.arrayContaining(["buf/validate/validate.proto", "google/protobuf/descriptor.proto"]));
    expect(filesIn(named)[0]?.messageType.map(({ name }) => name)).toEqual(["Timestamp"]);
    expect(filesIn(option)[0]?.name).toBe("assent/access/v1/access.proto");
    expect(numbers?.messageResponse.value).toMatchObject({ extensionNumber: expect.arrayContaining([50_617]) });
  });

  test("tells of no internal RPC, and of no message that only those need", async () => {
    const { ask } = await open();
    const contracts = publicDescriptors(services);
    const used = new Set([...contracts].map(({ typeName }) => typeName));
    const hidden = [
      ...internalRpcs.map(({ parent, name }) => `${parent.typeName}.${name}`),
      ...internalRpcs.map(({ input }) => input.typeName).filter((name) => !used.has(name)),
    ];
    expect(hidden.length).toBeGreaterThan(100);
    const answers = await ask(...hidden.map(symbol));
    expect(answers.map(({ messageResponse }) => messageResponse.case)).toEqual(hidden.map(() => "errorResponse"));
    const told = [...contracts.files].flatMap(({ proto }) =>
      proto.service.flatMap((service) => service.method.map(({ name }) => `${proto.package}.${service.name}.${name}`)),
    );
    expect(told.sort()).toEqual(publicRpcs.map(({ parent, name }) => `${parent.typeName}.${name}`).sort());
    expect(new Set([...contracts.files].map(({ name }) => name.split("/")[1]))).not.toContain("auth");
  });

  test("knows what the page asks for by grpcurl", async () => {
    const page = readFileSync(new URL("../../../docs/grpc.md", import.meta.url), "utf8");
    const [first, ...lines] = [...page.matchAll(/^grpcurl -plaintext \S+ (list|describe \S+)$/gm)].map(
      ([, what]) => what,
    );
    expect(first).toBe("list");
    const { ask } = await open();
    const [answer] = await ask(...lines.map((what = "") => symbol(what.replace("describe ", ""))));
    expect(filesIn(answer)[0]?.name).toMatch(/^assent\//);
  });

  test("is turned on by its setting alone", () => {
    const required = Object.entries(settings).filter(([, { fallback }]) => fallback === undefined);
    const env = { ...Object.fromEntries(required.map(([name]) => [name, "x"])), DATABASE_URL: "postgres://x/y" };
    const read = (more: Record<string, string>) => configFromEnv({ ...env, GRPC_PORT: "50051", ...more }).grpc;
    expect(read({})?.reflection).toBe(false);
    expect(read({ GRPC_REFLECTION: "true" })?.reflection).toBe(true);
    expect(() => read({ GRPC_REFLECTION: "yes" })).toThrow("GRPC_REFLECTION");
  });

  test("is not there when it is not asked for", async () => {
    const { ask } = await open({ reflection: false });
    expect(await codeOf(ask(list))).toBe(status.UNIMPLEMENTED);
  });

  test("refuses what is no question, what is too long, and who asks too much", async () => {
    const { ask, askBytes } = await open({ requests: 3 });
    expect(await codeOf(askBytes([Buffer.from([0xff])]))).toBe(status.INVALID_ARGUMENT);
    expect(await codeOf(askBytes([Buffer.alloc(5_000)]))).toBe(status.RESOURCE_EXHAUSTED);
    expect(await codeOf(ask(list, list))).toBe(status.OK);
    expect(await codeOf(ask(list))).toBe(status.RESOURCE_EXHAUSTED);
  });

  test("lets no open stream hold up the end of the process", async () => {
    const { server, start } = await open();
    const call = start();
    const ended = new Promise((resolve) => call.once("error", ({ code }: ServiceError) => resolve(code)));
    await new Promise<void>((resolve) => call.once("data", () => resolve()).write(Buffer.from([0x3a, 0])));
    await server.drain(60_000);
    expect(await ended).toBe(status.UNAVAILABLE);
  });
});
