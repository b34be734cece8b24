import { erasure, opening } from "#api/erasures.ts";
import { evidence } from "#api/evidence.ts";
import type { JsonSchema } from "#api/kinds.ts";
import { withHolds } from "#platform/db/hold-marks.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { clickDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { userRefParam } from "./consent.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route, type RouteRequest } from "./route.ts";
import { described, oneOf } from "./schema-parts.ts";
import type { Services } from "./services.ts";

interface ErasureQuery {
  readonly reason?: "DATA_SUBJECT_REQUEST" | "WITHDRAWAL" | "RETENTION_OVER" | "OTHER";
}

const erasureReason: JsonSchema = described(
  oneOf("DATA_SUBJECT_REQUEST", "WITHDRAWAL", "RETENTION_OVER", "OTHER"),
  "The reason, recorded in the log. Default: DATA_SUBJECT_REQUEST.",
);

const base = {
  tag: "Erasure",
  dialect: clickDialect,
  access: { scopes: ["click:admin"], limitGroup: "other" },
} as const;

/** Ten thousand records take a second on an idle machine. */
const eraseMs = 30_000;

export const erasureRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "eraseUser",
    method: "DELETE",
    path: "/v1/click/users/{userRef}",
    summary: "Erase a user",
    description:
      "Permanently erases personal data in everything recorded about the user; receipts, proofs and the log stay. What policies require to be kept is restricted until then. Under a legal hold (of a template, of the organization, or of the person that the reference names) nothing is changed. For a user without records, or when you repeat the request, the lists are empty.",
    texts: { userRef: userRefParam },
    query: queryOf<ErasureQuery>({ reason: erasureReason }),
    success: { status: 200, description: "What was erased, restricted and kept.", schema: erasure.schemas.answer },
    errors: ["CLICK_LEGAL_HOLD", "HOLDS_CHANGED"],
    call: async (request, { click, sign }) => {
      const { userRef } = request.params;
      const options = { ...onBehalfOf(request), timeoutMs: eraseMs };
      const { reason = "" } = request.query;
      return unlessHeld({ sign }, request, { userRef, code: "CLICK_LEGAL_HOLD" }, (holdMark) =>
        click.eraseUser({ userRef, reason, holdMark }, options),
      );
    },
    respond: ({ erasureJson }) => jsonText(erasureJson),
  }),
  defineRoute({
    ...base,
    operationId: "openRestrictedEvidence",
    method: "POST",
    path: "/v1/click/evidence/{sessionId}/restricted",
    summary: "Open restricted evidence",
    description:
      "Returns the evidence bundle with restricted data. Who opens it, when and why is recorded, also in the log. If nothing is restricted, this is the normal bundle and nothing is recorded.",
    notFound: { sessionId: "CLICK_EVIDENCE_NOT_FOUND" },
    body: createBody(opening, {
      example: { reason: "Lawsuit 4 C 17/26: we must show what was agreed." },
    }),
    success: { status: 200, description: "The bundle.", schema: evidence.schemas.answer },
    errors: [],
    call: (request, { click }) =>
      click.openRestrictedEvidence({ ...opening.create(request.body), ...request.params }, onBehalfOf(request)),
    respond: ({ bundleJson }) => jsonText(bundleJson),
  }),
];

/** What the click service answers as JSON goes out as it is. */
const jsonText = (body: string): Reply => ({ status: 200, body });

/**
 * Deletes something of a service that knows no holds, unless one keeps everything of the organization, or the person of
 * this reference. The service takes the mark of the holds that were looked at, and refuses when there is another by then.
 */
export const unlessHeld = <T>(
  { sign }: Pick<Services, "sign">,
  request: Pick<RouteRequest, "caller">,
  { userRef = "", code = "LEGAL_HOLD" }: { readonly userRef?: string; readonly code?: ErrorCode },
  deletes: (holdMark: number) => Promise<T>,
): Promise<T> =>
  withHolds(
    () => sign.findPersonHold({ userRef }, onBehalfOf(request)),
    ({ isHeld, mark }) => {
      if (isHeld) throw new DomainError(code);
      return deletes(mark);
    },
  );
