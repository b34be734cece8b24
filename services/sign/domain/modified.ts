import type { Agreement, JsonObject } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";

/** A change of a draft or a template; the details say what was changed. */
export const modified = (agreement: Agreement, { actor, now }: DecisionContext, details: JsonObject): Change => ({
  agreement: { ...agreement, modifiedAt: after(agreement.modifiedAt, now) },
  audit: [{ action: "agreement.modified", actor, details }],
  events: [{ kind: agreement.status === "template" ? "template.modified" : "agreement.modified" }],
  jobs: [],
});

/** Never the same time twice: it tells two states apart. */
const after = (last: Date, now: Date): Date => (now > last ? now : new Date(last.getTime() + 1));
