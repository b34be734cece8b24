import { erasure, opening } from "#api/erasures.ts";
import { evidence } from "#api/evidence.ts";
import type { JsonSchema } from "#api/kinds.ts";
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
  "Why; DATA_SUBJECT_REQUEST when absent. It stands in the log.",
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
      "Takes away for good what is personal in everything recorded about the user; receipts, proofs and the log stay. What policies say must be kept is restricted until then. Under a legal hold (of a template, of the organization, or of the person whom the reference names) nothing is changed. A user without records is answered with empty lists, and so is a repetition.",
    texts: { userRef: userRefParam },
    query: queryOf<ErasureQuery>({ reason: erasureReason }),
    success: { status: 200, description: "What was erased, restricted and kept.", schema: erasure.schemas.answer },
    errors: ["CLICK_LEGAL_HOLD"],
    call: async (request, { click, sign }) => {
      const { userRef } = request.params;
      await refuseHeld({ sign }, request, { userRef, code: "CLICK_LEGAL_HOLD" });
      const options = { ...onBehalfOf(request), timeoutMs: eraseMs };
      return click.eraseUser({ userRef, reason: request.query.reason ?? "" }, options);
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
      "The evidence bundle with what is restricted. Who opens it, when and why is kept, and the log says that it was opened. When nothing is restricted it is the bundle that everybody may read, and nothing is noted.",
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
 * Refuses to delete something of a service that knows no holds while one keeps everything of the organization, or the
 * person of this reference.
 */
export async function refuseHeld(
  { sign }: Pick<Services, "sign">,
  request: Pick<RouteRequest, "caller">,
  { userRef = "", code = "LEGAL_HOLD" }: { readonly userRef?: string; readonly code?: ErrorCode } = {},
): Promise<void> {
  const { isHeld } = await sign.findPersonHold({ userRef }, onBehalfOf(request));
  if (isHeld) throw new DomainError(code);
}
