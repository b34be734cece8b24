import { expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { createBodies } from "../bodies/bodies.ts";
import { receiverOf } from "../connect/receiver.ts";
import { createByteBudget } from "../deliveries/byte-budget.ts";
import { createFakeServices } from "./fake-services.ts";
import { occurredAt, orgId, storedEvent } from "./sample-events.ts";

/** Whether a promise is settled, once everything that can happen has. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(
    () => (done = true),
    () => (done = true),
  );
  await new Promise(setImmediate);
  return done;
}

test("who comes when the bytes are used waits in turn, also with less than what is left", async () => {
  const budget = createByteBudget(100);
  const [first, second, third] = [budget.open(), budget.open(), budget.open()];
  await first.take(60);
  const large = second.take(80);
  const small = third.take(10);
  expect([await isDone(large), await isDone(small)]).toEqual([false, false]);
  first.close();
  expect([await isDone(large), await isDone(small)]).toEqual([true, true]);
});

test("what is larger than everything gets it alone", async () => {
  const budget = createByteBudget(100);
  const [first, second] = [budget.open(), budget.open()];
  await first.take(1_000);
  const next = second.take(1);
  expect(await isDone(next)).toBe(false);
  first.close();
  await next;
});

test("who gives up while waiting holds up nobody, and takes nothing afterwards", async () => {
  const budget = createByteBudget(100);
  const [first, second, third] = [budget.open(), budget.open(), budget.open()];
  await first.take(50);
  const tooMuch = second.take(80);
  const behind = third.take(50);
  second.close();
  await expectDomainError(tooMuch, "SERVICE_UNAVAILABLE");
  await behind;
  await expectDomainError(second.take(1), "SERVICE_UNAVAILABLE");
  first.close();
  third.close();
  first.close();
  await budget.open().take(100);
});

test("documents are fetched only when there is room for them as base64", async () => {
  const { state, ...clients } = createFakeServices();
  const bodies = createBodies({ ...clients, clock: { now: () => occurredAt } });
  const room = Promise.withResolvers<void>();
  const taken: number[] = [];
  const take = (bytes: number): Promise<void> => {
    taken.push(bytes);
    return room.promise;
  };
  const receiver = { ...receiverOf({}), includeData: ["documents"] };
  const about = { configurationId: 1, retryCount: 0, room: { take } };
  const body = bodies.connect(orgId, storedEvent("assent.sign.agreement.completed"), receiver, about);
  await until(() => taken.length > 0);
  const fetched = () => state.calls.filter(({ method }) => method === "getDocumentContent").length;
  expect(fetched()).toBe(0);
  room.resolve();
  const { PDFBytes } = JSON.parse(await body).data.envelopeSummary.envelopeDocuments[0];
  expect(taken).toEqual([expect.any(Number)]);
  expect(taken[0]).toBeGreaterThan(PDFBytes.length);
  expect(fetched()).toBe(1);
});

test("documents whose files were erased are told without them", async () => {
  const { state, ...clients } = createFakeServices();
  const bodies = createBodies({ ...clients, clock: { now: () => occurredAt } });
  for (const { documents } of state.agreements.values())
    for (const { documentId } of documents) state.erased.add(documentId);
  const receiver = { ...receiverOf({}), includeData: ["documents"] };
  const about = { configurationId: 1, retryCount: 0 };
  const body = await bodies.connect(orgId, storedEvent("assent.sign.agreement.purged"), receiver, about);
  const { event, data } = JSON.parse(body);
  expect(event).toBe("envelope-purge");
  expect(data.envelopeSummary.envelopeDocuments[0]).toMatchObject({ documentId: "1" });
  expect(data.envelopeSummary.envelopeDocuments[0]).not.toHaveProperty("PDFBytes");
});
