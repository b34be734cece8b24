import { clickDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { userRefParam } from "./consent-schemas.ts";
import {
  type ErasureQuery,
  erasureReason,
  erasureSchema,
  type OpenRestrictedBody,
  openRestrictedSchema,
} from "./erasure-schemas.ts";
import { evidenceSchema } from "./evidence-schemas.ts";
import { defineRoute, jsonBody, onBehalfOf, queryOf, type Route } from "./route.ts";

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
      "Takes away for good what is personal in everything recorded about the user; receipts, proofs and the log stay. What policies say must be kept is restricted until then. Under a legal hold nothing is changed. A user without records is answered with empty lists, and so is a repetition.",
    texts: { userRef: userRefParam },
    query: queryOf<ErasureQuery>({ reason: erasureReason }),
    success: { status: 200, description: "What was erased, restricted and kept.", schema: erasureSchema },
    errors: ["CLICK_LEGAL_HOLD"],
    call: (request, { click }) =>
      click.eraseUser(
        { userRef: request.params.userRef, reason: request.query.reason ?? "" },
        { ...onBehalfOf(request), timeoutMs: eraseMs },
      ),
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
    body: jsonBody<OpenRestrictedBody>({
      schema: openRestrictedSchema,
      example: { reason: "Lawsuit 4 C 17/26: we must show what was agreed." },
    }),
    success: { status: 200, description: "The bundle.", schema: evidenceSchema },
    errors: [],
    call: (request, { click }) =>
      click.openRestrictedEvidence({ ...request.params, reason: request.body.reason }, onBehalfOf(request)),
    respond: ({ bundleJson }) => jsonText(bundleJson),
  }),
];

/** What the click service answers as JSON goes out as it is. */
const jsonText = (body: string): Reply => ({ status: 200, body });
