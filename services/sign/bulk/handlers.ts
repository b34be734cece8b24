import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { recordsOf } from "#api/records.ts";
import {
  BulkBatchSchema,
  type BulkCopy as BulkCopyMessage,
  BulkCopySchema,
  BulkListSchema,
  type SendBulkListRequest,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { JsonObject } from "../agreement/agreement.ts";
import type { JobRequest } from "../agreement/change.ts";
import { requireTarget, targetOf } from "../agreement/context.ts";
import type { Definition, RecipientDefinition } from "../agreement/definition.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { parseCustomField, parseRecipients } from "../create/input.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { insertJobs } from "../jobs/job-store.ts";
import {
  type BulkBatch,
  type BulkBatchSummary,
  type BulkCopy,
  type BulkList,
  type BulkListSummary,
  deleteBulkList,
  findBulkBatch,
  findBulkList,
  insertBulkBatch,
  insertBulkList,
  listBulkBatches,
  listBulkLists,
  replaceBulkList,
} from "./bulk-store.ts";

type BulkBatches = SignRpcs<"sendBulkList" | "getBulkBatch" | "listBulkBatches">;
type BulkDeps = Pick<SignDeps, "pool" | "clock" | "newId" | "wakeJobs">;

const usualLimit = 50;

export const bulkBatches = (deps: BulkDeps): BulkBatches => ({
  async sendBulkList(request, context) {
    return { batch: bulkBatchMessage(await submit(deps, requireCaller(context), request)) };
  },
  async getBulkBatch({ id }, context) {
    const { orgId } = requireCaller(context);
    const batch = await withOrg(deps.pool, orgId, (tenant) => findBulkBatch(tenant, id));
    if (batch === undefined) throw new DomainError("BULK_BATCH_NOT_FOUND");
    return { batch: bulkBatchMessage(batch) };
  },
  async listBulkBatches({ limit }, context) {
    const { orgId } = requireCaller(context);
    const batches = await withOrg(deps.pool, orgId, (tenant) => listBulkBatches(tenant, limit || usualLimit));
    return { batches: batches.map(bulkBatchMessage) };
  },
});

/** Stores the batch and the jobs of all its copies in one transaction. */
async function submit(deps: BulkDeps, caller: Caller, request: SendBulkListRequest): Promise<BulkBatch> {
  const { orgId } = caller;
  const list = await withOrg(deps.pool, orgId, (tenant) => findBulkList(tenant, request.listId));
  if (list === undefined) throw new DomainError("BULK_LIST_NOT_FOUND");
  const source = await requireTarget(deps, orgId, targetOf(request.target));
  if (source.status !== "created" && source.status !== "template") throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
  const now = deps.clock.now();
  const total = list.copies.length;
  const batch: BulkBatch = {
    id: deps.newId(),
    listId: list.id,
    name: request.batchName || list.name,
    sourceId: source.id,
    copies: list.copies,
    total,
    sent: 0,
    failed: 0,
    failures: [],
    createdBy: caller.clientId,
    submittedAt: now,
    endedAt: total === 0 ? now : null,
  };
  await withOrg(deps.pool, orgId, async (tenant) => {
    await insertBulkBatch(tenant, batch);
    const origin = { caller, agreementId: null, newId: deps.newId, now };
    await insertJobs(
      tenant,
      origin,
      list.copies.map((_copy, index) => copyJob(batch.id, index, now)),
    );
  });
  deps.wakeJobs();
  return batch;
}

const copyJob = (batchId: string, index: number, runAt: Date): JobRequest => ({
  kind: "bulk-copy",
  key: `${batchId}:${index}`,
  runAt,
  payload: { batchId, index },
});

type BulkLists = SignRpcs<"createBulkList" | "getBulkList" | "listBulkLists" | "updateBulkList" | "deleteBulkList">;

export const bulkLists = ({ pool, clock, newId }: Pick<SignDeps, "pool" | "clock" | "newId">): BulkLists => ({
  async createBulkList({ name, copies }, context) {
    const { orgId } = requireCaller(context);
    const list = { id: newId(), name, copies: storedCopies(copies), createdAt: clock.now() };
    await withOrg(pool, orgId, (tenant) => insertBulkList(tenant, list));
    return { list: bulkListMessage(list) };
  },
  async getBulkList({ id }, context) {
    const { orgId } = requireCaller(context);
    return { list: bulkListMessage(found(await withOrg(pool, orgId, (tenant) => findBulkList(tenant, id)))) };
  },
  async listBulkLists(_request, context) {
    const { orgId } = requireCaller(context);
    return { lists: (await withOrg(pool, orgId, listBulkLists)).map(bulkListSummary) };
  },
  async updateBulkList({ id, name, copies }, context) {
    const { orgId } = requireCaller(context);
    const changed = { name, copies: storedCopies(copies) };
    const list = await withOrg(pool, orgId, (tenant) => replaceBulkList(tenant, id, changed));
    return { list: bulkListMessage(found(list)) };
  },
  async deleteBulkList({ id }, context) {
    const { orgId } = requireCaller(context);
    if (!(await withOrg(pool, orgId, (tenant) => deleteBulkList(tenant, id))))
      throw new DomainError("BULK_LIST_NOT_FOUND");
    return {};
  },
});

function found<List>(list: List | undefined): List {
  if (list === undefined) throw new DomainError("BULK_LIST_NOT_FOUND");
  return list;
}

/**
 * Converts the copies of a request to their stored form. Throws VALIDATION_FAILED for a copy that no agreement
 * could be created from.
 */
const storedCopies = (copies: readonly BulkCopyMessage[]): BulkCopy[] =>
  copies.map((copy) => {
    parseCopy(copy);
    return toJson(BulkCopySchema, copy) as JsonObject;
  });

const copyMessage = (copy: BulkCopy): BulkCopyMessage =>
  fromJson(BulkCopySchema, copy as JsonValue, { ignoreUnknownFields: true });

/** The definition that a stored copy overrides the source agreement with. */
export const copyDefinition = (copy: BulkCopy): Definition => parseCopy(copyMessage(copy));

const parseCopy = ({ recipients, customFields, emailSubject, emailBlurb }: BulkCopyMessage): Definition => ({
  ...(emailSubject === undefined ? {} : { emailSubject }),
  ...(emailBlurb === undefined ? {} : { emailBlurb }),
  documents: [],
  recipients: withoutCodes(parseRecipients(recipients)),
  customFields: customFields.map(parseCustomField),
});

/** Lists are kept as they came, and codes never are: the source agreement may ask for one. */
function withoutCodes(recipients: readonly RecipientDefinition[]): readonly RecipientDefinition[] {
  const at = recipients.findIndex(({ verification }) => verification?.some(({ code }) => code !== ""));
  if (at === -1) return recipients;
  const message =
    "cannot have an access code in a list: set it in the agreement or template that the list is sent with";
  throw invalid(problem(`recipients[${at}].verification`, "NOT_SUPPORTED", message));
}

const lists = recordsOf(BulkListSchema);
const batches = recordsOf(BulkBatchSchema);

const bulkListMessage = (list: BulkList) =>
  lists.write({ ...list, copies: list.copies.map(copyMessage), copyCount: list.copies.length });

const bulkListSummary = (list: BulkListSummary) => lists.write({ ...list, copies: [] });

const bulkBatchMessage = (batch: BulkBatchSummary) =>
  batches.write({ ...batch, queued: batch.total - batch.sent - batch.failed, ownerName: batch.createdBy });
