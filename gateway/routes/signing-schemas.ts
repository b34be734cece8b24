import type { JsonSchema } from "#api/kinds.ts";
import { tabToFill } from "#api/tabs.ts";

import { answer, anyText, described, example, flag, listOf, object, oneOf, orNull, text } from "./schema-parts.ts";

export const signingTag = "Signing page";

export const sessionParam = {
  schema: example(
    { type: "string", pattern: "^[A-Za-z0-9_-]{22}$", description: "The name of the session; not its secret." },
    "q3Vw8Zk1mX0sT5bR7yPd2A",
  ),
  names: "signingSession",
  otherwise: "VIEW_URL_EXPIRED",
} as const;

export const documentParam = {
  schema: example(text(1, 100, "The documentId of the document."), "1"),
  names: "documentId",
  otherwise: "DOCUMENT_NOT_FOUND",
} as const;

const nullableText: JsonSchema = orNull(anyText);
const points: JsonSchema = { type: "number" };

const documentSchema = answer({
  documentId: anyText,
  name: anyText,
  pages: listOf(answer({ width: points, height: points })),
});

const hexSha256 = described(
  example(anyText, "0123456789abcdef".repeat(4)),
  "SHA-256 of introduction, points and agreement, one below the other in UTF-8.",
);

/** An object of an answer that may be missing. */
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

export const ceremonySchema: JsonSchema = answer({
  kind: oneOf("recipient", "send", "edit", "look"),
  agreement: nullable(
    answer({
      id: anyText,
      status: anyText,
      emailSubject: anyText,
      emailBlurb: anyText,
      senderName: anyText,
      organizationName: anyText,
      documents: listOf(documentSchema),
    }),
  ),
  recipient: nullable(
    answer({
      recipientId: anyText,
      name: anyText,
      email: anyText,
      role: example(anyText, "signer"),
      status: anyText,
      locale: anyText,
      tabs: listOf(tabToFill.schemas.answer),
    }),
  ),
  others: listOf(answer({ name: anyText, email: nullableText, role: anyText, status: anyText })),
  consent: answer({
    required: flag,
    givenAt: nullableText,
    texts: described(
      listOf(
        answer({
          locale: example(anyText, "en"),
          introduction: anyText,
          points: listOf(anyText),
          agreement: anyText,
          textSha256: hexSha256,
        }),
      ),
      "While it is asked for: what to show, one text for each language.",
    ),
  }),
  canAct: described(flag, "Whether there is anything left for the person to do."),
  timeoutUrl: described(nullableText, "Where to go when the session has ended by itself."),
});

export const endedSchema = answer({
  returnUrl: described(nullableText, "Where to go next; null when nobody waits for the person."),
});

export const consentSchema = answer({ consentedAt: nullableText });
export const attachedSchema = answer({ value: described(anyText, "The value of the tab.") });

/** Two MB: a signature and initials that are drawn, and what was typed into many fields. */
export const maxFinishBytes = 2 * 1024 * 1024;
/** Five MB in Base64. */
export const maxAttachmentBytes = 7 * 1024 * 1024;

const valuesSchema: JsonSchema = {
  type: "array",
  maxItems: 2_000,
  items: object({ tabId: text(1, 100), value: text(0, 10_000) }, ["tabId", "value"]),
};

const adoptedSchema: JsonSchema = {
  type: ["object", "null"],
  properties: {
    typed: text(0, 200, "The name or the initials."),
    font: oneOf("dancing-script", "caveat", "great-vibes"),
    drawnPng: text(0, 349_528, "A PNG in Base64, in place of what was typed; empty when there is none."),
  },
  required: ["typed", "font", "drawnPng"],
};

export const consentBody = object(
  {
    textSha256: {
      type: "string",
      pattern: "^[0-9a-f]{64}$",
      description: "Of the text that was shown: one that the ceremony serves.",
    },
    locale: described(text(0, 20), "Of that text."),
  },
  ["textSha256", "locale"],
);
export const finishBody = object({ values: valuesSchema, signature: adoptedSchema, initials: adoptedSchema }, [
  "values",
]);
export const leaveBody = object({ values: valuesSchema }, ["values"]);
export const declineBody = object({ reason: text(0, 500, "Told to the sender.") }, ["reason"]);
export const decisionBody = object({ decision: oneOf("send", "save", "cancel") }, ["decision"]);
export const attachmentBody = object(
  {
    tabId: text(1, 100),
    fileName: text(1, 255),
    contentBase64: text(4, 6_990_508, "A PDF, PNG or JPEG of at most 5 MB."),
  },
  ["tabId", "fileName", "contentBase64"],
);
