import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { until } from "../../testing/until.ts";
import { watchFile } from "../../watched-file.ts";
import { createInternalTokens, namesOfCertificate, parseInternalKeys, requireKnownCaller } from "../callers.ts";
import { serverInterceptors } from "../interceptors.ts";
import { createAuthority } from "./certificates.ts";
import { clickClient, failureOf, observe, recordingLogger, useResources } from "./harness.ts";

const resources = useResources();
const newKey = (): Buffer => randomBytes(32);

function clockedTokens(keys: readonly Buffer[], start = 1_000_000_000_000) {
  let now = start;
  let held = keys;
  const tokens = createInternalTokens({ keys: () => held, now: () => now });
  return {
    ...tokens,
    pass: (seconds: number): void => {
      now += seconds * 1_000;
    },
    hold: (next: readonly Buffer[]): void => {
      held = next;
    },
  };
}

describe("internal tokens", () => {
  test("hold for a minute, and are made anew in time", () => {
    const tokens = clockedTokens([newKey()]);
    const first = tokens.current();
    expect([tokens.current(), tokens.isValid(first)]).toEqual([first, true]);
    tokens.pass(29);
    expect(tokens.current()).toBe(first);
    tokens.pass(1);
    expect(tokens.current()).not.toBe(first);
    tokens.pass(34);
    expect(tokens.isValid(first)).toBe(true);
    tokens.pass(1);
    expect([tokens.isValid(first), tokens.isValid(tokens.current())]).toEqual([false, true]);
  });

  test("of a clock that is far ahead, of another key and of another form are none", () => {
    const key = newKey();
    const tokens = clockedTokens([key]);
    const [expiresAt = "", signed = ""] = tokens.current().split(".");
    const longer = `${Number(expiresAt) + 1}.${signed}`;
    const others = [clockedTokens([newKey()]).current(), clockedTokens([key], 1_000_000_006_000).current()];
    for (const token of [
      ...others,
      longer,
      "",
      signed,
      `${expiresAt}.`,
      `${expiresAt}.${signed}.`,
      ` ${expiresAt}.${signed}`,
    ]) {
      expect([token, tokens.isValid(token)]).toEqual([token, false]);
    }
  });

  test("are signed by the first key and verified with all; what a key vouched for ends with it", () => {
    const [old, fresh] = [newKey(), newKey()];
    const [signer, verifier] = [clockedTokens([old]), clockedTokens([old, fresh])];
    const before = signer.current();
    signer.hold([fresh, old]);
    expect([verifier.isValid(before), verifier.isValid(signer.current())]).toEqual([true, true]);
    verifier.hold([fresh]);
    expect([verifier.isValid(before), verifier.isValid(signer.current())]).toEqual([false, true]);
  });

  test("take keys of 32 bytes or more only, and the message shows none", () => {
    const key = newKey().toString("base64");
    expect(parseInternalKeys(`${key}, ${key}\n${key}\n`)).toHaveLength(3);
    for (const bad of [key.slice(0, 30), "secret", Buffer.alloc(32, 7).toString("base64")]) {
      expect(() => parseInternalKeys(`${key},${bad}`)).toThrow(/^must be keys(?!.*secret)/);
    }
  });

  test("follow a file of keys that is replaced, and keep what was there when it is damaged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-keys-"));
    resources.defer(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "keys");
    const [one, two] = [newKey(), newKey()];
    writeFileSync(path, one.toString("base64"));
    const { logger, lines } = recordingLogger();
    const keys = watchFile({ path, parse: parseInternalKeys, refreshMs: 10, logger });
    const held = keys();
    expect(held).toEqual([one]);
    writeFileSync(path, "half a k");
    await until(async () => lines.length > 0);
    expect(keys()).toBe(held);
    writeFileSync(path, `${two.toString("base64")}\n${one.toString("base64")}\n`);
    await until(async () => keys().length === 2);
    expect(keys()).toEqual([two, one]);
  });
});

describe("a call from another process", () => {
  const authority = createAuthority("Callers");
  const tls = (...names: string[]) => ({ ...authority.issue(names), ca: authority.cert });
  const key = newKey();
  const tokens = createInternalTokens({ keys: () => [key], now: Date.now });
  const headers = { "x-org-id": "0198c5f0-0000-7000-8000-000000000001", "x-client-id": "somebody" };

  async function open(options: { readonly mutual?: boolean } = {}) {
    const seen: Headers[] = [];
    const observed = observe();
    const callers = requireKnownCaller({
      tokens,
      ownNames: new Set(["click", "spiffe://example.org/ns/assent/sa/click"]),
    });
    const server = await resources.serve(
      {
        getReceipt: (_request, context) => {
          seen.push(context.requestHeader);
          return { receiptJson: "{}" };
        },
      },
      {
        interceptors: serverInterceptors({ service: "click", ...observed, callers }),
        tls: options.mutual === true ? tls("localhost") : undefined,
      },
    );
    return { seen, lines: observed.lines, target: `localhost:${server.port}` };
  }

  test("is served when it comes with a token of ours", async () => {
    const { seen, target } = await open();
    await clickClient(resources.transport(target, { tokens })).getReceipt({ receiptId: "r" }, { headers });
    expect(seen[0]?.get("x-org-id")).toBe(headers["x-org-id"]);
  });

  test("is refused without one before its message is looked at, and who it claims to be is not logged", async () => {
    const { seen, lines, target } = await open();
    const plain = clickClient(resources.transport(target));
    expect(await failureOf(plain.accept({}, { headers }))).toMatchObject({ code: Code.Unauthenticated });
    const bearer = { ...headers, authorization: "Bearer whatever" };
    expect(await failureOf(plain.getReceipt({}, { headers: bearer }))).toMatchObject({ code: Code.PermissionDenied });
    expect([seen, JSON.stringify(lines)]).toEqual([[], expect.not.stringMatching(/somebody|whatever/)]);
    expect(lines.map(({ code }) => code)).toEqual(["unauthenticated", "permission_denied"]);
  });

  test("is served under a name of ours in a certificate, and under no other", async () => {
    const { seen, target } = await open({ mutual: true });
    const as = (...names: string[]) =>
      clickClient(resources.transport(target, { tls: tls(...names) })).getReceipt({ receiptId: "r" }, { headers });
    await as("click");
    await as("other", "spiffe://example.org/ns/assent/sa/click");
    for (const name of ["gateway", "click.example.com", "spiffe://example.org/ns/assent/sa/click2"]) {
      expect(await failureOf(as(name))).toMatchObject({ code: Code.PermissionDenied });
    }
    expect(seen).toHaveLength(2);
  });

  test("takes no name from a certificate that hides a separator in one", () => {
    expect(namesOfCertificate({ subjectAltName: 'DNS:"evil, DNS:click"' })).toEqual([]);
    expect(namesOfCertificate({ subjectAltName: "DNS:a.b, URI:spiffe://c/d, IP Address:127.0.0.1" })).toEqual([
      "a.b",
      "spiffe://c/d",
    ]);
  });
});
