import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { connectHeaders, standardHeaders } from "../deliveries/attempt.ts";

const body = JSON.stringify({ type: "document.completed", data: { document: { name: "Übergabe – 漢字.pdf" } } });
const eventId = "0198f3a1-7c00-7000-8000-000000000001";

const verifierOf = (secret: Buffer): Webhook => new Webhook(`whsec_${secret.toString("base64")}`);

test("an independent verifier accepts a message with either secret after a rotation, and nothing else", () => {
  const [current, previous, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const at = new Date();
  const headers = standardHeaders({ eventId, at, body, secrets: [current, previous] });
  expect(headers["webhook-timestamp"]).toBe(String(Math.floor(at.getTime() / 1000)));
  for (const secret of [current, previous]) expect(verifierOf(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => verifierOf(other).verify(body, headers)).toThrow("No matching signature");
  expect(() => verifierOf(current).verify(`${body} `, headers)).toThrow("No matching signature");
  expect(() => verifierOf(current).verify(body, { ...headers, "webhook-id": "other" })).toThrow(
    "No matching signature",
  );
  const alone = standardHeaders({ eventId, at, body, secrets: [current] });
  expect(() => verifierOf(previous).verify(body, alone)).toThrow("No matching signature");
});

test("a message that is sent again later is accepted only with its new time", () => {
  const secret = randomBytes(32);
  const old = standardHeaders({ eventId, at: new Date(Date.now() - 3_600_000), body, secrets: [secret] });
  expect(() => verifierOf(secret).verify(body, old)).toThrow("too old");
  const now = standardHeaders({ eventId, at: new Date(), body, secrets: [secret] });
  expect(now["webhook-id"]).toBe(old["webhook-id"]);
  expect(verifierOf(secret).verify(body, now)).toBeDefined();
});

test("a message of the compatible interface has a signature for each key, made with the characters of the key", () => {
  const keys = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const headers = connectHeaders({ accountId: "account", body, keys });
  const signature = (key: string) => createHmac("sha256", key).update(Buffer.from(body)).digest("base64");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "X-DocuSign-AccountId": "account",
    "X-Authorization-Digest": "HMACSHA256",
    "X-DocuSign-Signature-1": signature(keys[0] ?? ""),
    "X-DocuSign-Signature-2": signature(keys[1] ?? ""),
  });
  const names = Object.keys(connectHeaders({ accountId: "account", body, keys: [] }));
  expect(names.filter((name) => /signature|digest/i.test(name))).toEqual([]);
});

test("the lines of docs/webhooks.md accept what we send, with either secret, and nothing else", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8");
  const [, code = ""] = /```js\n(import [\s\S]+?)```/.exec(page) ?? [];
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const secrets = [randomBytes(32), randomBytes(32)];
  const [current, previous] = secrets.map((secret) => `whsec_${secret.toString("base64")}`);
  const headers = standardHeaders({ eventId, at: new Date(), body, secrets });
  expect(isGenuine(current, headers, body)).toBe(true);
  expect(isGenuine(previous, headers, body)).toBe(true);
  expect(isGenuine(`whsec_${randomBytes(32).toString("base64")}`, headers, body)).toBe(false);
  expect(isGenuine(current, headers, `${body} `)).toBe(false);
  expect(isGenuine(current, { ...headers, "webhook-timestamp": undefined }, body)).toBe(false);
  const old = standardHeaders({ eventId, at: new Date(Date.now() - 600_000), body, secrets });
  expect(isGenuine(current, old, body)).toBe(false);
});
