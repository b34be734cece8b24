import {
  create,
  type DescFile,
  type FileRegistry,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { type handleBidiStreamingCall, type Server, type ServerDuplexStream, status } from "@grpc/grpc-js";
import {
  ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { addressOf } from "#platform/rpc/server.ts";
import type { FloodGuard } from "../limits/flood-guard.ts";

export interface Reflection {
  register(server: Server): void;
  /** Ends open streams, which tools may keep as long as the connection lasts. */
  close(): void;
}

type Call = ServerDuplexStream<Buffer, Buffer>;
type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** Both packages have the same messages; older tools only know the second. */
const paths = [ServerReflection.typeName, "grpc.reflection.v1alpha.ServerReflection"].map(
  (name) => `/${name}/${ServerReflection.method.serverReflectionInfo.name}`,
);

/** File and type names are much shorter. The limit matters because each answer repeats its question. */
const maxQuestionBytes = 4_096;

/**
 * gRPC server reflection. It reveals only what the repository contains, so anybody who can reach the port may
 * use it. The flood guard counts each question as a request.
 */
export function createReflection(contracts: FileRegistry, floodGuard: FloodGuard): Reflection {
  const open = new Set<Call>();
  const answerTo = createAnswers(contracts);
  const handle: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
    open.add(call);
    const address = addressOf(call.getPeer());
    // Emitted at the end of every call, cancelled or not.
    call.once("cancelled", () => open.delete(call));
    call.once("end", () => call.end());
    call.on("data", (bytes: Buffer) => {
      // One question at a time, so that answers do not pile up for a client that does not read them.
      call.pause();
      if (bytes.length > maxQuestionBytes) return end(call, status.RESOURCE_EXHAUSTED, "the question is too long");
      if (floodGuard.take(address) !== undefined) return end(call, status.RESOURCE_EXHAUSTED, "too many questions");
      let answer: Uint8Array;
      try {
        answer = answerTo(bytes);
      } catch {
        return end(call, status.INVALID_ARGUMENT, "this is no question");
      }
      call.write(Buffer.from(answer), () => call.resume());
    });
  };
  return {
    register: (server) => {
      const asIs = (bytes: Buffer): Buffer => bytes;
      for (const path of paths) server.register(path, handle, asIs, asIs, "bidi");
    },
    close: () => {
      for (const call of open) end(call, status.UNAVAILABLE, "the server is shutting down");
    },
  };
}

/** grpc-js answers an error of the stream with its status. */
function end(call: Call, code: status, details: string): void {
  call.emit("error", { code, details });
}

function createAnswers(contracts: FileRegistry): (question: Uint8Array) => Uint8Array {
  const types = [...contracts];
  const service = types.flatMap(({ kind, typeName }) => (kind === "service" ? [{ name: typeName }] : []));
  // Serialized once, because serializing the validation rules takes longer than the rest of an answer.
  const serialized = new Map(
    [...contracts.files].map((file) => [file, toBinary(FileDescriptorProtoSchema, file.proto)]),
  );
  const extensionsOf = (name: string) =>
    types.flatMap((type) => (type.kind === "extension" && type.extendee.typeName === name ? [type] : []));

  /** The file that declares a type, a service or an RPC. */
  const fileOf = (symbol: string): DescFile | undefined => {
    const dot = symbol.lastIndexOf(".");
    const rpcs = contracts.getService(symbol.slice(0, dot))?.methods ?? [];
    return (contracts.get(symbol) ?? rpcs.find(({ name }) => name === symbol.slice(dot + 1))?.parent)?.file;
  };

  /** A file followed by all its imports, so that clients need not ask again. */
  const tell = (file: DescFile | undefined): Answer => {
    if (file === undefined) return nothing;
    const files = new Set([file]);
    for (const one of files) for (const imported of one.dependencies) files.add(imported);
    const fileDescriptorProto = [...files].flatMap((one) => serialized.get(one) ?? []);
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  };

  const answerTo = ({ messageRequest: asked }: ServerReflectionRequest): Answer => {
    switch (asked.case) {
      case "listServices":
        return { case: "listServicesResponse", value: { service } };
      case "fileByFilename":
        return tell(contracts.getFile(asked.value));
      case "fileContainingSymbol":
        return tell(fileOf(asked.value));
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = asked.value;
        return tell(extensionsOf(containingType).find(({ number }) => number === extensionNumber)?.file);
      }
      case "allExtensionNumbersOfType": {
        if (contracts.getMessage(asked.value) === undefined) return nothing;
        const extensionNumber = extensionsOf(asked.value).map(({ number }) => number);
        return { case: "allExtensionNumbersResponse", value: { baseTypeName: asked.value, extensionNumber } };
      }
      default:
        return { case: "errorResponse", value: { errorCode: status.INVALID_ARGUMENT, errorMessage: "what is asked?" } };
    }
  };

  return (question) => {
    const originalRequest = fromBinary(ServerReflectionRequestSchema, question);
    const answer = { validHost: originalRequest.host, originalRequest, messageResponse: answerTo(originalRequest) };
    return toBinary(ServerReflectionResponseSchema, create(ServerReflectionResponseSchema, answer));
  };
}

const nothing: Answer = {
  case: "errorResponse",
  value: { errorCode: status.NOT_FOUND, errorMessage: "there is none of this name here" },
};
