import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type pg from "pg";
import { type BlobStore, createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { type Claimed, claimLapsed, claimNext, giveBackClaim } from "../store/claim-store.ts";
import { finish, type Outcome } from "../work/finish.ts";
import { blobsOf, type Customer, createCustomer, readEvents, rowOf, usedOf } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { type DocgenHarness, present, startDocgen } from "./harness.ts";

/** Set MODEL_SEED to the seed of the test's name to run the same operations again. */
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));

/** The life of a document, told once more in the plainest way. */
interface ModelDocument {
  status: string;
  slot: "taken" | "spent" | "returned";
  /** The claim that counts, by its place among all that were ever given. */
  holder: number | undefined;
  attempts: number;
  isDeleted: boolean;
}

interface World {
  readonly customer: Customer;
  readonly ids: string[];
  readonly model: ModelDocument[];
  /** Every claim that was ever given, those that hold no more included. */
  readonly claims: { readonly claimed: Claimed; readonly document: number }[];
  events: number;
}

type Step =
  | { readonly kind: "ask" | "claim" }
  | { readonly kind: "delete" | "lapse"; readonly document: number }
  | { readonly kind: "complete" | "fail" | "giveBack"; readonly claim: number };

let harness: DocgenHarness;
let pool: pg.Pool;
let claimer: pg.Pool;
let blobs: BlobStore;
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
  const { url } = harness.database;
  pool = createPool({ url, role: "assent_docgen", max: 4, name: "test-writer" });
  claimer = createPool({ url, role: "assent_docgen_claimer", max: 2, name: "test-claimer" });
  blobs = createPostgresBlobStore({ pool, schema: "docgen" });
});
afterAll(async () => {
  await Promise.all([pool.end(), claimer.end()]);
  await harness.stop();
});

const leaseMs = 600_000;
const failure = { code: "GEN_RENDER_FAILED", message: "No.", details: {} } as const;

const steps: Readonly<Record<Step["kind"], (world: World, place: number) => Promise<void>>> = {
  ask: async ({ customer, ids, model }) => {
    ids.push((await customer.ask()).id);
    model.push({ status: "queued", slot: "taken", holder: undefined, attempts: 0, isDeleted: false });
  },
  claim: async (world) => {
    const expected = world.model.findIndex(({ status }) => status === "queued");
    const claimed = await claimNext(claimer, { claim: newId(), leaseMs, singlesOnly: false });
    expect(claimed?.id).toBe(world.ids[expected]);
    if (claimed !== undefined) noteClaim(world, claimed);
  },
  lapse: async (world, document) => {
    const { ids, model } = world;
    const id = ids[document];
    if (id === undefined) return;
    const { rowCount } = await harness.superuser.query(
      "update docgen.document set claimed_until = now() - interval '1 s' where id = $1 and status = 'rendering'",
      [id],
    );
    expect(rowCount).toBe(model[document]?.status === "rendering" ? 1 : 0);
    const claimed = await claimLapsed(claimer, { claim: newId(), leaseMs, singlesOnly: false });
    expect(claimed?.id).toBe(rowCount === 1 ? id : undefined);
    if (claimed !== undefined) noteClaim(world, claimed);
  },
  delete: async ({ customer, ids, model }, document) => {
    const [id, expected] = [ids[document], model[document]];
    if (id === undefined || expected === undefined) return;
    const deleting = customer.organization.deleteDocument({ documentId: id });
    if (expected.isDeleted) {
      await expectDomainError(deleting, "GEN_DOCUMENT_NOT_FOUND");
      return;
    }
    await deleting;
    if (expected.status === "queued" && expected.slot === "taken") expected.slot = "returned";
    if (["queued", "rendering"].includes(expected.status)) expected.status = "cancelled";
    Object.assign(expected, { holder: undefined, isDeleted: true });
  },
  complete: (world, claim) => {
    const pdf = Buffer.from(`by claim ${claim}`);
    return end(world, claim, { kind: "completed", rendered: { pdf, pages: 1, warnings: [], renderMs: 1 } });
  },
  fail: (world, claim) => end(world, claim, { kind: "failed", failure }),
  giveBack: async ({ claims, model }, claim) => {
    const given = claims[claim];
    if (given === undefined) return;
    await giveBackClaim(claimer, given.claimed);
    const document = present(model[given.document]);
    if (document.holder !== claim) return;
    Object.assign(document, { status: "queued", holder: undefined, attempts: document.attempts - 1 });
  },
};

function noteClaim({ claims, ids, model }: World, claimed: Claimed): void {
  const document = ids.indexOf(claimed.id);
  claims.push({ claimed, document });
  const expected = present(model[document]);
  Object.assign(expected, { status: "rendering", slot: "spent", holder: claims.length - 1 });
  expected.attempts += 1;
  expect(claimed.attempts).toBe(expected.attempts);
}

async function end(world: World, claim: number, outcome: Outcome): Promise<void> {
  const given = world.claims[claim];
  if (given === undefined) return;
  const document = present(world.model[given.document]);
  const isExpected = document.holder === claim;
  const deps = { pool, blobs, clock: harness.clock, newId };
  expect((await finish(deps, given.claimed, outcome)) !== undefined).toBe(isExpected);
  if (!isExpected) return;
  Object.assign(document, { status: outcome.kind, holder: undefined });
  world.events += 1;
}

async function compare({ customer, ids, model, claims, events }: World): Promise<void> {
  const { orgId } = customer.organization;
  const rows = await Promise.all(ids.map((id) => rowOf(harness, id)));
  expect(
    rows.map(({ status, slot, claim, attempts, deleted_at }) => [status, slot, claim, attempts, deleted_at !== null]),
  ).toEqual(
    model.map(({ status, slot, holder, attempts, isDeleted }) => {
      const claim = holder === undefined ? null : present(claims[holder]).claimed.claim;
      return [status, slot, claim, attempts, isDeleted];
    }),
  );
  const used = model.filter(({ slot }) => slot !== "returned").length;
  expect(await usedOf(harness, orgId)).toEqual({ hour: used, minute: used });
  // Each claim has bytes of its own, so no two documents share any.
  const stored = model.filter(({ status, isDeleted }) => status === "completed" && !isDeleted).length;
  expect(await blobsOf(harness, orgId)).toBe(stored);
  expect((await readEvents(harness, orgId)).length).toBe(events);
}

const place = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("ask" as const) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("claim" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("delete" as const, "lapse" as const), document: place }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("complete" as const, "complete" as const, "fail" as const, "giveBack" as const),
      claim: place,
    }),
  },
);

const placeOf = (one: Step): number => ("document" in one ? one.document : "claim" in one ? one.claim : 0);

describe(`the life of documents (MODEL_SEED=${seed})`, () => {
  test("follows the model through any sequence of operations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: "max" }), async (sequence) => {
        const customer = await createCustomer(harness);
        const world: World = { customer, ids: [], model: [], claims: [], events: 0 };
        try {
          for (const one of sequence) {
            await steps[one.kind](world, placeOf(one));
            await compare(world);
          }
        } finally {
          // Nothing of it may be claimed by the next sequence.
          await harness.superuser.query(
            `update docgen.document set status = 'cancelled', source = null, claim = null
             where status in ('queued', 'rendering')`,
          );
        }
      }),
      { seed, numRuns: 20 },
    );
  });
});
