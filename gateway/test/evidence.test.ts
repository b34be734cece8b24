import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { evidence } from "#api/evidence.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";
import { wholeJson } from "./whole-json.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let sessionId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write", "cl_evidence", orgA);
  const session = await gateway.call("POST", "/v1/click/sessions", { token, body: { templateSlug: "terms" } });
  sessionId = session.body.id;
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const get = (query = "", id = sessionId) => gateway.call("GET", `/v1/click/evidence/${id}`, { token, query });
const asked = () => gateway.click.seen.bundles.at(-1);

describe("getClickEvidenceBundle", () => {
  test("answers what the click service answers", async () => {
    const answer = await get();
    expect([answer.status, answer.text]).toEqual([200, wholeJson(evidence.schemas.answer, { sessionId })]);
    expect(answer.headers.get("content-disposition")).toBeNull();
    expect(asked()).toMatchObject({ archive: false, undisclosed: false });
    expect((await get("?format=json&disclose=all")).text).toBe(answer.text);
  });

  test("asks to leave out what is personal", async () => {
    expect((await get("?disclose=none")).status).toBe(200);
    expect(asked()).toMatchObject({ archive: false, undisclosed: true });
  });

  test("answers the archive as a file to be saved", async () => {
    const answer = await get("?format=zip&disclose=none", sessionId.toUpperCase());
    expect([answer.status, answer.text]).toEqual([200, "PK\u0003\u0004 archive"]);
    expect(answer.headers.get("content-type")).toBe("application/zip");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="evidence-${sessionId}.zip"`);
    expect(asked()).toMatchObject({ archive: true, undisclosed: true });
  });

  test("answers the PDF as a file to be saved", async () => {
    const answer = await get("?format=pdf", sessionId.toUpperCase());
    expect([answer.status, answer.text]).toEqual([200, "%PDF-1.7 evidence"]);
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="evidence-${sessionId}.pdf"`);
    expect(asked()).toMatchObject({ archive: false, pdf: true, undisclosed: false });
  });

  test.each([
    ["format=xml", "format must be one of json, pdf, zip"],
    ["format=zip&format=json", "format must be string"],
    ["disclose=some", "disclose must be one of all, none"],
  ])("refuses ?%s", async (query, problem) => {
    const { status, body } = await get(`?${query}`);
    expect([status, body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(body.details.map(({ field, message }: Record<string, string>) => `${field} ${message}`)).toContain(problem);
  });
});

describe("verifyReceipt", () => {
  const verify = (body: unknown) => gateway.call("POST", "/v1/click/receipts/verify", { token, body });

  test("passes on what is to be verified, and answers what was found", async () => {
    const receipt = { receiptId: "r-1", signature: { jws: "a.b.c" } };
    const { status, body } = await verify({ receipt, disclosures: ["x"] });
    expect([status, body]).toEqual([
      200,
      { valid: false, checks: [{ check: "FORM", ok: false, message: "It is nothing." }] },
    ]);
    const { receiptJson, jws, disclosures } = gateway.click.seen.verifications.at(-1) ?? {};
    expect(JSON.parse(Buffer.from(receiptJson ?? []).toString())).toEqual(receipt);
    expect([jws, disclosures]).toEqual(["", ["x"]]);
    await verify({ jws: "a.b.c", disclosures: null });
    expect(gateway.click.seen.verifications.at(-1)).toMatchObject({ jws: "a.b.c", disclosures: [] });
    expect(gateway.click.seen.verifications.at(-1)?.receiptJson).toHaveLength(0);
  });

  test.each([
    ["nothing", {}],
    ["both", { receipt: {}, jws: "a.b.c" }],
    ["a list", { receipt: [] }],
    ["an empty text", { jws: "" }],
    ["a number", { jws: 1 }],
    ["too many disclosures", { jws: "a.b.c", disclosures: Array(65).fill("x") }],
    ["disclosures that are none", { jws: "a.b.c", disclosures: [1] }],
  ])("refuses %s", async (_name, body) => {
    const answer = await verify(body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });
});
