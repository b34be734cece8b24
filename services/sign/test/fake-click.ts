import { createHash } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { EvidenceLogService, HeadSource, type RecordExternalHeadRequest } from "#gen/assent/click/v1/click_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { type RecordHolders, type RecordKind, recordKinds } from "../retention/periods.ts";

export interface FakeClick {
  readonly transport: Transport;
  readonly client: Client<typeof EvidenceLogService>;
  /** In the order of the log; the completion of each agreement once, and each erasure and deletion. */
  readonly leaves: readonly RecordExternalHeadRequest[];
  /** How often it was asked. */
  calls(): number;
  /** While it is away, every call fails. */
  setAway(isAway: boolean): void;
  /** While its database went back in time and nobody has confirmed it. */
  setWentBack(hasWentBack: boolean): void;
  /** What it waits for between its entry and its answer. */
  beforeAnswer(wait: () => Promise<void>): void;
}

/** A click service that keeps one evidence log for all organizations and knows nothing else. */
export function createFakeClick(): FakeClick {
  const leaves: RecordExternalHeadRequest[] = [];
  let calls = 0;
  let away = false;
  let wentBack = false;
  let wait = async (): Promise<void> => {};
  const transport = createMemoryTransport(
    (router) => {
      router.service(EvidenceLogService, {
        recordExternalHead: async (request, context) => {
          calls += 1;
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          const { orgId } = requireCaller(context);
          const known = leaves.findIndex(
            ({ agreementId, source, sequence }) =>
              agreementId === request.agreementId &&
              source === request.source &&
              (source !== HeadSource.SIGN_ERASURE || sequence === request.sequence),
          );
          const leafIndex = known < 0 ? leaves.push(request) - 1 : known;
          if (!Buffer.from(leaves[leafIndex]?.headHash ?? []).equals(request.headHash)) {
            throw new ConnectError("another head was entered for this agreement", Code.AlreadyExists);
          }
          await wait();
          const leafHash = createHash("sha256").update(request.headHash).digest();
          return { logId: orgId, leafIndex: BigInt(leafIndex), leafHash, leaf: `{"n":${leafIndex}}` };
        },
        mayDeleteByTime: () => {
          if (away) throw new DomainError("SERVICE_UNAVAILABLE");
          return { allowed: !wentBack };
        },
      });
    },
    { interceptors: [] },
  );
  return {
    transport,
    client: createClient(EvidenceLogService, transport),
    leaves,
    calls: () => calls,
    setAway: (isAway) => {
      away = isAway;
    },
    setWentBack: (hasWentBack) => {
      wentBack = hasWentBack;
    },
    beforeAnswer: (instead) => {
      wait = instead;
    },
  };
}

interface FakeRecord {
  readonly orgId: string;
  readonly kind: RecordKind;
  readonly id: string;
  readonly at: Date;
  readonly addresses?: readonly string[];
  readonly agreementId?: string;
}

export interface FakeRecords {
  readonly holders: RecordHolders;
  /** What is there; tests add to it. */
  readonly kept: Map<string, FakeRecord>;
  /** How many holds they were told of. */
  readonly marks: ReadonlyMap<string, number>;
  /** Whether none can be told of a hold. */
  setAway(isAway: boolean): void;
  /** Called before each answer to RemoveOld, after records were removed. */
  beforeAnswer(wait: () => Promise<void>): void;
}

/** The services that keep what periods are for, which know nothing else. */
export function createFakeRecords(): FakeRecords {
  const kept = new Map<string, FakeRecord>();
  let wait = async (): Promise<void> => {};
  const marks = new Map<string, number>();
  let isAway = false;
  const holderOf = (kind: RecordKind) => {
    const older = (orgId: string, before: Date) =>
      [...kept.values()]
        .filter((one) => one.orgId === orgId && one.kind === kind && one.at < before)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    const dateOf = (time: Parameters<typeof timestampDate>[0] | undefined) => {
      if (time === undefined) throw new DomainError("VALIDATION_FAILED");
      return timestampDate(time);
    };
    const transport = createMemoryTransport(
      (router) => {
        router.service(RetentionService, {
          countOld: ({ before }, context) => ({ records: older(requireCaller(context).orgId, dateOf(before)).length }),
          listOld: ({ before, cursor, limit, withAddresses }, context) => {
            const all = older(requireCaller(context).orgId, dateOf(before)).filter(({ id }) => id > cursor);
            const records = all.slice(0, limit).map(({ id, addresses = [], agreementId = "" }) => ({
              ...{ id, agreementId, addresses: withAddresses ? [...addresses] : [] },
            }));
            return { records, nextCursor: all.length > limit ? (records.at(-1)?.id ?? "") : "" };
          },
          noteHolds: ({ mark }, context) => {
            const { orgId } = requireCaller(context);
            if (isAway) throw new ConnectError("away", Code.Unavailable);
            marks.set(orgId, Math.max(mark, marks.get(orgId) ?? 0));
            return {};
          },
          removeOld: async ({ ids, before, onlyLook, holdMark }, context) => {
            if (holdMark < (marks.get(requireCaller(context).orgId) ?? 0)) throw new DomainError("HOLDS_CHANGED");
            const going = older(requireCaller(context).orgId, dateOf(before)).filter(({ id }) => ids.includes(id));
            if (!onlyLook) for (const { id } of going) kept.delete(id);
            await wait();
            return { keptIds: ids.filter((id) => kept.has(id)) };
          },
        });
      },
      { interceptors: [], defaultTimeoutMs: 60_000 },
    );
    return createClient(RetentionService, transport);
  };
  return {
    holders: Object.fromEntries(recordKinds.map((kind) => [kind, holderOf(kind)])) as unknown as RecordHolders,
    kept,
    marks,
    setAway: (away) => {
      isAway = away;
    },
    beforeAnswer: (instead) => {
      wait = instead;
    },
  };
}
