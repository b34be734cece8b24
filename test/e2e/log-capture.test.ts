import { describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { captureLines, requireNoSecrets } from "../support/log-capture.ts";
import { createSecretRegistry } from "../support/secrets.ts";

const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
const masterKey = Buffer.alloc(32, 171).toString("base64");

const search = (kind: string, secret: string, text: string) => () => {
  const registry = createSecretRegistry();
  registry.add(kind, secret);
  registry.add("another", "o".repeat(40));
  const noise = `${JSON.stringify({ level: "info", msg: "noise é" })}\n`.repeat(100);
  requireNoSecrets([{ name: "a.log", text: `${noise}{"msg":"${text}"}\n${noise}` }], registry);
};

describe("the search for secrets in logs", () => {
  const secret = "S3cr3t/with+two=odd?characters";
  test.each([
    ["as it is", secret, secret],
    ["within other text", secret, `x${secret}y`],
    ["percent-encoded", secret, encodeURIComponent(secret)],
    ["in base64", secret, Buffer.from(secret).toString("base64")],
    ["in HTTP Basic, after one character", secret, Buffer.from(`a${secret}`).toString("base64")],
    ["in HTTP Basic, after two characters", secret, Buffer.from(`ab${secret}`).toString("base64")],
    ["in HTTP Basic, before more", secret, Buffer.from(`abc${secret}:x`).toString("base64url")],
    ["as bytes", secret, JSON.stringify(Buffer.from(secret))],
    ["as the bytes of a key", masterKey, JSON.stringify(Buffer.from(masterKey, "base64"))],
    ["as the hex of a key", masterKey, Buffer.from(masterKey, "base64").toString("hex")],
    ["as the signature of a token", jwt, jwt.split(".")[2] ?? ""],
  ])("finds one %s and does not repeat it", (_form, planted, written) => {
    expect(search("API key", planted, written)).toThrow(/API key .*in line 101 of a\.log/);
    expect(search("API key", planted, written)).not.toThrow(written);
  });

  test("finds people, and lets pass what is no secret", () => {
    expect(search("user reference", "jörg-1@example.com", 'jörg-1@example.com"')).toThrow("user reference");
    expect(search("API key", secret, secret.slice(0, -1))).not.toThrow();
    expect(search("user reference", "user", "user")).not.toThrow();
    const registry = createSecretRegistry();
    registry.add("API key", secret);
    expect(() => requireNoSecrets([{ name: "cut.log", text: secret.slice(0, -1) }], registry)).not.toThrow();
    expect(() => requireNoSecrets([{ name: "empty.log", text: "" }], registry)).not.toThrow();
    expect(search("access token", jwt, jwt.split(".")[1] ?? "")).not.toThrow();
  });

  test("reads what stands under the name of a secret, however deep", () => {
    const registry = createSecretRegistry();
    registry.addFrom({ items: [{ renderToken: jwt, renderUrl: `http://a/b?token=${"t".repeat(30)}&x=1` }] });
    expect([...registry.secrets]).toEqual([
      [jwt, "render token"],
      ["t".repeat(30), "token of an address"],
    ]);
  });
});

test("what is captured at level error is shown at once, and everything is kept", () => {
  const lines = captureLines();
  const logger = createLogger("test", "debug", lines);
  logger.debug("first");
  logger.info({ orgId: "o" }, "second");
  expect(lines.text().trim().split("\n")).toHaveLength(2);
});
