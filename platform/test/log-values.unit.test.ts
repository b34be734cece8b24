import { readdirSync, readFileSync } from "node:fs";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { createLogger, withoutRedaction } from "#platform/logger.ts";

const secret = "S3cr3tS3cr3tS3cr3tS3cr3t";
const apiKey = `ak_live_0123456789abcdef_${"x".repeat(49)}`;
const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ";

/** The one line that this writes. */
function lineOf(write: (logger: ReturnType<typeof createLogger>) => void) {
  const lines: string[] = [];
  write(createLogger("test", "debug", { write: (line: string) => void lines.push(line) }));
  expect(lines).toHaveLength(1);
  return { text: lines[0] ?? "", fields: JSON.parse(lines[0] ?? "") };
}

const logged = (fields: object) => lineOf((logger) => logger.error(fields, "something happened"));

describe("what a log line may hold", () => {
  test("fields, errors' types, messages and stacks stand in it", () => {
    const { fields } = logged({ err: new TypeError("no such thing"), count: 3, when: { at: new Date(0) } });
    expect(fields).toMatchObject({ level: "error", service: "test", msg: "something happened", count: 3 });
    expect(fields.when).toEqual({ at: "1970-01-01T00:00:00.000Z" });
    expect(fields.err).toMatchObject({ type: "TypeError", message: "no such thing" });
    expect(fields.err.stack).toMatch(/^TypeError: no such thing\n\s+at /);
  });

  test("a position in a script that a process was started from stands with the name of its source", () => {
    const folder = new URL("../../gen/processes/", import.meta.url);
    const linesOf = (name: string) => readFileSync(new URL(name, folder), "utf8").split("\n");
    const source = "// services/click/service.ts";
    const scripts = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
    const script = scripts.find((name) => linesOf(name).includes(source)) ?? "";
    const position = `gen/processes/${script}:${linesOf(script).indexOf(source) + 2}:7`;
    const err = new TypeError("no such thing");
    err.stack = `TypeError: no such thing\n    at create (file:///app/${position})`;
    const place = `services/click/service.ts, ${position}`;
    expect(logged({ err }).fields.err.stack).toBe(`TypeError: no such thing\n    at create (${place})`);
  });

  test.each([
    ["a member", { token: secret }],
    ["a member of a member", { request: { options: { client_secret: secret } } }],
    ["a member of a list", { attempts: [{ clientSecret: secret }, { "X-Idempotency-Key": secret }] }],
    ["headers", { headers: { "x-custom": secret } }],
    ["the headers of a request", { req: { headers: { authorization: secret } } }],
    ["bytes", { bytes: Buffer.from(secret), view: new TextEncoder().encode(secret) }],
    ["collections", { sent: new Headers({ "x-custom": secret }), map: new Map([["a", secret]]) }],
    ["a person's reference", { user: { userRef: secret, email: secret } }],
  ])("a secret in %s does not", (_where, fields) => {
    const { text } = logged(fields);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(String(Buffer.from(secret).toJSON().data).slice(1, -1));
  });

  test.each([
    ["an API key", `the key ${apiKey} is unknown`, apiKey],
    ["a shortened API key", `the key ${apiKey.slice(0, 30)} is unknown`, apiKey.slice(8, 30)],
    ["a JWT", `cannot read ${jwt}`, "c2lnbmF0dXJl"],
    ["a JWT that was cut", `cannot read ${jwt.slice(0, 50)}`, "eyJzdWIi"],
    ["a header", `authorization: Bearer ${secret}`, secret],
    ["the query of an address", `GET /v1/click/render/session/1?a=b&token=${secret}&c=d`, secret],
    ["the password of an address", `connect to postgres://assent:${secret}@db:5432/assent`, secret],
    ["a path with an empty part", `POST https://chat.example.com//${secret} failed`, secret],
    ["the path of an address", `POST https://chat.example.com/services/T0AB12CD/${secret} failed`, secret],
    ["a client secret", `cs_${secret}${secret}`, secret],
  ])("%s in a text is masked, also in errors and their causes", (_what, text, hidden) => {
    const err = new Error("outer", { cause: new Error(text) });
    const error = Object.assign(new Error(text), { url: text, config: { url: text }, code: text });
    const { text: line } = logged({ note: text, err, deep: { list: [text] }, failures: [error] });
    expect(line).not.toContain(hidden);
    expect(line).toContain("redacted");
  });

  test("the rows that Postgres repeats in its errors do not stand in it", () => {
    const err = new pg.DatabaseError(`invalid input syntax for type uuid: "${secret}"`, 100, "error");
    Object.assign(err, {
      code: "22P02",
      severity: "ERROR",
      detail: `Key (user_ref)=(${secret}) already exists.`,
      where: `unnamed portal parameter $1 = '${secret}'`,
      hint: secret,
      internalQuery: secret,
      query: secret,
      parameters: [secret],
      constraint: "acceptance_pkey",
    });
    const { text, fields } = logged({ err });
    expect(text).not.toContain(secret);
    expect(fields.err).toMatchObject({ type: "DatabaseError", code: "22P02", constraint: "acceptance_pkey" });
    expect(fields.err.message).toBe('invalid input syntax for type uuid: "…"');
  });

  test("the metadata and details of an RPC's error do not", () => {
    const failure = new ConnectError("failed", Code.Internal, { authorization: secret, "x-other": secret });
    const domain = toConnectError(new DomainError("CLICK_POLICY_NOT_SATISFIED", { metadata: { token: secret } }));
    const { text } = logged({ err: new Error("wrapped", { cause: failure }), domain, failure });
    expect(text).not.toContain(secret);
    expect(text).toContain("wrapped: [internal] failed");
  });

  test("errors in a circle, lists of errors and members without end are cut", () => {
    const circle = new Error("first");
    circle.cause = new Error("second", { cause: circle });
    const nested: Record<string, unknown> = {};
    nested.self = nested;
    const many = new AggregateError([new Error("one"), new Error(`two Bearer ${secret}`)], "all failed");
    const { text, fields } = logged({ err: circle, nested, many });
    expect(fields.err.message).toBe("first: second");
    expect(fields.many.errors.map(({ message }: Error) => message)).toEqual(["one", "two Bearer [redacted]"]);
    expect(text).toContain("[too deep]");
  });

  test("the same holds for an error that is logged without more, and for the lines of child loggers", () => {
    const child = lineOf((logger) => logger.child({ part: "a" }).info({ request: { token: secret } }, "hello"));
    expect(child.fields).toMatchObject({ part: "a", request: { token: "[redacted]" } });
    const alone = lineOf((logger) => logger.error(new Error(`Bearer ${secret}`)));
    expect(alone.text).not.toContain(secret);
  });

  test("a logger without redaction writes fields as they are", () => {
    expect(lineOf((logger) => withoutRedaction(logger).info({ token: "t", n: 1 })).fields).toMatchObject({
      token: "t",
      n: 1,
    });
  });
});
