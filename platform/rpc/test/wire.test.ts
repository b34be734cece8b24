import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { callerHeaders, requireCaller } from "../../caller.ts";
import { DomainError } from "../../errors.ts";
import { expectDomainError } from "../../testing/expect-domain-error.ts";
import { caller, clickClient, failureOf, useResources, wires } from "./harness.ts";

const resources = useResources();

describe.each(wires(resources))("a call over %s", (_name, open) => {
  test("brings the answer of the handler", async () => {
    const transport = await open({ getReceipt: (request) => ({ receiptJson: `{"id":"${request.receiptId}"}` }) });

    const answer = await clickClient(transport).getReceipt({ receiptId: "r1" });

    expect(answer.receiptJson).toBe('{"id":"r1"}');
  });

  test("brings an answer without any field", async () => {
    const transport = await open({ getReceipt: () => ({}) });

    expect((await clickClient(transport).getReceipt({})).receiptJson).toBe("");
  });

  test("carries the caller", async () => {
    const transport = await open({
      getReceipt: (_request, context) => ({ receiptJson: JSON.stringify(requireCaller(context)) }),
    });

    const answer = await clickClient(transport).getReceipt({}, { headers: callerHeaders(caller) });

    expect(JSON.parse(answer.receiptJson)).toEqual(caller);
  });

  test("carries text and binary metadata both ways, in headers and trailers", async () => {
    const transport = await open({
      getReceipt: (_request, context) => {
        context.responseHeader.set("x-seen", context.requestHeader.get("x-text") ?? "");
        context.responseHeader.set("x-seen-bin", context.requestHeader.get("x-bytes-bin") ?? "");
        context.responseTrailer.set("x-end", "done");
        context.responseTrailer.set("x-end-bin", "AQL/");
        return {};
      },
    });
    const seen: [string | null, string | null][] = [];

    await clickClient(transport).getReceipt(
      {},
      {
        headers: { "x-text": "a, b", "x-bytes-bin": "3q2+7w" },
        onHeader: (header) => seen.push([header.get("x-seen"), header.get("x-seen-bin")]),
        onTrailer: (trailer) => seen.push([trailer.get("x-end"), trailer.get("x-end-bin")]),
      },
    );

    expect(seen).toEqual([
      ["a, b", "3q2+7w"],
      ["done", "AQL/"],
    ]);
  });

  test("hands over bytes as a Uint8Array of the receiver's own", async () => {
    const body = new Uint8Array(100_000).fill(7);
    let received: Uint8Array | undefined;
    const transport = await open({
      acceptBatch: (request) => {
        received = request.items[0]?.body;
        received?.fill(9);
        return {};
      },
    });
    const items = [{ caller: { organizationId: caller.orgId, clientId: "c" }, idempotencyKey: "k", body }];

    await clickClient(transport).acceptBatch({ items });

    expect(Object.getPrototypeOf(received)).toBe(Uint8Array.prototype);
    expect(received?.length).toBe(100_000);
    expect(body[0]).toBe(7);
  });

  test("brings a domain error with its details and metadata", async () => {
    const details = [{ field: "policyFlags.minAge", code: "OUT_OF_RANGE", message: "must be 0 to 120" }];
    const transport = await open({
      accept: () => {
        throw new DomainError("CLICK_RATE_LIMITED", {
          message: "later",
          details,
          metadata: { retryAfterSeconds: "7" },
        });
      },
    });

    const call = clickClient(transport).accept({ idempotencyKey: "k" });

    const error = await expectDomainError(call, "CLICK_RATE_LIMITED");
    expect(error).toMatchObject({ message: "later", details, metadata: { retryAfterSeconds: "7" } });
    expect((await failureOf(call)).code).toBe(Code.ResourceExhausted);
  });

  test("brings every character of an error's message", async () => {
    const message = "50 % of “ü” 🙂 at a:b/c?d#e, really";
    const transport = await open({
      getReceipt: () => {
        throw new ConnectError(message, Code.NotFound, { "x-hint": "look elsewhere" });
      },
    });

    const error = await failureOf(clickClient(transport).getReceipt({}));

    expect(error).toMatchObject({ code: Code.NotFound, rawMessage: message });
    expect(error.metadata.get("x-hint")).toBe("look elsewhere");
  });

  test("survives half a surrogate pair in an error's message", async () => {
    const transport = await open({
      getReceipt: () => {
        throw new DomainError("NOT_FOUND", { message: "no \ud83d here" });
      },
    });

    const error = await expectDomainError(clickClient(transport).getReceipt({}), "NOT_FOUND");

    expect(error.message).toMatch(/^no . here$/u);
  });

  test("tells nothing about an unexpected error", async () => {
    const transport = await open({
      getReceipt: () => {
        throw new Error("password is hunter2");
      },
    });

    const error = await failureOf(clickClient(transport).getReceipt({}));

    expect(error).toMatchObject({ code: Code.Internal, rawMessage: "internal error", details: [] });
  });

  test("fails with unimplemented when there is no handler", async () => {
    const transport = await open({});

    expect((await failureOf(clickClient(transport).getReceipt({}))).code).toBe(Code.Unimplemented);
  });
});
