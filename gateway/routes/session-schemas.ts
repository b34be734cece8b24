import type { JsonObject } from "@bufbuild/protobuf";
import type { JsonSchema } from "#api/kinds.ts";

import {
  answer,
  anyObject,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  httpsUrl,
  integer,
  languageTag,
  listOf,
  metadata,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

export interface EndUserContextBody {
  readonly ip?: string | null;
  readonly userAgent?: string | null;
  readonly pageUrl?: string | null;
  readonly pageTitle?: string | null;
  readonly referrer?: string | null;
  readonly acceptLanguage?: string | null;
  readonly timezone?: string | null;
  readonly gpc?: boolean | null;
}

export interface CreateSessionBody {
  readonly templateId?: string | null;
  readonly templateSlug?: string | null;
  readonly userRef?: string | null;
  readonly locale?: string | null;
  readonly versionId?: string | null;
  readonly returnUrl?: string | null;
  readonly ttlSeconds?: number | null;
  readonly metadata?: Record<string, string> | null;
  readonly context?: EndUserContextBody | null;
  readonly deploymentId?: string | null;
  readonly data?: JsonObject | null;
  readonly purposes?: readonly string[] | null;
  readonly counterpartyName?: string | null;
}

export interface SessionEventBody {
  readonly type: string;
  readonly at?: string | null;
  readonly target?: string | null;
}

export interface AppendEventsBody {
  readonly events: readonly SessionEventBody[];
}

export interface CompleteSessionBody {
  readonly outcome?: "ACCEPTED" | "DECLINED" | null;
  readonly acceptance?: JsonObject | null;
  readonly reason?: string | null;
}

export const endUserContext = described(
  object(
    {
      ip: orNull(text(0, 100)),
      userAgent: orNull(text(0, 1_000)),
      pageUrl: orNull(text(0, 2_048)),
      pageTitle: orNull(text(0, 500)),
      referrer: orNull(text(0, 2_048)),
      acceptLanguage: orNull(text(0, 500)),
      timezone: orNull(text(0, 100)),
      gpc: orNull(flag),
    },
    [],
  ),
  "The end user's side as your backend saw it.",
);

export const createSessionSchema: JsonSchema = {
  ...object(
    {
      templateId: uuid,
      templateSlug: text(1, 100),
      userRef: described(orNull(text(1, 255)), "Your name for the user."),
      locale: orNull(languageTag),
      versionId: orNull(uuid),
      returnUrl: orNull(httpsUrl),
      ttlSeconds: described(orNull(integer(60, 2_592_000)), "Overrides sessionTtlSeconds of the policy."),
      metadata: orNull(metadata),
      context: orNull(endUserContext),
      deploymentId: described(orNull(uuid), "Where it will be shown; that placement's text and policy then hold."),
      data: described(orNull(anyObject), "Values of the variables of a GENERATED template."),
      purposes: described(
        orNull({ ...listOf(text(1, 64)), maxItems: 20 }),
        "The purposes of a CONSENT template to ask for; all when absent.",
      ),
      counterpartyName: orNull(text(0, 255)),
    },
    [],
  ),
  description: "Exactly one of templateId and templateSlug is required.",
  oneOf: [{ required: ["templateId"] }, { required: ["templateSlug"] }],
};

const eventType = oneOf(
  "DISPLAYED",
  "SCROLLED_TO_END",
  "LINK_OPENED",
  "CHECKED",
  "UNCHECKED",
  "BUTTON_PRESSED",
  "DECLINED",
);

export const appendEventsSchema = object(
  {
    events: {
      ...listOf(
        object(
          {
            type: eventType,
            at: described(orNull(dateTime), "By the clock of the page."),
            target: described(orNull(text(0, 500)), "What it happened to, such as the address of a link."),
          },
          ["type"],
        ),
      ),
      minItems: 1,
      maxItems: 100,
    },
  },
  ["events"],
);

const sessionStatus = oneOf("PENDING", "PRESENTED", "ACCEPTED", "DECLINED", "COMPLETED", "EXPIRED", "CANCELLED");

export const appendedEventsSchema = answer({
  sessionId: uuid,
  status: sessionStatus,
  events: listOf(
    answer({
      type: eventType,
      at: orNull(dateTime),
      target: orNull(anyText),
      serverAt: described(orNull(dateTime), "By the server's clock."),
    }),
  ),
});

export const completeSessionSchema = object(
  {
    outcome: orNull(oneOf("ACCEPTED", "DECLINED")),
    acceptance: described(orNull(anyObject), "The body of an acceptance without session and template; recorded first."),
    reason: orNull(text(0, 2_000)),
  },
  [],
);

const sessionProperties: Readonly<Record<string, JsonSchema>> = {
  id: uuid,
  organizationId: uuid,
  templateId: uuid,
  templateSlug: anyText,
  templateType: oneOf("STATIC", "GENERATED", "CONSENT"),
  versionId: uuid,
  revision: count,
  label: anyText,
  locale: languageTag,
  contentHash: described(hash, "Of the text that this session shows, whatever is published meanwhile."),
  renderHash: orNull(hash),
  userRef: orNull(anyText),
  status: sessionStatus,
  outcome: orNull(oneOf("ACCEPTED", "DECLINED", "NONE")),
  origin: described(oneOf("API", "DIRECT"), "DIRECT: implied by an acceptance without a session."),
  deploymentId: orNull(uuid),
  data: described(orNull(anyObject), "Values of the variables of a GENERATED template."),
  renderUrl: described(orNull(anyText), "Shows the text in a browser, without a credential."),
  renderToken: described(orNull(anyText), "Lets a browser render this session, and nothing else."),
  verification: described(
    object({ required: flag, mode: oneOf("ALL", "ANY"), methods: listOf({}), satisfied: flag }, [
      "required",
      "methods",
      "satisfied",
    ]),
    "What an acceptance of this session must carry.",
  ),
  policy: described(anyObject, "The flags in force for this session."),
  receiptIds: listOf(uuid),
  metadata: { type: "object", additionalProperties: anyText },
  returnUrl: orNull(anyText),
  createdAt: dateTime,
  presentedAt: orNull(dateTime),
  acceptedAt: orNull(dateTime),
  completedAt: orNull(dateTime),
  expiresAt: orNull(dateTime),
  updatedAt: dateTime,
  erased: described(flag, "What is personal was erased: userRef and the like are null or empty."),
  restricted: described(flag, "What is personal is kept for legal reasons and shown to administrators only."),
};

export const sessionSchema = answer(sessionProperties);

export const completedSessionSchema = (receipt: JsonSchema): JsonSchema =>
  answer({ ...sessionProperties, receipts: listOf(receipt) });
