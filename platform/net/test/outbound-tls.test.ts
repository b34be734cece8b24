import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "@jest/globals";
import { createAuthority } from "../../rpc/test/certificates.ts";
import { type Answer, says, useReceivers } from "./receivers.ts";

const { receive, poster } = useReceivers();
const authority = createAuthority("Test authority");
const ok = says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

/** A post to hooks.example.com by a poster that trusts the test authority. */
const post = (port: number, url = `https://hooks.example.com:${port}/`) => {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 as const }];
  return poster({ resolve, ca: authority.cert }).post({ url, headers: {}, body: "secret body", timeoutMs: 20_000 });
};

describe("TLS", () => {
  test("a certificate of a trusted authority for the name is taken, and the name is told", async () => {
    let told: unknown;
    const answer: Answer = (socket) => {
      told = (socket as TLSSocket & { servername?: unknown }).servername;
      ok(socket);
    };
    const { port } = await receive(answer, authority.issue("hooks.example.com"));

    await expect(post(port)).resolves.toMatchObject({ kind: "answered", status: 200 });
    expect(told).toBe("hooks.example.com");
    await expect(post(port, `https://hooks.example.com.:${port}/`)).resolves.toMatchObject({ status: 200 });
  });

  test.each([
    ["for another name", authority.issue("other.example.com"), "The certificate is for another host name."],
    ["signed by itself", createAuthority("hooks.example.com"), "The certificate is self-signed."],
    [
      "of an authority that nobody trusts",
      createAuthority("Another authority").issue("hooks.example.com"),
      "The certificate's chain is incomplete, or its authority is not trusted.",
    ],
  ])("a certificate %s is refused before anything is sent", async (_what, certificate, message) => {
    const { port, received } = await receive(ok, certificate);
    await expect(post(port)).resolves.toMatchObject({ kind: "failed", reason: "tls", message });
    expect(received.join("")).toBe("");
  });

  test("an address needs a certificate for the address", async () => {
    const { port, received } = await receive(ok, authority.issue("receiver.example.com"));
    await expect(post(port, `https://127.0.0.1:${port}/`)).resolves.toMatchObject({ kind: "failed", reason: "tls" });
    expect(received.join("")).toBe("");
    const named = await receive(ok, authority.issue("127.0.0.1"));
    await expect(post(named.port, `https://127.0.0.1:${named.port}/`)).resolves.toMatchObject({ kind: "answered" });
  });

  test("checks stay on whatever the environment says", async () => {
    const { port } = await receive(ok, createAuthority("hooks.example.com"));
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      await expect(post(port)).resolves.toMatchObject({ kind: "failed", reason: "tls" });
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  test("a receiver without TLS, or one that hangs up on it, is a failure", async () => {
    const plain = await receive(says("HTTP/1.1 400 This is not TLS\r\n\r\n"));
    await expect(post(plain.port)).resolves.toMatchObject({ kind: "failed", reason: "tls" });
    const hangsUp = await receive((socket) => socket.end());
    await expect(post(hangsUp.port)).resolves.toMatchObject({ kind: "failed", reason: "connection" });
    const old = await receive(ok, {
      ...authority.issue("hooks.example.com"),
      maxVersion: "TLSv1.1",
      minVersion: "TLSv1",
    });
    await expect(post(old.port)).resolves.toMatchObject({ kind: "failed", reason: "tls" });
  });
});
