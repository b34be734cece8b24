import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { RenderError } from "../renderer/render-job.ts";
import { createCustomer, readEvents, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createFakeRenderer } from "./fake-renderer.ts";
import { type DocgenHarness, startDocgen } from "./harness.ts";

const renderer = createFakeRenderer(1);
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ renderer, checker: createFakeChecker(), work: { pollMs: 10 } });
  await harness.startWorkers();
});
afterAll(() => harness.stop());

/** The processes of so many of the next jobs die. */
function crash(times: number): void {
  let left = times;
  renderer.answer(() => {
    if (left === 0) return {};
    left -= 1;
    throw new RenderError("GEN_RENDER_FAILED", "It ended.", { reason: "crashed" });
  });
}

describe("a document whose renderer process dies", () => {
  test("is rendered by another one", async () => {
    const { create, organization } = await createCustomer(harness);
    crash(1);
    const { document } = await create({}, { waitMs: 20_000 });
    expect(document?.status).toBe(DocumentStatus.COMPLETED);
    expect((await readEvents(harness, organization.orgId)).length).toBe(1);
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });

  test("has failed when it happens again", async () => {
    const { create, organization } = await createCustomer(harness);
    crash(2);
    const error = await expectDomainError(create({}, { waitMs: 20_000 }), "GEN_RENDER_FAILED");
    expect(error.metadata).toMatchObject({ reason: "crashed" });
    expect(await usedOf(harness, organization.orgId)).toEqual({ hour: 1, minute: 1 });
  });
});
