import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import type { TlsFiles } from "../tls.ts";
import { createAuthority } from "./certificates.ts";
import { clickClient, useResources } from "./harness.ts";

const resources = useResources();
const authority = createAuthority("Test authority");
const stranger = createAuthority("Another authority");
const tlsFor = (name: string, issuer = authority, trusted = authority): TlsFiles => ({
  ...issuer.issue(name),
  ca: trusted.cert,
});

async function call(server: TlsFiles | undefined, client: TlsFiles | undefined): Promise<unknown> {
  const { port } = await resources.serve({ getReceipt: () => ({ receiptJson: "{}" }) }, { tls: server });
  const transport = resources.transport(`localhost:${port}`, { tls: client, defaultTimeoutMs: 500 });
  return clickClient(transport).getReceipt({});
}

describe("TLS between processes", () => {
  test("carries calls between two sides that the same authority signed", async () => {
    expect(await call(tlsFor("localhost"), tlsFor("gateway"))).toMatchObject({ receiptJson: "{}" });
  });

  test("takes files as well as PEM texts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-tls-"));
    resources.defer(() => rmSync(folder, { recursive: true }));
    const inFiles = Object.fromEntries(
      Object.entries(tlsFor("localhost")).map(([name, text]) => {
        writeFileSync(join(folder, name), text);
        return [name, join(folder, name)];
      }),
    ) as unknown as TlsFiles;

    expect(await call(inFiles, tlsFor("gateway"))).toMatchObject({ receiptJson: "{}" });
  });

  test.each([
    ["a client without a certificate", tlsFor("localhost"), undefined],
    ["a client that another authority signed", tlsFor("localhost"), tlsFor("gateway", stranger)],
    ["a server that another authority signed", tlsFor("localhost", stranger), tlsFor("gateway")],
    ["a server with another name", tlsFor("click"), tlsFor("gateway")],
    ["a server without TLS", undefined, tlsFor("gateway")],
  ])("refuses %s", async (_name, server, client) => {
    await expect(call(server, client)).rejects.toMatchObject({ code: Code.Unavailable });
  });

  test("says which file is missing", async () => {
    const tls = { ...tlsFor("localhost"), key: "/nowhere/key.pem" };

    await expect(call(tls, undefined)).rejects.toThrow("/nowhere/key.pem");
  });
});
