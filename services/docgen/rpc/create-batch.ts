import type { CreateBatchRequest } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { type Batch, hasBatchEnded, withEnded } from "../domain/batch.ts";
import { planLimits } from "../domain/usage.ts";
import { batchCompleted, documentFailed } from "../events.ts";
import { type PreparedItem, prepareBatch } from "../prepare/prepare-batch.ts";
import { addBatch, countWaitingItems, findBatch } from "../store/batch-store.ts";
import { addDocuments, type NewDocument } from "../store/document-store.ts";
import {
  type EarlierUse,
  findEarlierUse,
  type KeyedRequest,
  type KeyUse,
  keyedRequest,
  takeKey,
} from "../store/idempotency-store.ts";
import { schema } from "../store/orm.ts";
import { type RateState, readUsage, type Slots, takeSlots } from "../store/usage-store.ts";
import { batchMessage } from "./batches.ts";
import { refuseUsedUp } from "./create-document.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";
import { rateLimited, rateMessage } from "./deps.ts";

type Deps = Pick<
  DocgenDeps,
  "pool" | "templates" | "textConverter" | "plans" | "workLoop" | "clock" | "newId" | "wakeRelay"
>;

/** The limit of waiting items per organization, above which no further batch is accepted. */
const maxWaitingItems = 2_000;

export const createBatch = (deps: Deps): DocgenRpcs<"createBatch"> => ({
  async createBatch(request, context) {
    const caller = requireCaller(context);
    const keyed = keyedRequest("batch", request);
    // Before anything else, so that it is answered again whatever has changed since.
    const use =
      keyed && (await withOrg(deps.pool, caller.orgId, (tenant) => findEarlierUse(tenant, keyed, deps.clock.now())));
    const { batch, rate, replayed } =
      use === undefined
        ? await createNew(deps, caller, request, keyed, context.signal)
        : await replay(deps, caller, use);
    return { batch: batchMessage(batch), rate: rateMessage(rate), replayed };
  },
});

interface Created {
  readonly batch: Batch;
  readonly rate: RateState;
  readonly replayed: boolean;
}

async function replay(deps: Deps, { orgId }: Caller, use: EarlierUse): Promise<Created> {
  if (use.kind === "conflict") throw new DomainError("GEN_IDEMPOTENCY_CONFLICT");
  const plan = await deps.plans.of(orgId);
  return withOrg(deps.pool, orgId, async (tenant) => {
    const batch = await findBatch(tenant, use.targetId);
    if (batch === undefined) throw new Error("the batch of an idempotency key is missing");
    return { batch, rate: await readUsage(tenant, planLimits[plan]), replayed: true };
  });
}

async function createNew(
  deps: Deps,
  caller: Caller,
  request: CreateBatchRequest,
  keyed: KeyedRequest | undefined,
  signal: AbortSignal,
): Promise<Created> {
  const { orgId } = caller;
  const plan = await deps.plans.of(orgId);
  await refuseUsedUp(deps, orgId, { plan, windows: ["hour"], keyed });
  await withOrg(deps.pool, orgId, (tenant) => refuseWhenBusy(tenant));
  const items = await prepareBatch(deps, caller, request.items, signal);
  const target = { id: deps.newId(), createdAt: deps.clock.now() };
  const outcome = await withOrg(deps.pool, orgId, async (tenant) => {
    const use: KeyUse = keyed === undefined ? { kind: "new" } : await takeKey(tenant, keyed, target);
    if (use.kind !== "new") return use;
    const taken = await takeSlots(tenant, planLimits[plan], ["hour"]);
    // The rollback releases the key, too.
    if (!taken.granted) throw rateLimited(plan, taken.refusal);
    // Checked again, now that no other batch of the organization can interfere: an error also returns the slot.
    await refuseWhenBusy(tenant);
    const batch = await insert(deps, tenant, caller, { ...target, items, slots: taken.slots });
    return { kind: "created", batch, rate: taken.rate } as const;
  });
  if (outcome.kind !== "created") return replay(deps, caller, outcome);
  deps.workLoop.wake();
  deps.wakeRelay();
  return { batch: outcome.batch, rate: outcome.rate, replayed: false };
}

async function refuseWhenBusy(tenant: Tenant): Promise<void> {
  if ((await countWaitingItems(tenant, maxWaitingItems)) < maxWaitingItems) return;
  throw new DomainError("GEN_BUSY", { metadata: { retryAfterSeconds: "10" } });
}

interface Accepted {
  readonly id: string;
  readonly createdAt: Date;
  readonly items: readonly PreparedItem[];
  readonly slots: Slots;
}

/** The batch with its items and the events of those that have failed. */
async function insert(deps: Deps, tenant: Tenant, caller: Caller, accepted: Accepted): Promise<Batch> {
  const { clientId: createdBy, requestId, traceparent } = caller;
  const { id, createdAt, items, slots } = accepted;
  const request = { createdBy, requestId, traceparent };
  const batch = newBatch(accepted);
  await addBatch(tenant, { ...batch, ...slots, ...request });
  const documents = items.map((item) => newDocument(deps, item, { batchId: id, createdAt, ...request }));
  for (const some of chunksOf(documents)) await addDocuments(tenant, some);
  const context = () => ({ caller, eventId: deps.newId(), now: createdAt });
  const failures = documents.flatMap((document) =>
    document.failure === undefined ? [] : [documentFailed(context(), { ...document, batchId: id }, document.failure)],
  );
  const end = hasBatchEnded(batch) ? [batchCompleted(context(), batch)] : [];
  await insertOutbox(tenant.client, schema, [...failures, ...end]);
  return batch;
}

/** A batch without any item that can be rendered has ended before it started. */
function newBatch({ id, createdAt, items }: Accepted): Batch {
  const failed = items.filter(({ status }) => status === "failed").length;
  const none = { completed: 0, failed: 0, cancelled: 0 };
  const waiting = { id, createdAt, completedAt: null, cancelledAt: null, total: items.length, ...none };
  const batch = withEnded({ ...waiting, status: "queued" }, { ...none, failed });
  return hasBatchEnded(batch) ? { ...batch, completedAt: createdAt } : { ...batch, status: "queued" };
}

function newDocument(
  { newId }: Deps,
  item: PreparedItem,
  batch: Pick<NewDocument, "createdBy" | "requestId" | "traceparent" | "createdAt"> & { readonly batchId: string },
): NewDocument {
  // Ids ascend, so that the items are rendered in their order.
  const document = { ...batch, ...item, id: newId() };
  return item.status === "failed" ? { ...document, completedAt: batch.createdAt } : document;
}

const maxChunk = 20;

/**
 * The documents in chunks of one statement each. A statement carries their data and is built without a pause, so the chunks
 * are small enough for other work to run in between.
 */
function* chunksOf(documents: readonly NewDocument[]): Generator<readonly NewDocument[]> {
  for (let from = 0; from < documents.length; from += maxChunk) yield documents.slice(from, from + maxChunk);
}
