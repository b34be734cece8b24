import type { ServiceImpl } from "@connectrpc/connect";
import { erasure } from "#api/erasures.ts";
import { evidence } from "#api/evidence.ts";
import type { ClickService, EraseUserRequest, OpenRestrictedEvidenceRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { wholeJson } from "./whole-json.ts";

/** What every erasure is answered with. */
export const erasureJson = wholeJson(erasure.schemas.answer, { erasureId: null });
/** What every opening is answered with. */
export const openedBundleJson = wholeJson(evidence.schemas.answer);

/** Erasure that only takes note; `ownerOf` tells whose session it is. */
export function createFakeErasure(ownerOf: (sessionId: string) => string | undefined) {
  const seen: { mark: number; erasures: EraseUserRequest[]; openings: OpenRestrictedEvidenceRequest[] } = {
    // How many legal holds the service was told of.
    mark: 0,
    erasures: [],
    openings: [],
  };
  /** Users under a legal hold. */
  const held = new Set<string>();
  const handlers = {
    eraseUser: (request) => {
      seen.erasures.push(request);
      if (request.holdMark < seen.mark) throw new DomainError("HOLDS_CHANGED");
      if (held.has(request.userRef)) {
        const details = [{ field: "template-1", code: "LEGAL_HOLD", message: "the template terms holds records" }];
        throw new DomainError("CLICK_LEGAL_HOLD", { details });
      }
      return { erasureJson };
    },
    openRestrictedEvidence: (request, context) => {
      if (ownerOf(request.sessionId) !== requireCaller(context).orgId) {
        throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
      }
      seen.openings.push(request);
      return { bundleJson: openedBundleJson };
    },
  } satisfies Partial<ServiceImpl<typeof ClickService>>;
  return { handlers, seen, held };
}
