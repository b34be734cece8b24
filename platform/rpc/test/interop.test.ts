import { createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport as createNodeGrpcTransport } from "@connectrpc/connect-node";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { describe, expect, test } from "@jest/globals";
import { ClickService, GetReceiptRequestSchema, GetReceiptResponseSchema } from "#gen/assent/click/v1/click_pb.ts";
import { Health } from "#gen/grpc/health/v1/health_pb.ts";
import { DomainError } from "../../errors.ts";
import { expectDomainError } from "../../testing/expect-domain-error.ts";
import { serverInterceptors } from "../interceptors.ts";
import { type ClickHandlers, clickClient, clickRoutes, observe, useResources } from "./harness.ts";

const details = [{ field: "a.b", code: "X", message: "ü is wrong" }];

/** One handler that shows every kind of answer. */
const handlers: ClickHandlers = {
  getReceipt: async (request, context) => {
    context.responseHeader.set("x-header", context.requestHeader.get("x-from") ?? "");
    context.responseHeader.set("x-header-bin", context.requestHeader.get("x-from-bin") ?? "");
    context.responseTrailer.set("x-trailer", "end");
    if (request.receiptId === "domain") throw new DomainError("CLICK_DATA_INVALID", { details, metadata: { n: "1" } });
    if (request.receiptId === "plain") throw new ConnectError("50% of a:b/c, “ü”", Code.FailedPrecondition);
    if (request.receiptId === "crash") throw new Error("secret");
    if (request.receiptId === "slow") {
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    }
    return { receiptJson: request.receiptId };
  },
};

const resources = useResources();
const interceptors = serverInterceptors({ service: "click", ...observe() });

async function serveOverConnectNode(): Promise<number> {
  const server: Http2Server = createServer(connectNodeAdapter({ routes: clickRoutes(handlers), interceptors }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  resources.defer(() => new Promise((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

const serveOverGrpcJs = async (): Promise<number> => (await resources.serve(handlers, { interceptors })).port;

function nodeTransport(port: number): Transport {
  // Without this its session would keep the server from closing.
  return createNodeGrpcTransport({ baseUrl: `http://127.0.0.1:${port}`, idleConnectionTimeoutMs: 100 });
}

const pairs: [name: string, connect: () => Promise<Transport>][] = [
  ["connect-node's gRPC client and our server", async () => nodeTransport(await serveOverGrpcJs())],
  [
    "our client and a connect-node server",
    async () => resources.transport(`127.0.0.1:${await serveOverConnectNode()}`),
  ],
  ["our client and our server", async () => resources.transport(`127.0.0.1:${await serveOverGrpcJs()}`)],
];

describe.each(pairs)("%s", (_name, connect) => {
  test("exchange messages and metadata", async () => {
    const seen: (string | null)[] = [];

    const answer = await clickClient(await connect()).getReceipt(
      { receiptId: "r1" },
      {
        headers: { "x-from": "here", "x-from-bin": "3q2+7w" },
        // Padding is optional on the wire.
        onHeader: (header) => seen.push(header.get("x-header"), header.get("x-header-bin")?.replace(/=+$/, "") ?? null),
        onTrailer: (trailer) => seen.push(trailer.get("x-trailer")),
      },
    );

    expect(answer.receiptJson).toBe("r1");
    expect(seen).toEqual(["here", "3q2+7w", "end"]);
  });

  test("exchange a domain error", async () => {
    const call = clickClient(await connect()).getReceipt({ receiptId: "domain" }, { headers: { "x-from": "here" } });

    expect(await expectDomainError(call, "CLICK_DATA_INVALID")).toMatchObject({ details, metadata: { n: "1" } });
    const error = await call.catch((reason: unknown) => reason as ConnectError);
    expect((error as ConnectError).metadata.get("x-header")).toBe("here");
    expect((error as ConnectError).metadata.get("x-trailer")).toBe("end");
  });

  test("exchange an error without details", async () => {
    const call = clickClient(await connect()).getReceipt({ receiptId: "plain" });

    await expect(call).rejects.toMatchObject({ code: Code.FailedPrecondition, rawMessage: "50% of a:b/c, “ü”" });
  });

  test("keep an unexpected error secret", async () => {
    const call = clickClient(await connect()).getReceipt({ receiptId: "crash" });

    await expect(call).rejects.toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
  });

  test("agree on the deadline", async () => {
    const client = clickClient(await connect());
    // The time to connect must not use up the deadline of the call that is measured.
    await client.getReceipt({ receiptId: "plain" }).catch(() => undefined);

    await expect(client.getReceipt({ receiptId: "slow" }, { timeoutMs: 500 })).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
    });
  });

  test("agree on an RPC without handler", async () => {
    const call = clickClient(await connect()).getSession({ sessionId: "s" });

    await expect(call).rejects.toMatchObject({ code: Code.Unimplemented });
  });

  test("agree on a service that is not there", async () => {
    const call = createClient(Health, await connect()).check({ service: "nobody.Knows" });

    expect([Code.Unimplemented, Code.NotFound]).toContain(
      await call.catch((error: unknown) => (error as ConnectError).code),
    );
  });
});

describe("a plain grpc-js client", () => {
  async function open() {
    const client = new Client(`127.0.0.1:${await serveOverGrpcJs()}`, credentials.createInsecure());
    resources.defer(() => client.close());
    return (receiptId: string, path = "GetReceipt") =>
      new Promise<{ error: ServiceError | null; answer: string | undefined }>((resolve) => {
        client.makeUnaryRequest(
          `/${ClickService.typeName}/${path}`,
          (request: string) =>
            Buffer.from(
              toBinary(GetReceiptRequestSchema, {
                $typeName: "assent.click.v1.GetReceiptRequest",
                receiptId: request,
              }),
            ),
          (bytes: Buffer) => fromBinary(GetReceiptResponseSchema, bytes).receiptJson,
          receiptId,
          new Metadata(),
          { deadline: Date.now() + 2000 },
          (error, answer) => resolve({ error, answer }),
        );
      });
  }

  test("calls our server", async () => {
    const call = await open();

    expect(await call("r1")).toEqual({ error: null, answer: "r1" });
  });

  test("reads our errors", async () => {
    const call = await open();

    const { error } = await call("domain");

    expect(error?.code).toBe(status.FAILED_PRECONDITION);
    expect(error?.metadata.get("grpc-status-details-bin")[0]).toBeInstanceOf(Buffer);
    expect((await call("plain")).error?.details).toBe("50% of a:b/c, “ü”");
    expect((await call("r1", "Nothing")).error?.code).toBe(status.UNIMPLEMENTED);
  });
});
