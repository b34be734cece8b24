import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, ListAcceptancesRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { withOrg } from "#platform/db/pool.ts";
import { isUuid } from "#platform/ids.ts";
import type { ClickDeps } from "../deps.ts";
import { type EraseUserDeps, eraseUser as erase } from "../erasure/erase-user.ts";
import { type ErasureReason, erasureReasons } from "../erasure/erasure-rules.ts";
import { readTime } from "../messages.ts";
import { invalid, problem } from "../problems.ts";
import { type AcceptanceFilter, type ListQuery, listAcceptances as listStored } from "./acceptance-list.ts";
import { writeReceipts } from "./acceptance-receipts.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "receiptKeys" | "issuer" | "content">;

/** A page ends early when it would exceed one message or take too much to read; its cursor continues as usual. */
export const listAcceptances = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "listAcceptances"> => ({
  async listAcceptances(request, context) {
    const { orgId } = requireCaller(context);
    const query = readQuery(request, (userRef) => deps.vault.subjectIndex(orgId, userRef));
    if (query === undefined) return { receiptsJson: [], nextCursor: "" };
    const found = await withOrg(deps.pool, orgId, (tenant) => listStored(tenant, { ...query, limit: query.limit + 1 }));
    const receiptsJson = await writeReceipts(deps, found.slice(0, query.limit), maxPageBytes);
    const last = found[receiptsJson.length - 1];
    return {
      receiptsJson,
      nextCursor:
        last !== undefined && last.found > receiptsJson.length
          ? cursorOf({ at: last.acceptedAt, id: last.receiptId })
          : "",
    };
  },
});

const maxLimit = 1_000;

/** Undefined when no acceptance can match. */
function readQuery(request: ListAcceptancesRequest, subjectIndex: SubjectIndex): ListQuery | undefined {
  const { limit, cursor, versionId, revision } = request;
  if (revision !== undefined && versionId === undefined) {
    const message = "is required with revision: each version counts its own revisions";
    throw invalid(problem("versionId", "REQUIRED", message));
  }
  const after = readCursor(cursor, "CLICK_VALIDATION_FAILED");
  const filter = readFilter(request, subjectIndex);
  return filter && { ...filter, after, limit: limit === 0 ? maxLimit : Math.min(limit, maxLimit) };
}

type SubjectIndex = (userRef: string) => Buffer;
type Wanted = Pick<ListAcceptancesRequest, "userRef" | "templateId" | "versionId" | "revision" | "from" | "to">;

/** Undefined when no acceptance can match. */
export function readFilter(wanted: Wanted, subjectIndex: SubjectIndex): AcceptanceFilter | undefined {
  const { userRef, templateId, versionId, revision, from, to } = wanted;
  if ([templateId, versionId].some((id) => id !== undefined && !isUuid(id))) return undefined;
  if (revision !== undefined && versionId === undefined) return undefined;
  if (userRef !== undefined && /[\p{Cc}\p{Cs}]/u.test(userRef)) return undefined;
  return {
    subjectIndex: userRef === undefined ? undefined : subjectIndex(userRef),
    ...{ templateId, versionId, revision },
    from: readTime("from", from),
    to: readTime("to", to),
  };
}

/** What fits into one answer with room to spare: gRPC messages have 4 MiB at most. */
const maxPageBytes = 2_621_440;

export const eraseUser = (deps: EraseUserDeps): Pick<ServiceImpl<typeof ClickService>, "eraseUser"> => ({
  async eraseUser({ userRef, reason, holdMark }, context) {
    const answer = await erase(deps, requireCaller(context), { userRef, reason: readReason(reason), holdMark });
    return { erasureJson: JSON.stringify(answer) };
  },
});

function readReason(text: string): ErasureReason {
  const reason = text === "" ? "DATA_SUBJECT_REQUEST" : erasureReasons.find((one) => one === text);
  if (reason !== undefined) return reason;
  throw invalid(problem("reason", "ENUM", `must be one of ${erasureReasons.join(", ")}`));
}
