import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { recordsOf } from "#api/records.ts";
import {
  DeletionSchema,
  DueAgreementSchema,
  PrivacyActSchema,
  type RetentionPeriodSchema,
} from "#gen/assent/sign/v1/retention_pb.ts";
import { type Caller, callerHeaders, requireCaller } from "#platform/caller.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { untilLocked } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { insertActs, listActs } from "./acts.ts";
import { type Deletion, listDeletions } from "./deletions.ts";
import { countDue, type DuePlace, listDue } from "./due.ts";
import { findHeld } from "./holds.ts";
import {
  changedPeriod,
  changedTemplatePeriod,
  hasTemplate,
  isRecordKind,
  isSamePeriod,
  lockRules,
  oldBefore,
  type Period,
  type RecordHolders,
  type Retained,
  readOwnPeriods,
  readPeriods,
  writePeriods,
} from "./periods.ts";
import { listQueuedPurges } from "./purge.ts";

type Retention = SignRpcs<"getRetention" | "putRetention" | "previewRetention" | "listDeletions" | "listPrivacyActs">;

const usualLimit = 100;

export const retention = ({
  pool,
  records,
  vault,
  clock,
  newId,
  wakeRelay,
}: Pick<SignDeps, "pool" | "records" | "vault" | "clock" | "newId" | "wakeRelay">): Retention => ({
  async getRetention(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = request.templateId.toLowerCase();
    const periods = await withOrg(pool, orgId, async (tenant) => {
      if (templateId === "") return readPeriods(tenant, clock.now());
      await requireTemplate(tenant, templateId);
      return [...(await readOwnPeriods(tenant, templateId, clock.now())).values()];
    });
    return { periods: periods.map(periodMessage) };
  },

  async putRetention(request, context) {
    const { orgId, clientId, requestId } = requireCaller(context);
    const templateId = request.templateId.toLowerCase();
    const wanted = new Map(request.periods.map(({ status, days }) => [status as Retained, days ?? null]));
    if (wanted.size < request.periods.length) {
      throw invalid(problem("periods", "DUPLICATE", "must name each status once"));
    }
    const change = async (tenant: Tenant) => {
      await lockRules(tenant);
      if (templateId !== "") await requireTemplate(tenant, templateId);
      const now = clock.now();
      const ownerId = templateId || orgId;
      const all = await readPeriods(tenant, now);
      // What is made of a template is an agreement.
      const organization = templateId === "" ? all : all.filter(({ status }) => !isRecordKind(status));
      const own = templateId === "" ? byStatus(organization) : await readOwnPeriods(tenant, templateId, now);
      const after = new Map<Retained, Period | undefined>(
        organization.map((period) => {
          const days = wanted.get(period.status);
          if (templateId === "") return [period.status, changedPeriod(period, days ?? null, now)];
          return [period.status, changedTemplatePeriod(own.get(period.status), period, days, now)];
        }),
      );
      const changed = new Map([...after].filter(([status, period]) => !isSamePeriod(period, own.get(status))));
      const answer = [...after.values()].filter((period) => period !== undefined);
      if (changed.size === 0) return answer;
      await writePeriods(tenant, ownerId, changed, now);
      const action = templateId === "" ? "retention.changed" : "template-retention.changed";
      const details = { before: [...own.values()].map(shortly), after: answer.map(shortly) };
      await insertActs(tenant, [
        { ...{ id: newId(), at: now, action, actor: clientId, requestId }, subjectId: ownerId, details },
      ]);
      return answer;
    };
    const periods = await untilLocked(context.signal, () => withOrg(pool, orgId, change));
    wakeRelay();
    return { periods: periods.map(periodMessage) };
  },

  async previewRetention(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const until = request.until === undefined ? clock.now() : timestampDate(request.until);
    const limit = request.limit || usualLimit;
    const after = placeOf(request.cursor);
    const { periods, ...preview } = await withOrgSnapshot(pool, orgId, async (tenant) => {
      const counts = await countDue(tenant, until);
      const due = await listDue(tenant, { until, after, limit: limit + 1 }, { removable: false });
      const shown = due.slice(0, limit);
      const held = await findHeld(
        tenant,
        vault,
        shown.map(({ id }) => id),
      );
      const last = shown.at(-1);
      return {
        periods: await readPeriods(tenant, clock.now()),
        purges: await listQueuedPurges(tenant, vault, until),
        counts,
        agreements: shown.map((due) => dueAgreements.write({ ...due, agreementId: due.id, isHeld: held.has(due.id) })),
        nextCursor: due.length > limit && last !== undefined ? `${last.dueAt.getTime()}-${last.id}` : "",
      };
    });
    return { ...preview, records: await countRecords(records, caller, periods, until) };
  },

  async listDeletions(request, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || usualLimit;
    const agreementId = request.agreementId.toLowerCase() || null;
    const deletions = await withOrg(pool, orgId, (tenant) =>
      listDeletions(tenant, { agreementId, before: uuidCursor(request.cursor), limit: limit + 1 }),
    );
    const shown = deletions.slice(0, limit);
    return {
      deletions: shown.map((one) => deletionMessage(one)),
      nextCursor: deletions.length > limit ? (shown.at(-1)?.agreementId ?? "") : "",
    };
  },

  async listPrivacyActs(request, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || usualLimit;
    const acts = await withOrg(pool, orgId, (tenant) =>
      listActs(tenant, { before: uuidCursor(request.cursor), limit: limit + 1 }),
    );
    const shown = acts.slice(0, limit);
    return {
      acts: shown.map((act) => actRecords.write({ ...act, detailsJson: JSON.stringify(act.details) })),
      nextCursor: acts.length > limit ? (shown.at(-1)?.id ?? "") : "",
    };
  },
});

/** Asks each service whose records do not stay for ever how many are over by then. */
async function countRecords(holders: RecordHolders, caller: Caller, periods: readonly Period[], until: Date) {
  const counted = periods.map(async (period) => {
    const { status: kind } = period;
    const before = oldBefore(period, until);
    if (before === undefined || !isRecordKind(kind)) return [];
    const headers = callerHeaders(caller);
    const { records } = await holders[kind].countOld({ before: timestampFromDate(before) }, { headers });
    return records === 0 ? [] : [{ kind, records }];
  });
  return (await Promise.all(counted)).flat();
}

const byStatus = (periods: readonly Period[]): ReadonlyMap<Retained, Period> =>
  new Map(periods.map((period) => [period.status, period]));

async function requireTemplate(tenant: Tenant, id: string): Promise<void> {
  if (!(await hasTemplate(tenant, id))) throw new DomainError("TEMPLATE_NOT_FOUND");
}

const periodMessage = ({ status, days, next }: Period): MessageInitShape<typeof RetentionPeriodSchema> => ({
  status,
  ...(days === null ? {} : { days }),
  ...(next === null ? {} : { next: { days: next.days ?? 0, from: timestampFromDate(next.at) } }),
});

const deletions = recordsOf(DeletionSchema);
const actRecords = recordsOf(PrivacyActSchema);
const dueAgreements = recordsOf(DueAgreementSchema);

const shortly = ({ status, days, next }: Period) => ({
  status,
  days,
  ...(next === null ? {} : { nextAt: next.at.toISOString(), ...(next.days === null ? {} : { nextDays: next.days }) }),
});

/** What remains of an agreement, with the place of its leaf for its organization alone. */
export const deletionMessage = (
  deletion: Deletion,
  { isPublic = false } = {},
): MessageInitShape<typeof DeletionSchema> => {
  const { deletionLeafIndex } = deletion;
  return deletions.write({
    ...deletion,
    deletionLeafIndex: deletionLeafIndex === null || isPublic ? null : BigInt(deletionLeafIndex),
  });
};

/** Where the page before ended, when ids are in the order of the list. */
export function uuidCursor(cursor: string): string | null {
  if (cursor === "") return null;
  if (!isUuid(cursor)) throw unknownCursor();
  return cursor;
}

function placeOf(cursor: string): DuePlace | undefined {
  if (cursor === "") return undefined;
  const [, time = "", id = ""] = /^(\d{1,15})-(.*)$/.exec(cursor) ?? [];
  if (!isUuid(id)) throw unknownCursor();
  return { dueAt: new Date(Number(time)), id };
}
