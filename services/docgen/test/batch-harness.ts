import { expect } from "@jest/globals";
import { type Batch, BatchStatus, type CreateBatchResponse, DocumentStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { until } from "#platform/testing/until.ts";
import { type Customer, readEvents } from "./document-harness.ts";
import { type DocgenHarness, type Organization, present } from "./harness.ts";

/** Data that does not fit the template of a customer. */
export const badData = '{"other":1}';

/** Items of the customer's template, with these data or with these names. */
export const itemsOf = ({ templateId }: Pick<Customer, "templateId">, texts: readonly string[]) =>
  texts.map((text, index) => ({
    ref: `row-${index}`,
    source: { templateId, dataJson: text.startsWith("{") ? text : JSON.stringify({ name: text }) },
  }));

export const namesUpTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `Name ${index}`);

export const submit = (
  customer: Customer,
  texts: readonly string[],
  key: { readonly idempotencyKey?: string; readonly requestHash?: Uint8Array } = {},
): Promise<CreateBatchResponse> => customer.organization.createBatch({ items: itemsOf(customer, texts), ...key });

export async function readBatch(organization: Organization, batchId: string): Promise<Batch> {
  const batch = present((await organization.getBatch({ batchId })).batch);
  const { total, queued, completed, failed, cancelled } = batch;
  expect(queued + completed + failed + cancelled).toBe(total);
  return batch;
}

const endedStatuses: readonly BatchStatus[] = [
  BatchStatus.COMPLETED,
  BatchStatus.COMPLETED_WITH_ERRORS,
  BatchStatus.CANCELLED,
];

export const untilEnded = (organization: Organization, batchId: string, timeoutMs = 20_000): Promise<Batch> =>
  until(async () => {
    const batch = await readBatch(organization, batchId);
    return endedStatuses.includes(batch.status) ? batch : undefined;
  }, timeoutMs);

export const listItems = async (
  organization: Organization,
  batchId: string,
  status: DocumentStatus = DocumentStatus.UNSPECIFIED,
) => (await organization.listBatchItems({ batchId, status, pageSize: 500 })).items;

/** Of each event of a batch and its items the name and what it is about, in their order. */
export async function eventsOfBatch(harness: DocgenHarness, { orgId }: Organization, batchId: string) {
  const events = await readEvents(harness, orgId);
  return {
    completed: events.flatMap((event) => (event.documentCompleted?.batchId === batchId ? [event] : [])),
    failed: events.flatMap((event) => (event.documentFailed?.batchId === batchId ? [event] : [])),
    ended: events.flatMap((event) => (event.batchCompleted?.batchId === batchId ? [event.batchCompleted] : [])),
  };
}

/**
 * That a batch has ended and everything about it fits together: its counts are those of its items, each completed item
 * has one artifact and one event, each failed one an event, and the batch itself exactly one.
 */
export async function expectConsistent(harness: DocgenHarness, organization: Organization, batchId: string) {
  const batch = await readBatch(organization, batchId);
  const items = await listItems(organization, batchId);
  const idsOf = (status: DocumentStatus) =>
    items.flatMap(({ document }) => (document?.status === status ? [document.id] : [])).sort();
  const completed = idsOf(DocumentStatus.COMPLETED);
  const failed = idsOf(DocumentStatus.FAILED);
  const cancelled = idsOf(DocumentStatus.CANCELLED).length;
  const counts = { total: items.length, queued: 0, completed: completed.length, failed: failed.length, cancelled };
  expect(batch).toMatchObject(counts);
  const events = await eventsOfBatch(harness, organization, batchId);
  expect(events.completed.map(({ aggregateId }) => aggregateId).sort()).toEqual(completed);
  expect(events.failed.map(({ aggregateId }) => aggregateId).sort()).toEqual(failed);
  expect(events.ended.length).toBe(1);
  const { rows } = await harness.superuser.query<{ owner: string }>(
    `select r.owner_id as owner from docgen.blob_reference r join docgen.document d on d.id = r.owner_id
     where d.batch_id = $1 order by r.owner_id`,
    [batchId],
  );
  expect(rows.map(({ owner }) => owner)).toEqual(completed);
  return { batch, items, ended: present(events.ended[0]) };
}
