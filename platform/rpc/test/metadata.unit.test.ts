import { Metadata } from "@grpc/grpc-js";
import { describe, expect, test } from "@jest/globals";
import { addHeaders, headersFromMetadata } from "../metadata.ts";

describe("metadata", () => {
  test("comes back as the headers it was made from", () => {
    const headers = new Headers([
      ["x-text", "a"],
      ["x-text", "b"],
      ["x-one-bin", "AAEC"],
      ["x-two-bin", "/w, 3q2+7w"],
    ]);

    const back = headersFromMetadata(addHeaders(new Metadata(), headers));

    expect([...back]).toEqual([...headers]);
  });

  test("reads padded and unpadded binary values", () => {
    const metadata = addHeaders(
      new Metadata(),
      new Headers([
        ["a-bin", "3q2+7w=="],
        ["b-bin", "3q2+7w"],
      ]),
    );

    expect(metadata.get("a-bin")).toEqual(metadata.get("b-bin"));
    expect(metadata.get("a-bin")).toEqual([Buffer.from("deadbeef", "hex")]);
  });

  test("leaves out what belongs to the protocol", () => {
    const names = ["content-type", "te", "connection", "host", "grpc-timeout", "grpc-status", "x-kept"];
    const headers = new Headers(names.map((name) => [name, "1"]));

    expect(Object.keys(addHeaders(new Metadata(), headers).toJSON())).toEqual(["x-kept"]);
  });

  test("refuses text that gRPC cannot carry", () => {
    expect(() => addHeaders(new Metadata(), new Headers({ "x-name": "Zoë" }))).toThrow();
  });
});
