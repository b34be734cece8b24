import {
  AgreementStatus,
  type AuditEvent as AuditEventMessage,
  AuditEventSchema,
  RecipientRole,
  RecipientStatus,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  AttachmentSchema,
  CreateRecipientViewRequestSchema,
  CreateRecipientViewResponseSchema,
  DateField,
  KeptConsentTextSchema,
  ListAgreementsRequestSchema,
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
  status: optional(alone(states), { at: "statuses", description: "Those in this status only.", example: "sent" }),
  email: optional(text(1, 100), {
    description: "Those that a recipient with this address has, without case.",
    example: "ann@example.com",
  }),
  text: optional(text(1, 200), {
    description: "In the subject, or in a recipient's name or address, without case.",
    example: "NDA",
  }),
  dateField: optional(named(DateField, "camel"), {
    description: "What from and to look at; created when absent.",
    example: "sent",
  }),
  from: optional(time, { description: "At this time or later." }),
  to: optional(time, { description: "Before this time." }),
});

/** What a recipient has attached to a tab. */
export const attachment = shown(AttachmentSchema, {
  id: readOnly(uuid, { description: "The value of the tab, unless another file has taken its place." }),
  recipientId: readOnly(text(), { description: "Who attached it.", example: "1" }),
  recipientIdGuid: readOnly(uuid, { at: "recipientGuid" }),
  tabId: readOnly(uuid),
  fileName: readOnly(text(), { example: "passport.pdf" }),
  contentType: readOnly(choice("application/pdf", "image/png", "image/jpeg"), {
    description: "By the first bytes of the file.",
  }),
  bytes: readOnly(large(0), { example: 20_480 }),
  sha256: readOnly(digest, { description: "Hex.", example: exampleHash }),
  createdAt: readOnly(time),
});

const status = named(AgreementStatus, "camel");

export const agreementEvent = shown(AuditEventSchema, {
  sequence: readOnly(count, { description: "From 1, without gaps.", example: 1 }),
  occurredAt: readOnly(time),
  action: readOnly(text(), { example: "agreement.created" }),
  source: readOnly(text(), { description: "api, signer or system.", example: "api" }),
  actor: together({
    id: readOnly(orNull(text()), {
      at: "actorId",
      description: "The client, or the recipient.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    name: readOnly(orNull(text()), { at: "actorName", example: "Example AG" }),
    email: readOnly(orNull(text()), { at: "actorEmail", example: null }),
  }),
  ip: words("192.0.2.1"),
  userAgent: readOnly(orNull(text()), {
    description: "What the program calls itself; the first 300 characters.",
    example: "curl/8.5.0",
  }),
  claimed: computed(
    { type: "array", items: { type: "string", examples: ["userAgent"] } },
    ({ userAgent, detailsJson }: AuditEventMessage): readonly string[] => [
      ...(userAgent === "" ? [] : ["userAgent"]),
      ...(detailsJson.includes('"authenticationMethod"') ? ["details.authenticationMethod"] : []),
    ],
    {
      description:
        "Members that someone has said and no one has seen: all others are what the service saw or did itself. Not part of the hash.",
    },
  ),
  details: readOnly(objectInText, {
    at: "detailsJson",
    default: {},
    description: "What the action needs to be understood.",
    example: {},
  }),
  agreementStatus: readOnly(status, { description: "After the event.", example: "created" }),
  previousHash: readOnly(digest, {
    description: "hash of the event before; zeros before the first.",
    example: exampleHash,
  }),
  hash: readOnly(digest, {
    description:
      "SHA-256 of the canonical JSON (RFC 8785) of publicPart. In format 1: of the event with previousHash, without claimed and the members that format 2 has added, as it was before anything of it was erased.",
    example: exampleHash,
  }),
  format: readOnly(count, { description: "1 or 2: what the hash is made over.", example: 2 }),
  publicPart: readOnly(orNull(objectInText), {
    at: "publicJson",
    description:
      "What the hash is made over: everything but what is personal, of which it has digests (_sd, RFC 9901), some of them of nothing. null in format 1, unless what was personal was erased: then what is left of the event, with its hash.",
    example: null,
  }),
  disclosures: readOnly(list(text()), {
    description:
      "Each is base64url of the JSON [salt, name, value], where name is a JSON Pointer into the event, and its SHA-256 in base64url stands in _sd. For each of publicPart.subjects there is one named /subjects/ID that lists the names of the others.",
    example: [],
  }),
  erasedSubjects: readOnly(list(uuid), {
    description:
      "Those of publicPart.subjects whose disclosures were erased: ERASED stands where their values stood, and the event agreement.erased names them.",
    example: [],
  }),
});

/** What a recipient was shown and has consented to. */
export const consentedText = shown(KeptConsentTextSchema, {
  textSha256: readOnly(digest, {
    at: "sha256",
    description: "SHA-256 of text in UTF-8, in hex: as the event recipient.consented and the certificate name it.",
    example: exampleHash,
  }),
  locale: readOnly(text(), { example: "en" }),
  text: readOnly(text(), { at: "content", description: "As it was shown, a line for each part." }),
});

export const voiding = resource(VoidAgreementRequestSchema, {
  voidedReason: required(text(1, 10_000), {
    at: "reason",
    description: "Told to the recipients; its first 200 characters are kept.",
    example: "A mistake.",
  }),
});

export const recipientView = resource(CreateRecipientViewRequestSchema, {
  recipientId: optional(orNull(text(0, 100)), {
    description: "recipientId or recipientIdGuid; or else what the person is called.",
    example: "1",
  }),
  email: optional(orNull(text(0, 500)), { example: "ann@example.com" }),
  userName: optional(orNull(text(0, 500)), { description: "The recipient's name.", example: "Ann Example" }),
  clientUserId: optional(orNull(text(0, 500)), { example: "1000" }),
  returnUrl: required(text(0, 2_048), {
    description: "Where the browser goes in the end; https.",
    example: "https://www.example.com/signed",
  }),
  frameAncestors: optional(list(text(1, 500)), {
    null: "both",
    description: "Origins that may show the page in a frame.",
    example: ["https://www.example.com"],
  }),
  authenticationMethod: optional(orNull(text(0, 100)), {
    description: "How you know who the person is; kept in the audit trail.",
    example: "password",
  }),
});
export const recipientLink = shown(CreateRecipientViewResponseSchema, {
  url: given<string>(
    { type: "string" },
    {
      description: "For the browser of the recipient alone.",
      example: "https://api.example.com/signing/AZYSNFZ4erCN7wEjRWeJqwEjRWeJq83vASNFZ4mrze8",
    },
  ),
  expiresAt: readOnly(time, { description: "Until when it can be opened." }),
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
    description: "Of the whole file, when its bytes are not sent.",
    examples: [exampleHash],
  }),
});

const seal = shown(SealFindingSchema, {
  intact: readOnly(flag, {
    at: "isIntact",
    description:
      "Whether what it covers is what was signed, by the certificate that it carries. False too for signatures of other forms than ours, of which nothing can be said.",
  }),
  coversWholeFile: readOnly(flag, { description: "Whether nothing was added to the file afterwards." }),
  addedBytes: readOnly(large(0), { description: "How many bytes follow what it covers.", example: 0 }),
  addition: readOnly(orNull(text()), {
    description: "What they are. Null for all but the last signature that is intact and has something after it.",
    example: "a revision was added: the contents of a page have changed.",
  }),
  signedPartSha256: readOnly(hex, {
    description:
      "Of the file as it was when it was signed. Null unless the signature is intact and something was added.",
    example: exampleHash,
  }),
  ours: readOnly(flag, {
    at: "isOurs",
    description: "Whether this installation seals, or has sealed, with the certificate.",
  }),
  subject: readOnly(orNull(text()), {
    description: "Of the certificate, one part a line.",
    example: "CN=Example AG",
  }),
  certificateSha256: readOnly(hex, { description: "Of the certificate.", example: exampleHash }),
  claimedAt: readOnly(orNull(time), { description: "As the signature says." }),
});
const question = {
  sha256: readOnly(digest, { description: "Of the file.", example: exampleHash }),
  seals: readOnly(list(nested(seal)), {
    description: "The signatures of the file; none when only its hash was sent.",
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
    description: "As it was sent or shown, as it was sealed, or what tells of it.",
    example: "sealed",
  }),
  agreementId: readOnly(uuid),
  documentId: readOnly(orNull(text()), { description: "Null for certificates, like the name.", example: "1" }),
  documentName: words("NDA.pdf"),
  status: readOnly(status, { description: "Of the agreement.", example: "completed" }),
  emailSubject: words("Please sign the NDA"),
  completedAt: readOnly(orNull(time)),
  signers: readOnly(parties, { at: "parties", description: "Everyone who has to act, or had to." }),
  auditTrailIntact: readOnly(flag, {
    at: "isAuditIntact",
    description: "Whether the audit trail is all that has happened, as it was written.",
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
        "Where the evidence log has the head of the audit trail; null until it has. See /v1/click/log/proofs/inclusion.",
    },
  ),
});

export const documentVerification = shown(VerifyDocumentResponseSchema, {
  ...question,
  matches: readOnly(list(nested(match)), {
    at: "known",
    description: "At most 10, newest agreement first; an original may be in several.",
  }),
  deleted: readOnly(list(nested(deletion)), {
    description: "Agreements that had exactly this file and were deleted since, at most 10, newest first.",
  }),
});

const sealed = shown(SealedSummarySchema, {
  kind: readOnly(named(FileKind, "lower", ["SEALED", "CERTIFICATE"]), { example: "sealed" }),
  agreementId: readOnly(uuid),
  documentName: words("NDA.pdf"),
  organizationName: readOnly(text(), { description: "On whose behalf it was sent.", example: "Example AG" }),
  emailSubject: words("Please sign the NDA"),
  completedAt: readOnly(orNull(time)),
  signers: readOnly(parties, { at: "parties" }),
  auditTrailIntact: readOnly(flag, { at: "isAuditIntact" }),
  evidenceLeafHash: readOnly(evidenceHash, {
    description:
      "Of the leaf of the sender's evidence log that has the head of the audit trail; null until there is one. The sender can prove that it is there.",
  }),
});

/** What everybody may know of a file. */
export const sealVerification = shown(VerifySealResponseSchema, {
  ...question,
  sealed: readOnly(orNull(nested(sealed)), {
    at: "summary",
    description: "Null unless exactly this file was sealed here, and is kept.",
  }),
  deleted: readOnly(orNull(nested(formerSeal)), {
    at: "deletion",
    description: "What remains of the agreement that had exactly this file, when it was deleted since; null otherwise.",
  }),
});

export type Attachment = AnswerOf<typeof attachment.table>;
export type AgreementEvent = AnswerOf<typeof agreementEvent.table>;
export type FileBody = CreateOf<typeof fileInQuestion.table>;
