import { Code, ConnectError } from "@connectrpc/connect";
import { Metadata, status } from "@grpc/grpc-js";
import { describe, expect, test } from "@jest/globals";
import { RetryInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { DomainError, fromConnectError, toConnectError } from "../../errors.ts";
import { errorFromStatus, statusFromError } from "../status.ts";

const sendAndReceive = (error: ConnectError): ConnectError => errorFromStatus(statusFromError(error), new Headers());

describe("an error as a gRPC status", () => {
  test("comes back with code, message, details and metadata", () => {
    const domainError = new DomainError("CLICK_DATA_INVALID", {
      message: "no “good”",
      details: [{ field: "a", code: "B", message: "c" }],
      metadata: { retryAfterSeconds: "3" },
    });
    const sent = toConnectError(domainError);
    sent.metadata.set("x-hint", "h");

    const received = sendAndReceive(sent);

    expect(fromConnectError(received)).toMatchObject({ ...domainError, message: "no “good”" });
    expect(received.code).toBe(Code.FailedPrecondition);
    expect(received.metadata.get("x-hint")).toBe("h");
    expect(received.findDetails(RetryInfoSchema)).toMatchObject([{ retryDelay: { seconds: 3n, nanos: 0 } }]);
  });

  test("says nothing of sending it again when that is not known", () => {
    for (const metadata of [{}, { retryAfterSeconds: "" }, { retryAfterSeconds: "soon" }]) {
      const received = sendAndReceive(toConnectError(new DomainError("NOT_FOUND", { metadata })));
      expect(received.findDetails(RetryInfoSchema)).toEqual([]);
    }
  });

  test.each([
    ["many problems", { field: "recipients[0].name", code: "BAD", message: "is bad" }, 100],
    ["long problems", { field: "f".repeat(5_000), code: "BAD", message: "ü".repeat(5_000) }, 9],
  ])("tells the first of %s, and how many there are, the same with and without a wire", (_name, problem, listed) => {
    const error = new DomainError("VALIDATION_FAILED", { details: Array.from({ length: 2_000 }, () => problem) });

    const received = fromConnectError(sendAndReceive(toConnectError(error)));

    expect(error.message).toMatch(new RegExp(`Only ${listed} of 2000 problems are listed\\.$`));
    expect(received?.details).toEqual(error.details);
    expect([received?.message, received?.metadata]).toEqual([error.message, error.metadata]);
  });

  test("cuts a message that would not fit into a header block", () => {
    const received = sendAndReceive(new ConnectError("ü".repeat(100_000), Code.NotFound));

    expect(received.rawMessage).toBe("ü".repeat(4096));
  });

  test("passes on what another server said, without that server's metadata", () => {
    const wire = sendAndReceive(toConnectError(new DomainError("NOT_FOUND")));
    wire.metadata.set("x-from-there", "1");

    const received = sendAndReceive(wire);

    expect(fromConnectError(received)?.code).toBe("NOT_FOUND");
    expect(received.metadata.get("x-from-there")).toBeNull();
  });

  test("has code unknown when the peer sent one that does not exist", () => {
    const received = errorFromStatus({ code: 99 as status, details: "?", metadata: new Metadata() }, new Headers());

    expect(received.code).toBe(Code.Unknown);
  });

  test("carries the headers of the response in its metadata", () => {
    const plain = { code: status.NOT_FOUND, details: "gone", metadata: new Metadata() };

    expect(errorFromStatus(plain, new Headers({ "x-a": "1" })).metadata.get("x-a")).toBe("1");
  });
});
