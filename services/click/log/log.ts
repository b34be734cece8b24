import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  DatabaseSetbackSchema,
  type EvidenceAdminService,
  type EvidenceLogService,
  type GetConsistencyProofRequest,
  type GetInclusionProofRequest,
  LogEpochSchema,
  type RecordExternalHeadRequest,
  HeadSource as WireSource,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { namelessOperator, operatorKey } from "#platform/rpc/callers.ts";
import { tileWidth } from "#platform/transparency/tiles.ts";
import { WitnessError } from "#platform/transparency/witness.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { invalid, problem, refuse } from "../problems.ts";
import { confirmEpochs, countEpochs, findWitness, listAllEpochs, type StoredEpoch } from "./epoch-store.ts";
import { anchorLogId, logOrigin } from "./leaf.ts";
import { type ExternalHead, type HeadSource, isSameHead } from "./log-leaves.ts";
import type { LogMemory } from "./log-memory.ts";
import { findCheckpoint, findLeaves, findLogSize, findNewestCheckpoint } from "./log-store.ts";
import { type EnterHeadDeps, enterHead } from "./proofs.ts";

export const getCheckpoint = ({ pool }: Pick<ClickDeps, "pool">): ClickRpcs<"getCheckpoint"> => ({
  async getCheckpoint({ anchor }, context) {
    const { orgId } = requireCaller(context);
    const checkpoint = await withOrg(pool, anchor ? (anchorLogId as OrgId) : orgId, findNewestCheckpoint);
    if (checkpoint === undefined) throw new DomainError("CLICK_CHECKPOINT_NOT_FOUND");
    return { note: checkpoint.note };
  },
});

export const getConsistencyProof = ({
  pool,
  proofs,
}: Pick<ClickDeps, "pool" | "proofs">): ClickRpcs<"getConsistencyProof"> => ({
  async getConsistencyProof(request, context) {
    const { orgId } = requireCaller(context);
    const newest = await withOrg(pool, orgId, findNewestCheckpoint);
    refuse(problemsOf(request, newest?.size ?? 0));
    const { from, to } = request;
    const path = await proofs.consistency(orgId, Number(from), Number(to));
    return { from, to, path: [...path] };
  },
});

function problemsOf({ from, to }: GetConsistencyProofRequest, published: number): FieldProblem[] {
  const message = `must not be larger than the newest checkpoint's size, ${published}`;
  return [
    ...(from > to ? [problem("from", "MAXIMUM", "must not be larger than to")] : []),
    ...(to > published ? [problem("to", "MAXIMUM", message)] : []),
  ];
}

export const getInclusionProof = ({
  pool,
  proofs,
}: Pick<ClickDeps, "pool" | "proofs">): ClickRpcs<"getInclusionProof"> => ({
  async getInclusionProof(request, context) {
    const { orgId } = requireCaller(context);
    const { leafIndex, treeSize, checkpoint } = await withOrg(pool, orgId, async (tenant) => {
      const leafIndex = await findIndex(tenant, request.leaf);
      return { leafIndex, ...(await chooseTree(tenant, leafIndex, request.size)) };
    });
    const { leafHash, path } = await proofs.inclusion(orgId, leafIndex, treeSize);
    return {
      leafIndex: BigInt(leafIndex),
      treeSize: BigInt(treeSize),
      leafHash,
      auditPath: [...path],
      checkpoint,
    };
  },
});

async function findIndex(tenant: Tenant, { case: kind, value }: GetInclusionProofRequest["leaf"]): Promise<number> {
  if (kind === "receiptId") {
    const id = value.toLowerCase();
    const leaf = isUuid(id) ? (await findLeaves(tenant, [id])).get(id) : undefined;
    if (leaf === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
    return leaf.leafIndex;
  }
  if (value === undefined || value >= (await findLogSize(tenant))) throw new DomainError("CLICK_LEAF_NOT_FOUND");
  return Number(value);
}

interface ChosenTree {
  readonly treeSize: number;
  /** Empty when none was published at this size. */
  readonly checkpoint: string;
}

/** Proofs only refer to published trees, so that every proof can be checked against a signature. */
async function chooseTree(tenant: Tenant, leafIndex: number, size: bigint | undefined): Promise<ChosenTree> {
  const newest = await findNewestCheckpoint(tenant);
  if (newest === undefined || newest.size <= leafIndex) throw new DomainError("CLICK_LEAF_NOT_INTEGRATED");
  if (size === undefined || size === BigInt(newest.size)) return { treeSize: newest.size, checkpoint: newest.note };
  if (size <= leafIndex) refuseSize("MINIMUM", `must be larger than the index of the leaf, which is ${leafIndex}`);
  if (size > newest.size) refuseSize("MAXIMUM", `must not be larger than the newest checkpoint's, ${newest.size}`);
  const treeSize = Number(size);
  return { treeSize, checkpoint: (await findCheckpoint(tenant, treeSize))?.note ?? "" };
}

function refuseSize(code: string, message: string): never {
  throw invalid(problem("size", code, message));
}

export const getLogTile = ({ proofs }: Pick<ClickDeps, "proofs">): ClickRpcs<"getLogTile"> => ({
  async getLogTile({ level, tile, width }, context) {
    const { orgId } = requireCaller(context);
    const hashes = await proofs.tile(orgId, { level, tile: Number(tile) }, width === 0 ? tileWidth : width);
    if (hashes === undefined) throw new DomainError("CLICK_TILE_NOT_FOUND");
    return { hashes };
  },
});

export const recordExternalHead = (
  deps: EnterHeadDeps,
): Pick<ServiceImpl<typeof EvidenceLogService>, "recordExternalHead"> => ({
  async recordExternalHead(request, context) {
    const { orgId } = requireCaller(context);
    const head = headIn(request);
    const entered = await enterHead(deps, orgId, head);
    if (!isSameHead(entered, head)) {
      throw new ConnectError("another head was entered for this agreement", Code.AlreadyExists);
    }
    const { leafIndex, leafHash, leaf } = entered;
    return { logId: orgId, leafIndex: BigInt(leafIndex), leafHash, leaf: leaf.toString("utf8") };
  },
});

function headIn({ source, agreementId, headHash, sequence, completedAt }: RecordExternalHeadRequest): ExternalHead {
  const name = sourceOf(source);
  if (name === undefined || completedAt === undefined) {
    throw new ConnectError("the head says not where it is from, or when", Code.InvalidArgument);
  }
  return {
    source: name,
    agreementId: agreementId.toLowerCase(),
    headHash: Buffer.from(headHash),
    sequence,
    completedAt: timestampDate(completedAt),
  };
}

const sourceOf = nameReader({
  sign: WireSource.SIGN,
  "sign.deletion": WireSource.SIGN_DELETION,
  "sign.erasure": WireSource.SIGN_ERASURE,
  "sign.records": WireSource.SIGN_RECORDS,
} as const satisfies Record<HeadSource, WireSource>);

/** As everybody may read it: without who has confirmed it. */
export const epochMessage = (issuer: string, { missing, former, confirmedBy: _, ...stored }: StoredEpoch) =>
  epochs.write({
    ...{ ...stored, origin: logOrigin(issuer, stored.logId, stored.epoch) },
    ...{ missingFrom: missing.from, missingTo: missing.to, formerCheckpoint: former.note },
  });

const epochs = recordsOf(LogEpochSchema);
const setbackRecords = recordsOf(DatabaseSetbackSchema);

export interface LogEpochsDeps extends Pick<ClickDeps, "integratorPool" | "issuer" | "clock" | "setbacks"> {
  /** Absent without a witness. */
  readonly logMemory: LogMemory | undefined;
  readonly logger: Logger;
}

const listedEpochs = 1_000;

/** What operators see of the epochs of logs and of their witness, and take note of. */
export const operateLogs = ({
  integratorPool,
  issuer,
  clock,
  logMemory,
  logger,
  setbacks,
}: LogEpochsDeps): Pick<
  ServiceImpl<typeof EvidenceAdminService>,
  "listLogEpochs" | "confirmLogEpochs" | "confirmLogWitness"
> => ({
  async listLogEpochs() {
    const epochs = await listAllEpochs(integratorPool, listedEpochs);
    const { unconfirmed } = await countEpochs(integratorPool);
    const witness = logMemory && (await witnessMessage(integratorPool, logMemory));
    return {
      epochs: epochs.map((one) => ({ ...epochMessage(issuer, one), confirmedBy: one.confirmedBy ?? "" })),
      unconfirmed,
      ...(witness && { witness }),
      setbacks: (await setbacks.list()).map(setbackRecords.write),
    };
  },
  async confirmLogEpochs({ logId }, context) {
    const operator = operatorOf(context);
    const confirmed = await confirmEpochs(integratorPool, logId, { operator, now: clock.now() });
    const confirmedSetbacks = logId === undefined ? await setbacks.confirm(operator) : 0;
    logger.info({ operator, logId, confirmed, confirmedSetbacks }, "an operator has confirmed epochs of logs");
    return { confirmed, setbacks: confirmedSetbacks };
  },
  async confirmLogWitness(_request, context) {
    if (logMemory === undefined) {
      throw new ConnectError("the logs have no witness: LOG_WITNESS is empty", Code.FailedPrecondition);
    }
    try {
      const firstEpoch = await logMemory.confirm(operatorOf(context));
      return firstEpoch === undefined ? { confirmed: false } : { confirmed: true, firstEpoch };
    } catch (error) {
      throw error instanceof WitnessError ? new ConnectError(error.message, Code.FailedPrecondition) : error;
    }
  },
});

async function witnessMessage(pool: pg.Pool, logMemory: LogMemory) {
  const problem = await logMemory.recognise().then(
    () => "",
    (error: unknown) => {
      if (error instanceof WitnessError) return error.message;
      throw error;
    },
  );
  const known = await findWitness(pool);
  return { problem, ...(known && { since: timestampFromDate(known.since), confirmedBy: known.confirmedBy ?? "" }) };
}

/** By the name that goes with the token. */
const operatorOf = ({ values }: Pick<HandlerContext, "values">): string =>
  values.get(operatorKey)?.name ?? namelessOperator;
