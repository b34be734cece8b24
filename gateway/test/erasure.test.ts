import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { erasureJson, openedBundleJson } from "./fake-erasure.ts";
import { createResources, resourceIn } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let sessionId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:admin click:write click:accept");
  sessionId = resourceIn(await createResources(gateway, token, orgA), "session");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const erase = (userRef: string, query = "") =>
  gateway.call("DELETE", `/v1/click/users/${encodeURIComponent(userRef)}${query}`, { token });
const lastErasure = () => gateway.click.erasure.seen.erasures.at(-1);

describe("eraseUser", () => {
  test.each([["User-42@Example.COM"], ["a/b?c#d&e=f+g h%20"], ["Zoë 🖋"], [" "], ["🖋".repeat(255)]])(
    "erases %p, exactly as it was sent",
    async (userRef) => {
      const answer = await erase(userRef);
      // The answer of the service goes out as it is.
      expect([answer.status, answer.text]).toEqual([200, erasureJson]);
      expect(lastErasure()).toMatchObject({ userRef, reason: "" });
    },
  );

  test.each([["x".repeat(256)], ["a\u0000b"], ["a\nb"]])("%p is 400", async (userRef) => {
    const answer = await erase(userRef);
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "CLICK_VALIDATION_FAILED",
      "userRef",
    ]);
  });

  test("hands on the reason, if it is one", async () => {
    expect((await erase("user-1", "?reason=WITHDRAWAL")).status).toBe(200);
    expect(lastErasure()?.reason).toBe("WITHDRAWAL");
    const before = gateway.click.erasure.seen.erasures.length;
    for (const query of ["?reason=BECAUSE", "?reason=", "?reason=OTHER&reason=OTHER"]) {
      const answer = await erase("user-1", query);
      expect([query, answer.status, answer.body.details[0].field]).toEqual([query, 400, "reason"]);
    }
    expect(gateway.click.erasure.seen.erasures).toHaveLength(before);
  });

  test("names the templates that hold records", async () => {
    gateway.click.erasure.held.add("held user");
    const answer = await erase("held user");
    expect([answer.status, answer.body.errorCode]).toEqual([409, "CLICK_LEGAL_HOLD"]);
    expect(answer.body.details).toEqual([
      { field: "template-1", code: "LEGAL_HOLD", message: "the template terms holds records" },
    ]);
  });
});

test.each(["ann@example.com", ""])("a legal hold on %p keeps what is deleted by its id", async (held) => {
  const all = await gateway.auth.token("click:admin gen:write");
  const remove = (path: string) => gateway.call("DELETE", path, { token: all });
  const erasures = gateway.click.erasure.seen.erasures.length;
  const document = `/v1/gen/documents/${randomUUID()}`;
  gateway.sign.held.add(held);
  try {
    const answer = await remove("/v1/click/users/ann%40example.com");
    expect([answer.status, answer.body.errorCode]).toEqual([409, "CLICK_LEGAL_HOLD"]);
    expect(gateway.click.erasure.seen.erasures).toHaveLength(erasures);
    const { status, body } = await remove(document);
    expect([status, body.code]).toEqual(held === "" ? [409, "legal_hold"] : [404, "document_not_found"]);
    expect((await erase("user-1")).status).toBe(held === "" ? 409 : 200);
  } finally {
    gateway.sign.held.clear();
  }
});

test("holds are asked for again when there was another one meanwhile, and not for ever", async () => {
  const { seen } = gateway.click.erasure;
  expect((await erase("user-1")).status).toBe(200);
  const mark = seen.erasures.at(-1)?.holdMark ?? 0;
  const before = seen.erasures.length;
  seen.mark = mark + 3;
  expect((await erase("user-1")).status).toBe(200);
  expect(seen.erasures.slice(before).map(({ holdMark }) => holdMark)).toEqual([mark + 1, mark + 2, mark + 3]);
  seen.mark = Number.MAX_SAFE_INTEGER;
  const { status, body } = await erase("user-1");
  expect([status, body.errorCode]).toEqual([409, "HOLDS_CHANGED"]);
  seen.mark = 0;
});

describe("openRestrictedEvidence", () => {
  const open = (body: unknown) =>
    gateway.call("POST", `/v1/click/evidence/${sessionId.toUpperCase()}/restricted`, { token, body });

  test("hands on why, and answers the bundle as it is", async () => {
    const answer = await open({ reason: "lawsuit 4 C 17/26" });
    expect([answer.status, answer.text]).toEqual([200, openedBundleJson]);
    expect(gateway.click.erasure.seen.openings.at(-1)).toMatchObject({ sessionId, reason: "lawsuit 4 C 17/26" });
  });

  test.each([[undefined], [{}], [{ reason: "" }], [{ reason: "x".repeat(2_001) }], [{ reason: null }]])(
    "does not open anything for %j",
    async (body) => {
      const before = gateway.click.erasure.seen.openings.length;
      const answer = await open(body);
      expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
      expect(gateway.click.erasure.seen.openings).toHaveLength(before);
    },
  );
});
