import { type ContentBody, exampleBase64 } from "#api/agreement-bodies.ts";
import type { ErrorCode } from "#platform/errors.ts";
import { fileErrors } from "./base.ts";

/** A request that makes an agreement. */
export const exampleAgreement = {
  status: "sent",
  emailSubject: "Please sign the NDA",
  documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: exampleBase64 }],
  recipients: {
    signers: [
      {
        recipientId: "1",
        name: "Ann Example",
        email: "ann@example.com",
        clientUserId: "1000",
        tabs: [
          { type: "signature", anchor: { text: "/sn1/" } },
          { type: "text", label: "order", documentId: "1", page: 1, x: 153, y: 230, required: false },
        ],
      },
    ],
  },
  reminders: { enabled: true, delayDays: 2, frequencyDays: 3 },
} as const;

const documentErrors: readonly ErrorCode[] = [
  "INVALID_BASE64",
  "INVALID_DOCUMENT_FORMAT",
  "DOCUMENT_TOO_LARGE",
  "CORRUPTED_DOCUMENT",
];
const recipientErrors: readonly ErrorCode[] = ["INVALID_EMAIL", "DUPLICATE_RECIPIENT"];

/** Of what changes documents. */
export const documentEditErrors: readonly ErrorCode[] = ["ENVELOPE_CANNOT_BE_MODIFIED", ...documentErrors];
/** Of what changes recipients. */
export const recipientEditErrors: readonly ErrorCode[] = [
  "RECIPIENT_ALREADY_SIGNED",
  "ENVELOPE_CANNOT_BE_MODIFIED",
  ...recipientErrors,
];
/** Of what changes anything. */
export const editErrors: readonly ErrorCode[] = ["RECIPIENT_ALREADY_SIGNED", ...documentEditErrors, ...recipientErrors];

/** Of what an agreement has to have to be sent. */
export const completenessErrors: readonly ErrorCode[] = [
  "DOCUMENTS_REQUIRED",
  "RECIPIENTS_REQUIRED",
  "ANCHOR_TAB_STRING_NOT_FOUND",
  ...fileErrors,
];
export const createErrors: readonly ErrorCode[] = [
  "TEMPLATE_NOT_FOUND",
  "BRAND_NOT_FOUND",
  ...documentErrors,
  ...recipientErrors,
  ...completenessErrors,
  "IDEMPOTENCY_KEY_REUSED",
];

/** Which lists a change gives anew. */
export const replacements = ({ documents, recipients, customFields }: ContentBody) => ({
  replaceDocuments: Array.isArray(documents),
  replaceRecipients: recipients !== undefined && recipients !== null,
  replaceCustomFields: Array.isArray(customFields),
});

export const replayed = { "Idempotent-Replayed": "true" } as const;
export const replayedHeader = {
  "Idempotent-Replayed":
    "true when nothing new was made: the answer is about what the first request with this key made.",
} as const;

const idOfClient = (what: string, names: string, otherwise: ErrorCode) => ({
  schema: { type: "string", minLength: 1, maxLength: 50, description: `The id of the ${what}.`, examples: ["1"] },
  names,
  otherwise,
});

/** Ids that integrations choose. */
export const recipientIdParam = idOfClient(
  "recipient: recipientId, or recipientIdGuid",
  "recipientId",
  "RECIPIENT_NOT_FOUND",
);
export const documentIdParam = idOfClient("document, as it was given", "documentId", "DOCUMENT_NOT_FOUND");
