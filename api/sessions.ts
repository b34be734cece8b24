import type { JsonObject, MessageShape } from "@bufbuild/protobuf";
import {
  AppendSessionEventsRequestSchema,
  AppendSessionEventsResponseSchema,
  CompleteSessionRequestSchema,
  CompleteSessionResponseSchema,
  CreateSessionRequestSchema,
  SessionEventSchema,
  SessionOrigin,
  SessionOutcome,
  SessionSchema,
  SessionStatus,
} from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { contextOfUser, ownTexts } from "./end-users.ts";
import {
  anyObject,
  choice,
  count,
  flag,
  hash,
  httpsUrl,
  integer,
  languageTag,
  list,
  named,
  objectInBytes,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, computed, optional, readOnly, required, whenCreating } from "./members.ts";
import { receipt } from "./receipts.ts";
import { nested, resource, shown } from "./resource.ts";
import { inText, joined } from "./written.ts";

type SessionMessage = MessageShape<typeof SessionSchema>;

const table = {
  id: readOnly(uuid),
  organizationId: readOnly(uuid),
  templateId: optional(uuid),
  templateSlug: optional(text(1, 100)),
  templateType: readOnly(choice("STATIC", "GENERATED", "CONSENT")),
  versionId: optional(uuid, { null: "create" }),
  revision: readOnly(count),
  label: readOnly(text()),
  locale: optional(languageTag, { null: "create" }),
  contentHash: readOnly(hash, {
    description: "The hash of the text that this session shows, even if another is published.",
  }),
  renderHash: readOnly(orNull(hash)),
  userRef: optional(orNull(text(1, 255)), { description: { create: "Your name for the user." } }),
  status: readOnly(named(SessionStatus)),
  outcome: readOnly(orNull(named(SessionOutcome))),
  origin: readOnly(named(SessionOrigin), { description: "DIRECT: created by an acceptance without a session." }),
  deploymentId: optional(orNull(uuid), {
    description: { create: "Where it will be shown; that placement's text and policy then hold." },
  }),
  data: optional(orNull(anyObject), { description: "Values of the merge fields of a GENERATED template." }),
  renderUrl: computed({ type: ["string", "null"] }, (): string | null => null, {
    description: "Shows the text in a browser, without credentials.",
  }),
  renderToken: readOnly(orNull(text()), { description: "Lets a browser render this session, and nothing else." }),
  verification: computed(
    {
      type: "object",
      properties: {
        required: { type: "boolean" },
        mode: { type: "string", enum: ["ALL", "ANY"] },
        methods: { type: "array", items: {} },
        satisfied: { type: "boolean" },
      },
      required: ["required", "methods", "satisfied"],
    },
    verificationOf,
    { description: "The verification that an acceptance of this session must include." },
  ),
  policy: readOnly(anyObject, { default: {}, description: "The flags in force for this session." }),
  receiptIds: readOnly(list(uuid)),
  metadata: optional(ownTexts, { null: "create" }),
  returnUrl: optional(orNull(text()), { sentAs: orNull(httpsUrl) }),
  createdAt: readOnly(time),
  presentedAt: readOnly(orNull(time)),
  acceptedAt: readOnly(orNull(time)),
  completedAt: readOnly(orNull(time)),
  expiresAt: readOnly(orNull(time)),
  updatedAt: readOnly(time),
  erased: readOnly(flag, { description: "Personal data was erased: userRef and similar members are null or empty." }),
  restricted: readOnly(flag, {
    description: "Personal data is kept for legal reasons and shown to administrators only.",
  }),
  ttlSeconds: whenCreating(orNull(integer(60, 2_592_000)), {
    description: "Overrides sessionTtlSeconds of the policy.",
  }),
  context: whenCreating(contextOfUser),
  purposes: whenCreating(orNull(list(text(1, 64))), {
    description: "The purposes of a CONSENT template to ask for. Default: all.",
  }),
  counterpartyName: whenCreating(orNull(text(0, 255))),
} as const;

export const session = resource(SessionSchema, table, {
  create: CreateSessionRequestSchema,
  also: {
    description: "Exactly one of templateId and templateSlug is required.",
    oneOf: [{ required: ["templateId"] }, { required: ["templateSlug"] }],
  },
});

/** A session for clients that reach the API at publicUrl. One that is closed has no token. */
export function sessionAnswer(message: SessionMessage, publicUrl: string): Session {
  const answer = session.answer(message);
  const { id, renderToken } = message;
  return renderToken === ""
    ? answer
    : { ...answer, renderUrl: `${publicUrl}/v1/click/render/sessions/${id}?token=${renderToken}` };
}

export type Session = AnswerOf<typeof table>;

/** An acceptance is recorded only when the policy is satisfied, so an accepted session has passed its methods. */
function verificationOf({ verification, policy, acceptedAt }: SessionMessage): JsonObject {
  if (verification !== undefined) return verification;
  const methods = Array.isArray(policy?.verificationMethods) ? policy.verificationMethods : [];
  const required = methods.length > 0;
  return { required, methods, satisfied: !required || acceptedAt !== undefined };
}

/** How a session is closed. */
export const completion = resource(CompleteSessionRequestSchema, {
  outcome: optional(orNull(named(SessionOutcome, "upper", ["ACCEPTED", "DECLINED"]))),
  acceptance: optional(orNull(objectInBytes(canonicalJson)), {
    at: "acceptanceJson",
    description: "The body of an acceptance without session and template, to record first.",
  }),
  reason: optional(orNull(text(0, 2_000))),
});

/** What is answered then, beside the session. */
export const completed = shown(CompleteSessionResponseSchema, {
  receipts: readOnly(list(inText(receipt)), { at: "receiptsJson" }),
});
export const completedSessionSchema = joined(session, completed);

const event = resource(SessionEventSchema, {
  type: required(
    choice("DISPLAYED", "SCROLLED_TO_END", "LINK_OPENED", "CHECKED", "UNCHECKED", "BUTTON_PRESSED", "DECLINED"),
  ),
  at: optional(orNull(time), { description: { create: "By the clock of the page." } }),
  target: optional(orNull(text(0, 500)), {
    description: { create: "What it happened to, such as the address of a link." },
  }),
  serverAt: readOnly(orNull(time), { description: "The time, by the server's clock." }),
});

export const newEvents = resource(AppendSessionEventsRequestSchema, { events: required(list(nested(event))) });

export const appendedEvents = shown(AppendSessionEventsResponseSchema, {
  sessionId: readOnly(uuid, { at: "session.id" }),
  status: readOnly(named(SessionStatus), { at: "session.status" }),
  events: readOnly(list(nested(event))),
});
