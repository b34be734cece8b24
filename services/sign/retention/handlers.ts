import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeletionSchema, RetentionPeriodSchema } from "#gen/assent/sign/v1/retention_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { isUuid } from "#platform/ids.ts";
import { invalid, problem } from "../agreement/problems.ts";
import type { SignDeps } from "../deps.ts";
import { insertActs, listActs } from "./acts.ts";
import { type Deletion, listDeletions } from "./deletions.ts";
import { countDue, type DuePlace, listDue } from "./due.ts";
import { findHeld } from "./holds.ts";
import {
  changedPeriod,
  isSamePeriod,
  lockRules,
  type Period,
  type RetainedStatus,
  readPeriods,
  writePeriods,
} from "./periods.ts";

type Retention = Pick<
  ServiceImpl<typeof SignService>,
  "getRetention" | "putRetention" | "previewRetention" | "listDeletions" | "listPrivacyActs"
>;

const usualLimit = 100;

export const retention = ({
  pool,
  vault,
  clock,
  newId,
}: Pick<SignDeps, "pool" | "vault" | "clock" | "newId">): Retention => ({
  async getRetention(_request, context) {
    const { orgId } = requireCaller(context);
    const periods = await withOrg(pool, orgId, (tenant) => readPeriods(tenant, clock.now()));
    return { periods: periods.map(periodMessage) };
  },

  async putRetention(request, context) {
    const { orgId, clientId, requestId } = requireCaller(context);
    const wanted = new Map(request.periods.map(({ status, days }) => [status as RetainedStatus, days ?? null]));
    if (wanted.size < request.periods.length) {
      throw invalid(problem("periods", "DUPLICATE", "must name each status once"));
    }
    const periods = await withOrg(pool, orgId, async (tenant) => {
      await lockRules(tenant);
      const now = clock.now();
      const before = await readPeriods(tenant, now);
      const after = before.map((period) => changedPeriod(period, wanted.get(period.status) ?? null, now));
      const changed = after.filter((period, index) => !isSamePeriod(period, before[index] as Period));
      if (changed.length === 0) return after;
      await writePeriods(tenant, changed, now);
      const details = { before: before.map(shortly), after: after.map(shortly) };
      await insertActs(tenant, [
        {
          ...{ id: newId(), at: now, action: "retention.changed", actor: clientId, requestId },
          subjectId: orgId,
          details,
        },
      ]);
      return after;
    });
    return { periods: periods.map(periodMessage) };
  },

  async previewRetention(request, context) {
    const { orgId } = requireCaller(context);
    const until = request.until === undefined ? clock.now() : timestampDate(request.until);
    const limit = request.limit || usualLimit;
    const after = placeOf(request.cursor);
    return withOrgSnapshot(pool, orgId, async (tenant) => {
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
        counts,
        agreements: shown.map(({ id, status, createdAt, dueAt }) => ({
          ...{ agreementId: id, status, isHeld: held.has(id) },
          ...{ createdAt: timestampFromDate(createdAt), dueAt: timestampFromDate(dueAt) },
        })),
        nextCursor: due.length > limit && last !== undefined ? `${last.dueAt.getTime()}-${last.id}` : "",
      };
    });
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
      acts: shown.map(({ at, details, ...act }) => ({
        ...act,
        at: timestampFromDate(at),
        detailsJson: JSON.stringify(details),
      })),
      nextCursor: acts.length > limit ? (shown.at(-1)?.id ?? "") : "",
    };
  },
});

const periodMessage = ({ status, days, next }: Period): MessageInitShape<typeof RetentionPeriodSchema> => ({
  status,
  ...(days === null ? {} : { days }),
  ...(next === null ? {} : { next: { days: next.days, from: timestampFromDate(next.at) } }),
});

const shortly = ({ status, days, next }: Period) => ({
  status,
  days,
  ...(next === null ? {} : { nextDays: next.days, nextAt: next.at.toISOString() }),
});

/** What remains of an agreement, with the place of its leaf for its organization alone. */
export const deletionMessage = (
  { evidenceLeafHash, deletionLeafHash, deletionLeafIndex, ...deletion }: Deletion,
  { isPublic = false } = {},
): MessageInitShape<typeof DeletionSchema> => ({
  ...deletion,
  createdAt: timestampFromDate(deletion.createdAt),
  endedAt: timestampFromDate(deletion.endedAt),
  deletedAt: timestampFromDate(deletion.deletedAt),
  evidenceLeafHash: evidenceLeafHash ?? new Uint8Array(),
  deletionLeafHash: deletionLeafHash ?? new Uint8Array(),
  ...(deletionLeafIndex === null || isPublic ? {} : { deletionLeafIndex: BigInt(deletionLeafIndex) }),
});

const badCursor = () => invalid(problem("cursor", "INVALID_CURSOR", "must be the cursor of a previous page"));

/** Where the page before ended, when ids are in the order of the list. */
export function uuidCursor(cursor: string): string | null {
  if (cursor === "") return null;
  if (!isUuid(cursor)) throw badCursor();
  return cursor;
}

function placeOf(cursor: string): DuePlace | undefined {
  if (cursor === "") return undefined;
  const [, time = "", id = ""] = /^(\d{1,15})-(.*)$/.exec(cursor) ?? [];
  if (!isUuid(id)) throw badCursor();
  return { dueAt: new Date(Number(time)), id };
}
