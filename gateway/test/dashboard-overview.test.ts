import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const read = (query = "") => {
  const session = gateway.auth.people.signIn(orgA, UserRole.VIEWER);
  return gateway.call("GET", `/v1/dashboard/overview${query}`, { session });
};

test("the overview has what all services tell of today", async () => {
  const { status, body } = await read("?timeZone=Europe/Berlin");
  expect(status).toBe(200);
  expect(body).toMatchObject({ timeZone: "Europe/Berlin", acceptances: { acceptances: 3, declines: 1 } });
  expect(body.acceptances.hours[0]).toEqual({ hour: body.from, acceptances: 3, declines: 1 });
  expect(body.agreements).toMatchObject({ sentToday: 2, completedToday: 1, declinedToday: 0 });
  expect(body.agreements.byStatus).toMatchObject({ created: 0, sent: 4, completed: 0 });
  expect(body.generation).toMatchObject({ plan: "gen_pro", hour: { limit: 600, used: 17 } });
  expect(body.webhooks).toEqual({ endpoints: 3, failing: 1, disabled: 0, undeliveredToday: 5 });
  expect((await read("?timeZone=Nowhere")).body).toMatchObject({ errorCode: "VALIDATION_FAILED" });
});

test("a service that is away leaves the rest of it", async () => {
  gateway.docgen.fail.with = new DomainError("SERVICE_UNAVAILABLE");
  try {
    const { status, body } = await read();
    expect([status, body.generation]).toEqual([200, null]);
    expect(body.webhooks.endpoints).toBe(3);
  } finally {
    gateway.docgen.fail.with = undefined;
  }
});
