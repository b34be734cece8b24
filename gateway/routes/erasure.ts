import type { JsonSchema } from "#api/kinds.ts";
import { clickDialect } from "../http/error-dialect.ts";
import type { Reply } from "../http/reply.ts";
import { userRefParam } from "./consent-schemas.ts";
import { evidenceSchema } from "./evidence-schemas.ts";
import { defineRoute, jsonBody, onBehalfOf, queryOf, type Route } from "./route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  listOf,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

interface ErasureQuery {
  readonly reason?: "DATA_SUBJECT_REQUEST" | "WITHDRAWAL" | "RETENTION_OVER" | "OTHER";
}

const erasureReason: JsonSchema = described(
  oneOf("DATA_SUBJECT_REQUEST", "WITHDRAWAL", "RETENTION_OVER", "OTHER"),
  "Why; DATA_SUBJECT_REQUEST when absent. It stands in the log.",
);

interface OpenRestrictedBody {
  readonly reason: string;
}

const openRestrictedSchema: JsonSchema = {
  type: "object",
  properties: {
    reason: text(1, 2_000, "Why you must see it; kept with who asked and when. Do not name the person."),
  },
  required: ["reason"],
};

const restriction = answer({
  receiptId: uuid,
  until: described(dateTime, "Then it is erased."),
  basis: described(oneOf("GDPR_17_3_E"), "Kept for legal claims (GDPR art. 17(3)(e))."),
});

const place = {
  ...answer({
    logId: described(uuid, "Your organization."),
    origin: {
      ...anyText,
      examples: ["agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab"],
    },
    leafIndex: count,
    leafHash: hash,
    integrateBy: described(dateTime, "A checkpoint that is published by then covers it."),
  }),
  type: ["object", "null"],
};

export const erasureSchema: JsonSchema = answer({
  erasureId: described(orNull(uuid), "Null when there was nothing to do."),
  userRef: { type: "null", description: "We do not say it again.", examples: [null] },
  requestedAt: dateTime,
  complete: described(flag, "false when there is more than is erased at once: send the same request again."),
  erased: answer({
    receipts: listOf(uuid),
    sessions: listOf(uuid),
    consentChanges: described(listOf(uuid), "The receipts of changes of consent."),
  }),
  restricted: described(listOf(restriction), "What must be kept for some time: shown like erased until it is."),
  kept: listOf(
    answer({
      what: { ...anyText, examples: ["counts in statistics"] },
      why: { ...anyText, examples: ["They do not tell who was counted."] },
    }),
  ),
  log: described(place, "Where the log says that it was erased. Null when there was nothing to do."),
  statement: {
    ...described(anyText, "What was done, for the person who asked."),
    examples: ["What was personal in the records named under erased is gone."],
  },
});

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
