import { base64Encode } from "@bufbuild/protobuf/wire";
import {
  AgreementSchema,
  AgreementStatus,
  DocumentSchema,
  PageSchema,
  type Recipient,
  RecipientRole,
  RecipientSchema,
  RecipientStatus,
  VerificationMethod,
  VerificationMoment,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  AddAttachmentRequestSchema,
  AddAttachmentResponseSchema,
  type AdoptedSignature,
  AdoptedSignatureSchema,
  AnswerVerificationRequestSchema,
  AnswerVerificationResponseSchema,
  ConsentTextSchema,
  DeclineSigningRequestSchema,
  EndSenderViewRequestSchema,
  FinishSigningRequestSchema,
  FinishSigningResponseSchema,
  type GetCeremonyResponse,
  GetCeremonyResponseSchema,
  GiveConsentRequestSchema,
  GiveConsentResponseSchema,
  LeaveSigningRequestSchema,
  PendingVerificationSchema,
  SaveSigningProgressRequestSchema,
  SenderDecision,
  SendVerificationCodeRequestSchema,
  SendVerificationCodeResponseSchema,
  TabValueSchema,
  VerificationOutcome,
  ViewKind,
} from "#gen/assent/sign/v1/signing_pb.ts";
import { type BrandLook, brandLookOf, brandLookSchema } from "./brands.ts";
import {
  choice,
  count,
  described,
  digest,
  flag,
  type JsonSchema,
  list,
  named,
  number,
  orNull,
  text,
  time,
  unlisted,
} from "./kinds.ts";
import { type AnswerOf, type CreateOf, given, optional, readOnly, required, requiredApart } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";
import { tabToFill } from "./tabs.ts";

/** An object of an answer that may be missing. */
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const aText = readOnly(text());

const page = shown(PageSchema, { width: readOnly(number()), height: readOnly(number()) });
const document = shown(DocumentSchema, { documentId: aText, name: aText, pages: readOnly(list(nested(page))) });

const agreement = shown(AgreementSchema, {
  id: aText,
  status: readOnly(unlisted(named(AgreementStatus, "camel"))),
  emailSubject: aText,
  emailBlurb: aText,
  senderName: readOnly(text(), { at: "sender.name", default: "" }),
  organizationName: given<string>({ type: "string" }),
  documents: readOnly(list(nested(document))),
});

const role = unlisted(named(RecipientRole, "dashed"));
const status = readOnly(unlisted(named(RecipientStatus, "camel")));
const recipient = shown(RecipientSchema, {
  recipientId: aText,
  name: aText,
  email: aText,
  role: readOnly(role, { example: "signer" }),
  status,
  locale: aText,
  tabs: readOnly(list(nested(tabToFill))),
});
/** Where the others are reached is for the sender to know, not for everybody who signs. */
const other = shown(RecipientSchema, {
  name: aText,
  email: given<string | null>({ type: ["string", "null"] }),
  role: readOnly(role),
  status,
});

const hashDescription = "SHA-256 of introduction, points and agreement, one below the other in UTF-8.";
const consentText = shown(ConsentTextSchema, {
  locale: readOnly(text(), { example: "en" }),
  introduction: aText,
  points: readOnly(list(text())),
  agreement: aText,
  textSha256: readOnly(digest, {
    at: "sha256",
    description: hashDescription,
    example: "0123456789abcdef".repeat(4),
  }),
});
export type ConsentText = AnswerOf<typeof consentText.table>;

const consent = shown(GetCeremonyResponseSchema, {
  required: given<boolean>({ type: "boolean" }),
  givenAt: readOnly(orNull(unlisted(time)), { at: "consentedAt" }),
  texts: given<readonly ConsentText[]>(listOf(consentText.schemas.answer), {
    description: "While consent is required: the texts to show, one per language.",
  }),
});

/** How a signature looks: typed in a font, or drawn. */
export const adopted = resource(AdoptedSignatureSchema, {
  typed: required(text(0, 200), { description: "The typed name or initials." }),
  font: required(choice("dancing-script", "caveat", "great-vibes")),
  drawnPng: requiredApart<string>({
    type: "string",
    minLength: 0,
    maxLength: 349_528,
    description: "A PNG in Base64 instead of the typed text; empty if there is none.",
  }),
});
export type Adopted = CreateOf<typeof adopted.table>;

/** What was saved before the person finished. */
const saved = shown(GetCeremonyResponseSchema, {
  signature: given<Adopted | null>(nullable(adopted.schemas.create)),
  initials: given<Adopted | null>(nullable(adopted.schemas.create)),
  place: given<string>({ type: "string" }, { description: "The tabId of the field that the person was on." }),
});

export type CeremonyDocument = AnswerOf<typeof document.table>;
export type CeremonyRecipient = AnswerOf<typeof recipient.table>;

/** A check that the session has not passed. */
const pending = shown(PendingVerificationSchema, {
  method: readOnly(named(VerificationMethod, "lower")),
  before: readOnly(named(VerificationMoment, "lower")),
  isLocked: readOnly(flag),
  hint: readOnly(text(), { description: "Where a code goes, such as a•••@example.com." }),
  triesLeft: readOnly(count),
  isSent: readOnly(flag, { description: "Whether a code was sent to this session that still works." }),
  waitSeconds: readOnly(count, { description: "When another code can be sent." }),
});
export type PendingCheck = AnswerOf<typeof pending.table>;

const method = required(named(VerificationMethod, "lower"), { example: "email_code" });
export const codeWanted = resource(SendVerificationCodeRequestSchema, { method });
export const codeSent = shown(SendVerificationCodeResponseSchema, {
  sent: readOnly(flag, { description: "False if the previous code was sent too recently, or too many were." }),
  verification: readOnly(nested(pending)),
});
export const codeAnswer = resource(AnswerVerificationRequestSchema, {
  method,
  code: required(text(1, 200), { example: "123456" }),
});
export const codeOutcome = shown(AnswerVerificationResponseSchema, {
  outcome: readOnly(named(VerificationOutcome, "dashed"), {
    description: "no-code: this session has no code that still works. That isn't a wrong answer.",
  }),
  triesLeft: readOnly(count),
});

export const ceremony = shown(GetCeremonyResponseSchema, {
  kind: readOnly(named(ViewKind, "dashed")),
  organizationName: aText,
  verification: readOnly(list(nested(pending)), {
    description: "What the session hasn't proved yet. While one of the checks comes before viewing, agreement is null.",
  }),
  agreement: given<AnswerOf<typeof agreement.table> | null>(nullable(agreement.schemas.answer)),
  recipient: given<CeremonyRecipient | null>(nullable(recipient.schemas.answer)),
  others: given<readonly AnswerOf<typeof other.table>[]>(listOf(other.schemas.answer)),
  consent: given<AnswerOf<typeof consent.table>>(consent.schemas.answer),
  canAct: readOnly(flag, { description: "Whether the person still has something to do." }),
  hasCertificate: readOnly(flag, {
    description:
      "Whether the person can download the certificate of completion: once it exists, if they see all documents.",
  }),
  progress: given<AnswerOf<typeof saved.table>>(saved.schemas.answer, {
    description: "What was saved in any session of the person, except the values, which are in the tabs.",
  }),
  brand: given<BrandLook | null>(nullable(brandLookSchema), {
    description: "The brand of the page; null for the default design.",
  }),
  reportAbuseUrl: given<string | null>(
    { type: ["string", "null"] },
    { description: "The address for reporting abuse; null if the operator hasn't set one." },
  ),
  timeoutUrl: readOnly(orNull(text()), { description: "The URL to open when the session has expired." }),
});
export type Ceremony = AnswerOf<typeof ceremony.table>;

/** What the signing page is told of a session. */
export function ceremonyOf(message: GetCeremonyResponse, reportAbuseUrl: string): Ceremony {
  const { agreement: shared, recipientId, canAct, organizationId, organizationName, brand } = message;
  const recipients = shared?.recipients ?? [];
  const person = recipients.find(({ id }) => id === recipientId);
  const asksConsent = canAct && needsConsent(person);
  const otherOf = (one: Recipient) =>
    other.answer(one, { email: person === undefined && one.email !== "" ? one.email : null });
  return ceremony.answer(message, {
    agreement: shared === undefined ? null : agreement.answer(shared, { organizationName }),
    recipient: person === undefined ? null : recipient.answer(person),
    brand: brand && organizationId !== "" ? brandLookOf(brand, organizationId) : null,
    others: recipients.filter((one) => one !== person).map(otherOf),
    reportAbuseUrl: reportAbuseUrl === "" ? null : reportAbuseUrl,
    progress: saved.answer(message, {
      signature: adoptedOf(message.progress?.signature),
      initials: adoptedOf(message.progress?.initials),
      place: message.progress?.place ?? "",
    }),
    consent: consent.answer(message, {
      required: asksConsent,
      texts: asksConsent ? message.consentTexts.map((one) => consentText.answer(one)) : [],
    }),
  });
}

const adoptedOf = (one: AdoptedSignature | undefined): Adopted | null =>
  one === undefined
    ? null
    : { typed: one.typed, font: one.font as Adopted["font"], drawnPng: base64Encode(one.drawnPng) };

/** Who only has to look signs nothing. */
const needsConsent = (person: Recipient | undefined): boolean =>
  person !== undefined && person.role !== RecipientRole.CERTIFIED_DELIVERY;

export const ended = shown(FinishSigningResponseSchema, {
  returnUrl: readOnly(orNull(text()), {
    description: "The URL to open next; null if no page is waiting for the person.",
  }),
});

export const consentGiven = resource(GiveConsentRequestSchema, {
  textSha256: required(digest, {
    description: "The hash of the text that was shown, which must be one that the session offers.",
  }),
  locale: required(described(text(0, 20), "Of that text.")),
});
export const consented = shown(GiveConsentResponseSchema, {
  consentedAt: readOnly(orNull(unlisted(time))),
});

export const fileToAttach = resource(AddAttachmentRequestSchema, {
  tabId: required(text(1, 100)),
  fileName: required(text(1, 255)),
  contentBase64: requiredApart<string>({
    type: "string",
    minLength: 4,
    maxLength: 6_990_508,
    description: "A PDF, PNG or JPEG of at most 5 MB. A picture is kept as a page of a PDF.",
  }),
});
export const attached = shown(AddAttachmentResponseSchema, {
  value: readOnly(text(), { description: "The value of the tab." }),
});

const values = required(
  list(nested(resource(TabValueSchema, { tabId: required(text(1, 100)), value: required(text(0, 10_000)) }))),
);
export const finish = resource(FinishSigningRequestSchema, {
  values,
  signature: optional(orNull(nested(adopted))),
  initials: optional(orNull(nested(adopted))),
});
export const leave = resource(LeaveSigningRequestSchema, { values });
export const progress = resource(SaveSigningProgressRequestSchema, {
  values,
  signature: optional(orNull(nested(adopted))),
  initials: optional(orNull(nested(adopted))),
  place: optional(text(0, 100), { description: "The tabId of the field that the person is on." }),
});
export const declining = resource(DeclineSigningRequestSchema, {
  reason: required(text(0, 500), { description: "The reason, which the sender sees." }),
});
export const decision = resource(EndSenderViewRequestSchema, {
  decision: required(named(SenderDecision, "lower")),
});
