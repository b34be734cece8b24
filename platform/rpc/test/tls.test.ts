import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { until } from "../../testing/until.ts";
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

const hour = 3_600_000;
const expired = (name: string): TlsFiles => ({ ...authority.issue(name, Date.now() - hour), ca: authority.cert });

const refreshMs = 20;

/** In files of their own, which are looked at often. */
function inFiles(tls: TlsFiles): TlsFiles {
  const folder = mkdtempSync(join(tmpdir(), "assent-tls-"));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const paths = { cert: join(folder, "cert"), key: join(folder, "key"), ca: join(folder, "ca"), refreshMs };
  replace(paths, tls);
  return paths;
}

function replace(paths: TlsFiles, { cert, key, ca }: TlsFiles): void {
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key);
  writeFileSync(paths.ca, ca);
}

/** Nobody waits so long who is answered; those who never are wait no longer than they have to. */
const [patienceMs, refusedMs] = [4_000, 500];

async function call(
  server: TlsFiles | undefined,
  client: TlsFiles | undefined,
  defaultTimeoutMs = patienceMs,
): Promise<unknown> {
  const { port } = await resources.serve({ getReceipt: () => ({ receiptJson: "{}" }) }, { tls: server });
  const transport = resources.transport(`localhost:${port}`, { tls: client, defaultTimeoutMs });
  return clickClient(transport).getReceipt({});
}

describe("TLS between processes", () => {
  test("carries calls between two sides that the same authority signed", async () => {
    expect(await call(tlsFor("localhost"), tlsFor("gateway"))).toMatchObject({ receiptJson: "{}" });
  });

  test("takes files as well as PEM texts", async () => {
    expect(await call(inFiles(tlsFor("localhost")), tlsFor("gateway"))).toMatchObject({ receiptJson: "{}" });
    expect(await call(tlsFor("localhost"), inFiles(tlsFor("gateway")))).toMatchObject({ receiptJson: "{}" });
  });

  test("uses files that were replaced for new connections on both sides, and goes on with the old ones while they do not fit", async () => {
    const [server, client] = [inFiles(tlsFor("localhost")), inFiles(tlsFor("gateway"))];
    const { port } = await resources.serve({ getReceipt: () => ({ receiptJson: "{}" }) }, { tls: server });
    const target = `localhost:${port}`;
    const ask = (tls: TlsFiles, defaultTimeoutMs = patienceMs) =>
      clickClient(resources.transport(target, { tls, defaultTimeoutMs })).getReceipt({});
    const transport = resources.transport(target, { tls: client, defaultTimeoutMs: patienceMs });
    expect(await clickClient(transport).getReceipt({})).toMatchObject({ receiptJson: "{}" });

    // Half of them only.
    writeFileSync(server.cert, tlsFor("localhost", stranger, stranger).cert);
    writeFileSync(server.ca, "damaged");
    await delay(5 * refreshMs);
    expect(await ask(client)).toMatchObject({ receiptJson: "{}" });

    replace(server, tlsFor("localhost", stranger, stranger));
    await until(() => ask(tlsFor("gateway", stranger, stranger), refusedMs).catch(() => false));
    await expect(ask(tlsFor("gateway"), refusedMs)).rejects.toMatchObject({ code: Code.Unavailable });
    // The connection that there is goes on; one that is made now has the new certificate.
    expect(await clickClient(transport).getReceipt({})).toMatchObject({ receiptJson: "{}" });
    replace(client, tlsFor("gateway", stranger, stranger));
    await until(() => ask(client, refusedMs).catch(() => false));
  });

  test.each([
    ["a client without a certificate", tlsFor("localhost"), undefined],
    ["a client whose certificate has expired", tlsFor("localhost"), expired("gateway")],
    ["a server whose certificate has expired", expired("localhost"), tlsFor("gateway")],
    ["a client that another authority signed", tlsFor("localhost"), tlsFor("gateway", stranger)],
    ["a server that another authority signed", tlsFor("localhost", stranger), tlsFor("gateway")],
    ["a server with another name", tlsFor("click"), tlsFor("gateway")],
    ["a server without TLS", undefined, tlsFor("gateway")],
  ])("refuses %s", async (_name, server, client) => {
    await expect(call(server, client, refusedMs)).rejects.toMatchObject({ code: Code.Unavailable });
  });

  test("says which file is missing", async () => {
    const tls = { ...inFiles(tlsFor("localhost")), key: "/nowhere/key.pem" };

    await expect(call(tls, undefined)).rejects.toThrow("/nowhere/key.pem");
  });
});
