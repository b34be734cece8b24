import {
  AgreementStatus,
  type AuditEvent as AuditEventMessage,
  AuditEventSchema,
  RecipientRole,
  RecipientStatus,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  AgreementLockSchema,
  AttachmentSchema,
  CreateRecipientViewRequestSchema,
  CreateRecipientViewResponseSchema,
  DateField,
  ExtendAgreementLockRequestSchema,
  KeptConsentTextSchema,
  ListAgreementsRequestSchema,
  LockAgreementRequestSchema,
  VoidAgreementRequestSchema,
} from "#gen/assent/sign/v1/sign_pb.ts";
import {
  EvidencePlaceSchema,
  FileInQuestionSchema,
  FileKind,
  KnownFileSchema,
  PartySchema,
  SealedSummarySchema,
  SealFindingSchema,
  VerifyDocumentResponseSchema,
  VerifySealResponseSchema,
} from "#gen/assent/sign/v1/verification_pb.ts";
import { exampleBase64 } from "./agreement-bodies.ts";
import { states } from "./agreements.ts";
import {
  bigCount,
  choice,
  count,
  digest,
  evidenceHash,
  flag,
  hex,
  integer,
  type Kind,
  large,
  list,
  named,
  namesOf,
  objectInText,
  orNull,
  text,
  time,
  unlisted,
  uuid,
} from "./kinds.ts";
import {
  type AnswerOf,
  apart,
  type CreateOf,
  computed,
  given,
  optional,
  readOnly,
  required,
  together,
} from "./members.ts";
import { deletion, formerSeal } from "./privacy.ts";
import { nested, resource, shown } from "./resource.ts";

const exampleHash = "0123456789abcdef".repeat(4);
const words = (example: string) => readOnly(orNull(text()), { example });

/** One value where the contract has a list of alternatives. */
const alone = <Value>(kind: Kind<Value>): Kind<Value> => ({
  at: (slot) => {
    const { schema, fromJson = (value) => value } = kind.at({ ...slot, many: undefined });
    return { schema, fromJson: (value: never) => [fromJson(value)] };
  },
});

/** Which agreements are wanted. */
export const agreementFilter = resource(ListAgreementsRequestSchema, {
  status: optional(alone(states), {
    at: "statuses",
    description: "Returns only items with this status.",
    example: "sent",
  }),
  email: optional(text(1, 100), {
    description: "Returns agreements that have a recipient with this email address. Case-insensitive.",
    example: "ann@example.com",
  }),
  text: optional(text(1, 200), {
    description:
      "Searches the subject and the recipients' names and addresses, case-insensitive. If the organization searches in files (PUT /v1/privacy/file-search), also finds agreements with a file that contains all of the words.",
    example: "NDA",
  }),
  words: optional(text(1, 200), {
    description:
      "Only agreements with a file that contains all of these words, in any of their forms; at most 20 words count. If more than 10,000 agreements match, the newest are found. Refused unless the organization searches in files.",
    example: "termination notice",
  }),
  dateField: optional(named(DateField, "camel"), {
    description: "The date that from and to apply to. Default: created.",
    example: "sent",
  }),
  from: optional(time, { description: "Start of the time range, inclusive." }),
  to: optional(time, { description: "End of the time range, exclusive." }),
});

/** What a recipient has attached to a tab. */
export const attachment = shown(AttachmentSchema, {
  id: readOnly(uuid, { description: "The value of the tab, unless another file has replaced it." }),
  recipientId: readOnly(text(), { description: "The recipient who attached the file.", example: "1" }),
  recipientIdGuid: readOnly(uuid, { at: "recipientGuid" }),
  tabId: readOnly(uuid),
  fileName: readOnly(text(), { example: "passport.pdf" }),
  contentType: readOnly(choice("application/pdf", "image/png", "image/jpeg"), {
    description: "Detected from the first bytes of the file.",
  }),
  bytes: readOnly(large(0), { example: 20_480 }),
  sha256: readOnly(digest, { description: "SHA-256 of the file in hexadecimal.", example: exampleHash }),
  createdAt: readOnly(time),
});

const status = named(AgreementStatus, "camel");

export const agreementEvent = shown(AuditEventSchema, {
  sequence: readOnly(count, { description: "Counts from 1 without gaps.", example: 1 }),
  occurredAt: readOnly(time),
  action: readOnly(text(), { example: "agreement.created" }),
  source: readOnly(text(), { description: "Where the event came from: api, signer or system.", example: "api" }),
  actor: together({
    id: readOnly(orNull(text()), {
      at: "actorId",
      description: "The client or the recipient who acted.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    name: readOnly(orNull(text()), { at: "actorName", example: "Example AG" }),
    email: readOnly(orNull(text()), { at: "actorEmail", example: null }),
  }),
  ip: words("192.0.2.1"),
  userAgent: readOnly(orNull(text()), {
    description: "What the browser or program calls itself; the first 300 characters.",
    example: "curl/8.5.0",
  }),
  claimed: computed(
    { type: "array", items: { type: "string", examples: ["userAgent"] } },
    ({ userAgent, detailsJson }: AuditEventMessage): readonly string[] => [
      ...(userAgent === "" ? [] : ["userAgent"]),
      ...(detailsJson.includes('"authenticationMethod"') ? ["details.authenticationMethod"] : []),
    ],
    {
      description: "Members that the service was told; it observed all others itself. Not part of the hash.",
    },
  ),
  details: readOnly(objectInText, {
    at: "detailsJson",
    default: {},
    description: "Details of the action.",
    example: {},
  }),
  agreementStatus: readOnly(status, { description: "The agreement's status after the event.", example: "created" }),
  previousHash: readOnly(digest, {
    description: "The hash of the previous event; zeros for the first event.",
    example: exampleHash,
  }),
  hash: readOnly(digest, {
    description:
      "SHA-256 of the canonical JSON (RFC 8785) of publicPart. In format 1: of the event with previousHash, without claimed and the members that format 2 has added, as it was before anything of it was erased.",
    example: exampleHash,
  }),
  format: readOnly(count, {
    description: "The format of the event, which says what the hash covers: 1 or 2.",
    example: 2,
  }),
  publicPart: readOnly(orNull(objectInText), {
    at: "publicJson",
    description:
      "What the hash covers: everything except personal data, which is replaced with digests (_sd, RFC 9901), some of them decoys. null in format 1, unless personal data was erased: then the rest of the event, with its hash.",
    example: null,
  }),
  disclosures: readOnly(list(text()), {
    description:
      "Each is base64url of the JSON [salt, name, value], where name is a JSON Pointer into the event. Its SHA-256 in base64url is in _sd. For each entry of publicPart.subjects there is one named /subjects/ID that lists the names of the others.",
    example: [],
  }),
  erasedSubjects: readOnly(list(uuid), {
    description:
      "The entries of publicPart.subjects whose disclosures were erased. ERASED replaces their values, and the event agreement.erased names them.",
    example: [],
  }),
});

/** What a recipient was shown and has consented to. */
export const consentedText = shown(KeptConsentTextSchema, {
  textSha256: readOnly(digest, {
    at: "sha256",
    description:
      "SHA-256 of the UTF-8 text in hexadecimal, as the event recipient.consented and the certificate name it.",
    example: exampleHash,
  }),
  locale: readOnly(text(), { example: "en" }),
  text: readOnly(text(), { at: "content", description: "The text as it was shown, one line per part." }),
});

export const voiding = resource(VoidAgreementRequestSchema, {
  voidedReason: required(text(1, 10_000), {
    at: "reason",
    description: "The reason, which recipients see; the first 200 characters are kept.",
    example: "A mistake.",
  }),
});

const lockSeconds = {
  description: "How long the lock holds, in seconds, from now.",
  example: 300,
};
const lockApp = { description: "What your application calls itself.", example: "Contract desk" };
export const newLock = resource(LockAgreementRequestSchema, {
  durationSeconds: optional(integer(1, 1_800), { ...lockSeconds, default: 300 }),
  app: optional(text(0, 100), lockApp),
});
export const lockChange = resource(ExtendAgreementLockRequestSchema, {
  durationSeconds: optional(integer(1, 1_800), lockSeconds),
  app: optional(text(0, 100), lockApp),
});
export const agreementLock = shown(AgreementLockSchema, {
  lockToken: readOnly(orNull(text()), {
    at: "token",
    description: "Send it in X-Lock-Token with each change. null unless your credential created the lock.",
    example: "01961234-5678-7abc-8def-0123456789ab",
  }),
  durationSeconds: readOnly(count, { example: 300 }),
  lockedUntil: readOnly(time),
  app: readOnly(orNull(text()), { example: "Contract desk" }),
  lockedBy: readOnly(text(), {
    description: "The API key, client or user that created the lock.",
    example: "cl_0123456789abcdefABCDEF",
  }),
});

export const recipientView = resource(CreateRecipientViewRequestSchema, {
  recipientId: optional(orNull(text(0, 100)), {
    description:
      "The recipientId or recipientIdGuid. Alternatively, identify the recipient by email, userName and clientUserId.",
    example: "1",
  }),
  email: optional(orNull(text(0, 500)), { example: "ann@example.com" }),
  userName: optional(orNull(text(0, 500)), { description: "The recipient's name.", example: "Ann Example" }),
  clientUserId: optional(orNull(text(0, 500)), { example: "1000" }),
  returnUrl: required(text(0, 2_048), {
    description: "The https URL that the browser is redirected to at the end.",
    example: "https://www.example.com/signed",
  }),
  frameAncestors: optional(list(text(1, 500)), {
    null: "both",
    description: "Origins that can embed the page in a frame.",
    example: ["https://www.example.com"],
  }),
  authenticationMethod: optional(orNull(text(0, 100)), {
    description: "How you verified who the person is. Recorded in the audit trail.",
    example: "password",
  }),
});
export const recipientLink = shown(CreateRecipientViewResponseSchema, {
  url: given<string>(
    { type: "string" },
    {
      description: "Open it only in the recipient's browser.",
      example: "https://api.example.com/signing/AZYSNFZ4erCN7wEjRWeJqwEjRWeJq83vASNFZ4mrze8",
    },
  ),
  expiresAt: readOnly(time, { description: "When the link expires." }),
});

/** A file that somebody asks about: exactly one of them. */
export const fileInQuestion = resource(FileInQuestionSchema, {
  documentBase64: apart<string | null>({
    type: ["string", "null"],
    description: "The PDF, in Base64 without line breaks.",
    examples: [exampleBase64],
  }),
  sha256: apart<string | null>({
    type: ["string", "null"],
    pattern: "^[0-9a-fA-F]{64}$",
    description: "The SHA-256 of the whole file, if you don't send its bytes.",
    examples: [exampleHash],
  }),
});

const seal = shown(SealFindingSchema, {
  intact: readOnly(flag, {
    at: "isIntact",
    description:
      "Whether the covered bytes are unchanged, according to the certificate in the signature. Also false for forms of signatures that can't be checked.",
  }),
  coversWholeFile: readOnly(flag, { description: "Whether nothing was added to the file after this signature." }),
  addedBytes: readOnly(large(0), { description: "How many bytes follow the covered part.", example: 0 }),
  addition: readOnly(orNull(text()), {
    description: "What the added bytes are. Null except for the last intact signature that has something after it.",
    example: "a revision was added: the contents of a page have changed.",
  }),
  signedPartSha256: readOnly(hex, {
    description:
      "SHA-256 of the file as it was when it was signed. Null unless the signature is intact and something was added.",
    example: exampleHash,
  }),
  ours: readOnly(flag, {
    at: "isOurs",
    description: "Whether this installation uses, or has used, the certificate for seals.",
  }),
  subject: readOnly(orNull(text()), {
    description: "The subject of the certificate, one part per line.",
    example: "CN=Example AG",
  }),
  certificateSha256: readOnly(hex, { description: "The fingerprint of the certificate.", example: exampleHash }),
  claimedAt: readOnly(orNull(time), { description: "The time stated in the signature." }),
});
const question = {
  sha256: readOnly(digest, { description: "SHA-256 of the file.", example: exampleHash }),
  seals: readOnly(list(nested(seal)), {
    description: "The signatures in the file; empty if you sent only its hash.",
  }),
} as const;

const party = shown(PartySchema, {
  recipientId: readOnly(text(), { example: "1" }),
  name: readOnly(text(), { example: "Ann Example" }),
  role: readOnly(unlisted(named(RecipientRole, "camel")), {
    description: namesOf(RecipientRole, "camel").join(", "),
    example: "signer",
  }),
  status: readOnly(unlisted(named(RecipientStatus, "camel")), {
    description: namesOf(RecipientStatus, "camel").join(", "),
    example: "completed",
  }),
  endedAt: readOnly(orNull(time), { description: "When the party signed, approved or declined." }),
});
const parties = list(nested(party));

const match = shown(KnownFileSchema, {
  kind: readOnly(named(FileKind, "lower"), {
    description: "Which form of the document this is: as sent or shown, as sealed, or a record of it.",
    example: "sealed",
  }),
  agreementId: readOnly(uuid),
  documentId: readOnly(orNull(text()), { description: "Null for certificates, and so is the name.", example: "1" }),
  documentName: words("NDA.pdf"),
  status: readOnly(status, { description: "The status of the agreement.", example: "completed" }),
  emailSubject: words("Please sign the NDA"),
  completedAt: readOnly(orNull(time)),
  signers: readOnly(parties, { at: "parties", description: "Everyone who has to act or has acted." }),
  auditTrailIntact: readOnly(flag, {
    at: "isAuditIntact",
    description: "Whether the audit trail is complete and unchanged.",
  }),
  evidence: readOnly(
    orNull(
      nested(
        shown(EvidencePlaceSchema, {
          logId: readOnly(uuid),
          leafIndex: readOnly(bigCount, { example: 1234 }),
          leafHash: readOnly({ ...evidenceHash, nullable: false }),
        }),
      ),
    ),
    {
      description:
        "Where the head of the audit trail is in the evidence log; null until it is there. See /v1/click/log/proofs/inclusion.",
    },
  ),
});

export const documentVerification = shown(VerifyDocumentResponseSchema, {
  ...question,
  matches: readOnly(list(nested(match)), {
    at: "known",
    description: "At most 10, newest agreement first. An original can be in several agreements.",
  }),
  deleted: readOnly(list(nested(deletion)), {
    description: "Deleted agreements that had exactly this file. At most 10, newest first.",
  }),
});

const sealed = shown(SealedSummarySchema, {
  kind: readOnly(named(FileKind, "lower", ["SEALED", "CERTIFICATE"]), { example: "sealed" }),
  agreementId: readOnly(uuid),
  documentName: words("NDA.pdf"),
  organizationName: readOnly(text(), {
    description: "The organization that sent the agreement.",
    example: "Example AG",
  }),
  emailSubject: words("Please sign the NDA"),
  completedAt: readOnly(orNull(time)),
  signers: readOnly(parties, { at: "parties" }),
  auditTrailIntact: readOnly(flag, { at: "isAuditIntact" }),
  evidenceLeafHash: readOnly(evidenceHash, {
    description:
      "The leaf of the sender's evidence log with the head of the audit trail; null until there is one. The sender can prove that it is there.",
  }),
});

/** What everybody may know of a file. */
export const sealVerification = shown(VerifySealResponseSchema, {
  ...question,
  sealed: readOnly(orNull(nested(sealed)), {
    at: "summary",
    description: "Null unless exactly this file was sealed here and is still stored.",
  }),
  deleted: readOnly(orNull(nested(formerSeal)), {
    at: "deletion",
    description: "What remains of the deleted agreement that had exactly this file; null otherwise.",
  }),
});

export type Attachment = AnswerOf<typeof attachment.table>;
export type AgreementEvent = AnswerOf<typeof agreementEvent.table>;
export type FileBody = CreateOf<typeof fileInQuestion.table>;
