import { createHash } from "node:crypto";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { EvidenceLogService, HeadSource, type RecordExternalHeadRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";

export interface FakeClick {
  readonly transport: Transport;
  readonly client: Client<typeof EvidenceLogService>;
  /** In the order of the log; the completion of each agreement once, and each erasure and deletion. */
  readonly leaves: readonly RecordExternalHeadRequest[];
  /** How often it was asked. */
  calls(): number;
  /** While it is away, every call fails. */
  setAway(isAway: boolean): void;
  /** What it waits for between its entry and its answer. */
  beforeAnswer(wait: () => Promise<void>): void;
}

/** A click service that keeps one evidence log for all organizations and knows nothing else. */
export function createFakeClick(): FakeClick {
  const leaves: RecordExternalHeadRequest[] = [];
  let calls = 0;
  let away = false;
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
    beforeAnswer: (instead) => {
      wait = instead;
    },
  };
}
