import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import {
  type EvidenceLogService,
  type RecordExternalHeadRequest,
  HeadSource as WireSource,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type ExternalHead, type HeadSource, isSameHead } from "../domain/external-head-leaf.ts";
import { type EnterHeadDeps, enterHead } from "../log/enter-head.ts";

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
  const name = sources.get(source);
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

const sources: ReadonlyMap<WireSource, HeadSource> = new Map([[WireSource.SIGN, "sign"]]);
