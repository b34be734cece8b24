import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { requireModifiable } from "./modifiable.ts";

/** Deletes a draft or a template: the store marks it when it sees the event, and lets go of its bytes. */
export function deleteAgreement(agreement: Agreement, { actor, now }: DecisionContext): Change {
  requireModifiable(agreement);
  return {
    agreement: { ...agreement, modifiedAt: now },
    audit: [{ action: "agreement.deleted", actor }],
    events: [{ kind: agreement.status === "template" ? "template.deleted" : "agreement.deleted" }],
    jobs: [],
  };
}
