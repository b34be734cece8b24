import { answered, byKey, receiptIds } from "./check-answers.ts";
import type { Operation, Violation } from "./history.ts";
import type { Observation, RecordRow } from "./observation.ts";

/** Every receipt that was handed out is in the database, and nothing else is. */
export function checkRecords(operations: readonly Operation[], { records, consents }: Observation): Violation[] {
  const receiptsOf = (record: RecordRow): string[] =>
    record.decision === "CONSENT"
      ? consents.filter((change) => change.updateId === record.recordId).map((change) => change.receiptId)
      : [record.recordId];
  const stored = new Set(records.flatMap((record) => receiptsOf(record).map((id) => `${record.organizationId} ${id}`)));
  const claimed = new Map<string, string>();
  const lost: Violation[] = [];
  for (const [name, ofKey] of byKey(operations)) {
    for (const operation of answered(ofKey)) {
      for (const id of receiptIds(operation)) {
        const receipt = `${operation.organizationId} ${id}`;
        if (!stored.has(receipt)) lost.push({ rule: "no receipt is lost", detail: `${name}: ${id} is not stored` });
        const other = claimed.get(receipt) ?? name;
        if (other !== name) lost.push({ rule: "a receipt has one key", detail: `${other} and ${name} answered ${id}` });
        claimed.set(receipt, name);
      }
    }
  }
  const unexplained = records
    .filter((record) => !receiptsOf(record).some((id) => claimed.has(`${record.organizationId} ${id}`)))
    .map((record) => ({ rule: "no row without a request", detail: `nobody was answered ${record.recordId}` }));
  return [...lost, ...unexplained, ...singleUse(records)];
}

/** The sessions of the workload are good for one acceptance each. */
const singleUse = (records: readonly RecordRow[]): Violation[] =>
  repeated(records.flatMap((record) => record.sessionId ?? [])).map((session) => ({
    rule: "a session is used once",
    detail: `${session} was accepted with several keys`,
  }));

const repeated = (values: readonly string[]): string[] =>
  [...Map.groupBy(values, (value) => value)].flatMap(([value, all]) => (all.length > 1 ? [value] : []));
