import {
  AgreementSchema,
  AgreementStatus,
  Assurance,
  type CustomField,
  CustomFieldSchema,
  DocumentSchema,
  RecipientInputSchema,
  type Recipient as RecipientMessage,
  RecipientRole,
  RecipientSchema,
  RecipientStatus,
  VerificationInputSchema,
  VerificationMethod,
  VerificationMoment,
  VerificationSchema,
  VerificationState,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { UnlockVerificationRequestSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import {
  bigCount,
  choice,
  count,
  flag,
  hex,
  integer,
  type Kind,
  languageTag,
  lengthOf,
  list,
  named,
  objectInText,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, type CreateOf, computed, optional, readOnly, required, together } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";
import { tab } from "./tabs.ts";
import { workflowContent, workflowShown } from "./workflow.ts";

const words = (max: number) => orNull(text(0, max, { everywhere: true }));

const checkTexts = {
  before: "viewing shows nothing of the agreement before it is passed; signing asks for it before the person finishes.",
  email: "For email_code: where codes go, if not to the recipient's own address.",
};

/** A check that is asked of a recipient. */
const checkInput = resource(VerificationInputSchema, {
  method: required(named(VerificationMethod, "lower"), {
    description:
      "How the person proves who they are. access_code: a code that you tell them in another way. email_code: six digits that are emailed to them when they ask.",
    example: "access_code",
  }),
  before: optional(orNull(named(VerificationMoment, "lower")), {
    description: `${checkTexts.before} Default: viewing.`,
    example: "viewing",
  }),
  email: optional(words(500), { description: checkTexts.email, example: "ann@work.example" }),
  accessCode: optional(words(50), {
    description:
      "For access_code: 3 to 50 characters; use six or more. No answer shows it. If absent, the code of an existing check stays.",
    example: "Lighthouse 42",
  }),
});
type CheckBody = CreateOf<typeof checkInput.table>;

/** All checks of a recipient: those that a list leaves out are no longer asked for. */
const checksBody: Kind<unknown, readonly CheckBody[]> = {
  at: () => ({
    schema: () => ({ type: "array", items: checkInput.schemas.create, maxItems: 10 }),
    fromJson: (body: readonly CheckBody[]) => ({ checks: body.map((one) => checkInput.create(one)) }),
  }),
};
const verification = optional(checksBody, {
  null: "both",
  description: "What the recipient has to prove to us, each method at most once. If present, it replaces all checks.",
});

/** How far a check is. */
const check = shown(VerificationSchema, {
  method: readOnly(named(VerificationMethod, "lower"), { example: "access_code" }),
  before: readOnly(named(VerificationMoment, "lower"), { description: checkTexts.before, example: "viewing" }),
  email: readOnly(orNull(text()), { description: checkTexts.email, example: null }),
  state: readOnly(named(VerificationState, "lower"), {
    description: "passed: in one session or more; others have to pass it again. locked: after five wrong answers.",
    example: "passed",
  }),
  failures: readOnly(count, { description: "Wrong answers in all.", example: 0 }),
  passedAt: readOnly(orNull(time), { description: "When it was last passed." }),
  lockedAt: readOnly(orNull(time), { example: null }),
});

/** What requests say of a recipient, and answers do. */
const person = {
  name: optional(words(500), { example: "Ann Example" }),
  email: optional(words(500), { example: "ann@example.com" }),
  clientUserId: optional(words(500), {
    description: "Your ID for the person, who then signs in your application and gets no email.",
    example: "1000",
  }),
  roleName: optional(words(500), { description: "The template role that the recipient fills.", example: "Buyer" }),
  routingOrder: optional(orNull(integer(1, 2_147_483_647)), {
    description: "Recipients with the same number act at the same time.",
    example: 1,
  }),
  note: optional(words(1_000), { example: "Soon, please." }),
  locale: optional(orNull(languageTag)),
  emailSubject: optional(words(100), {
    description: "The subject of emails that ask this person to act. Default: the agreement's.",
    example: "Your lease",
  }),
  emailBlurb: optional(words(10_000), {
    description: "The message of those emails. Default: the agreement's.",
    example: "Page 2 is for you.",
  }),
  hostName: optional(words(500), {
    description: "For in-person signers: the person on whose device they sign.",
    example: "Hal Example",
  }),
  hostEmail: optional(words(500), { example: "hal@example.com" }),
  excludedDocuments: optional(list(text(1, 50)), {
    null: "both",
    description: "The documentIds of documents that aren't shown to the recipient, on pages, in emails or as files.",
    example: ["3"],
  }),
  tabs: optional(list(nested(tab)), { null: "both" }),
} as const;

const recipientId = optional(words(50), {
  description: "Unique within the agreement. Default: the lowest free number.",
  example: "1",
});

/** A recipient of a request, in the group of those who are asked for the same. */
const recipientInput = resource(RecipientInputSchema, { recipientId, ...person, verification });

/** A recipient of a request among those who sign or approve. */
const signerInput = resource(RecipientInputSchema, {
  recipientId,
  role: optional(orNull(named(RecipientRole, "camel", ["SIGNER", "APPROVER"])), {
    description: "approver agrees without signing. Default: signer.",
    example: "signer",
  }),
  ...person,
  verification,
});

/** A recipient of a request whose address names it. */
export const recipientChanges = resource(RecipientInputSchema, {
  role: optional(orNull(named(RecipientRole, "camel")), {
    description: "If absent, it stays as it is.",
    example: "signer",
  }),
  ...person,
  verification,
});

export const recipient = shown(RecipientSchema, {
  recipientId: readOnly(text(), { example: "1" }),
  recipientIdGuid: readOnly(uuid, { at: "id" }),
  ...person,
  role: readOnly(named(RecipientRole, "camel"), { example: "signer" }),
  routingOrder: readOnly(count, { example: 1 }),
  status: readOnly(named(RecipientStatus, "camel"), { example: "delivered" }),
  sentAt: readOnly(orNull(time)),
  deliveredAt: readOnly(orNull(time)),
  completedAt: readOnly(orNull(time)),
  declinedAt: readOnly(orNull(time), { example: null }),
  declineReason: readOnly(orNull(text()), { example: null }),
  deliveryFailedAt: readOnly(orNull(time), {
    description: "When an email to the recipient bounced; null again once they open the agreement.",
    example: null,
  }),
  deliveryFailedReason: readOnly(orNull(text()), { description: "Why the email bounced.", example: null }),
  verification: readOnly(list(nested(check)), {
    description: "What the recipient has to prove. We perform each check ourselves.",
    example: [],
  }),
  assurance: readOnly(orNull(named(Assurance, "dashed")), {
    description:
      "What we have checked ourselves of who the recipient is: link (they had the link), mailbox (they read a mailbox), shared-secret (they knew the access code), combined (both). Null before they open the agreement. What your application says it checked never counts.",
    example: "link",
  }),
});

export const unlocking = resource(UnlockVerificationRequestSchema, {
  accessCode: optional(words(50), {
    description: "A new access code, for a recipient who is asked for one. If absent, it stays.",
    example: "Lighthouse 43",
  }),
});

export type Recipient = AnswerOf<typeof recipient.table>;
export type RecipientBody = CreateOf<typeof recipientInput.table> & Pick<CreateOf<typeof signerInput.table>, "role">;

export interface RecipientGroups<Member> {
  readonly signers: readonly Member[];
  readonly carbonCopies: readonly Member[];
  readonly certifiedDeliveries: readonly Member[];
  readonly inPersonSigners: readonly Member[];
}
/** Recipients of a request by what they are asked to do. */
export type RecipientsBody = {
  readonly [Group in keyof RecipientGroups<unknown>]?: readonly RecipientBody[] | null | undefined;
};

const { APPROVER, CARBON_COPY, CERTIFIED_DELIVERY, IN_PERSON_SIGNER, SIGNER } = RecipientRole;
/** The groups in the order in which problems count their members; the first role is that of those who say none. */
const recipientGroups = [
  ["signers", [SIGNER, APPROVER], "Those who sign, and those who approve."],
  ["carbonCopies", [CARBON_COPY], undefined],
  ["certifiedDeliveries", [CERTIFIED_DELIVERY], "Those who have to open it."],
  ["inPersonSigners", [IN_PERSON_SIGNER], "Those who sign on the device of a host."],
] as const;

/** All recipients of a message, by what they are asked to do. */
export const inGroups = (recipients: readonly RecipientMessage[]): RecipientGroups<Recipient> =>
  Object.fromEntries(
    recipientGroups.map(([group, roles]) => [
      group,
      recipients.filter(({ role }) => roles.some((one) => one === role)).map((one) => recipient.answer(one)),
    ]),
  ) as unknown as RecipientGroups<Recipient>;

/** All recipients of a body, in the order of the groups. */
export const fromGroups = (groups: RecipientsBody) =>
  recipientGroups.flatMap(([group, [role]]) =>
    (groups[group] ?? []).map((body) => ({
      role,
      ...(group === "signers" ? signerInput : recipientInput).create(body),
    })),
  );

const groupSchema = (inputs: { readonly schemas: { readonly create: object } }) => ({
  type: ["array", "null"],
  items: inputs.schemas.create,
  maxItems: 500,
});
/** Recipients of a request. */
export const recipientsInputSchema = {
  type: "object",
  properties: Object.fromEntries(
    recipientGroups.map(([group]) => [group, groupSchema(group === "signers" ? signerInput : recipientInput)]),
  ),
  required: [],
};
/** Recipients of an answer. */
export const recipientsSchema = {
  type: "object",
  properties: Object.fromEntries(
    recipientGroups.map(([group, , description]) => [
      group,
      {
        type: "array",
        items: recipient.schemas.answer,
        ...(description === undefined ? {} : { description }),
        ...(group === "signers" ? {} : { examples: [[]] }),
      },
    ]),
  ),
  required: recipientGroups.map(([group]) => group),
};
/** The recipients of a message in groups, by what they are asked to do. */
export const recipientsByRole: Kind<RecipientGroups<Recipient>, RecipientsBody> = {
  at: ({ name, many, message }) => {
    if (many !== "list") throw new Error(`${name} is no list`);
    if (message === RecipientSchema) return { schema: () => recipientsSchema, toJson: inGroups };
    if (message === RecipientInputSchema) return { schema: () => recipientsInputSchema, fromJson: fromGroups };
    throw new Error(`${name} has no recipients`);
  },
};

const certified = (rule: number): string =>
  `A signature of the PDF locks what its pages show (DocMDP, P: ${rule}): the agreement cannot be sent with tabs that show something on it.`;
const warningTexts = {
  CERTIFIED_P2: certified(2),
  CERTIFIED_P3: certified(3),
  PDF_UA_CLAIM_DROPPED:
    "The PDF is signed, so what is placed on it cannot be tagged: the sealed file no longer says that it is PDF/UA.",
};
type WarningCode = keyof typeof warningTexts;

/** Codes, each with what it means. */
const warnings: Kind<readonly { readonly code: WarningCode; readonly message: string }[]> = {
  at: (slot) => {
    const codes = list(choice(...(Object.keys(warningTexts) as WarningCode[]))).at(slot);
    const message = { type: "string", examples: ["A signature of the PDF locks what its pages show."] };
    return {
      schema: (direction) => {
        const { items, ...rest } = codes.schema(direction);
        return {
          ...rest,
          items: { type: "object", properties: { code: items, message }, required: ["code", "message"] },
        };
      },
      toJson: (said: readonly WarningCode[]) => said.map((code) => ({ code, message: warningTexts[code] ?? code })),
    };
  },
};

export const agreementDocument = shown(DocumentSchema, {
  documentId: readOnly(text(), { example: "1" }),
  name: readOnly(text(), { example: "NDA.pdf" }),
  order: readOnly(count, { example: 1 }),
  pages: readOnly(lengthOf, { description: "The number of pages.", example: 4 }),
  bytes: readOnly(bigCount, { example: 37_920 }),
  sha256: readOnly(hex, {
    description: "SHA-256 of the document as it is shown and downloaded before it is sealed; 64 hexadecimal digits.",
    example: "0123456789abcdef".repeat(4),
  }),
  sentSha256: readOnly(hex, {
    description:
      "SHA-256 of the file you uploaded. A PDF without signatures is rewritten on upload so that every reader shows it alike. Null if it wasn't kept.",
    example: "fedcba9876543210".repeat(4),
  }),
  originalFormat: readOnly(orNull(text()), {
    description:
      "The format of the file as it was sent, such as docx, when it was converted to a PDF and is kept: `…/content?original=true` downloads it. Otherwise null.",
    example: null,
  }),
  warnings: readOnly(warnings, {
    description: "Warnings about the file, to read before you place fields.",
    example: [],
  }),
});

const customField = shown(CustomFieldSchema, {
  fieldId: readOnly(text(), { example: "10728261959" }),
  name: readOnly(text(), { example: "orderId" }),
  value: readOnly(text(), { example: "42" }),
  items: computed(
    { type: ["array", "null"], items: { type: "string" } },
    ({ isList, items }: CustomField): readonly string[] | null => (isList ? items : null),
    { description: "For lists: the choices.", example: null },
  ),
  show: readOnly(flag),
  required: readOnly(flag),
});

const days = integer(0, 999);
export const notification = {
  reminders: together({
    enabled: optional(flag, { at: "notification.reminderEnabled", default: false, null: "never", example: true }),
    delayDays: optional(days, {
      at: "notification.reminderDelay",
      default: 0,
      null: "never",
      description: "Days from sending to the first reminder.",
      example: 2,
    }),
    frequencyDays: optional(days, {
      at: "notification.reminderFrequency",
      default: 0,
      null: "never",
      description: "Days between reminders; 0 for a single reminder.",
      example: 3,
    }),
  }),
  expiration: together({
    enabled: optional(flag, { at: "notification.expireEnabled", default: false, null: "never", example: true }),
    afterDays: optional(days, {
      at: "notification.expireAfter",
      default: 0,
      null: "never",
      description: "Days from sending.",
      example: 120,
    }),
    warnDays: optional(days, {
      at: "notification.expireWarn",
      default: 0,
      null: "never",
      description: "Days before the agreement expires; 0 for no warning.",
      example: 0,
    }),
  }),
} as const;

/** What agreements and their templates have in common. */
const content = {
  emailSubject: readOnly(orNull(text()), { example: "Please sign the NDA" }),
  emailBlurb: readOnly(orNull(text()), { example: "Thank you." }),
  documents: readOnly(list(nested(agreementDocument))),
  recipients: readOnly(recipientsByRole),
  customFields: readOnly(list(nested(customField))),
  ...notification,
  metadata: readOnly(objectInText, {
    at: "metadataJson",
    default: {},
    description: "Your own data about the agreement, as an object of at most 16 KB.",
    example: { order: "1042" },
  }),
  brandId: readOnly(orNull(uuid), {
    description: "The brand it uses; null for the organization's default brand.",
    example: null,
  }),
} as const;

/** The states of agreements; templates have none. */
export const states = named(AgreementStatus, "camel", [
  ...(["CREATED", "SENT", "DELIVERED", "COMPLETING", "COMPLETED", "DECLINED", "VOIDED", "EXPIRED"] as const),
]) as Kind<"created" | "sent" | "delivered" | "completing" | "completed" | "declined" | "voided" | "expired">;

export const agreement = shown(AgreementSchema, {
  id: readOnly(uuid),
  envelopeId: readOnly(uuid, {
    at: "id",
    description: "The same ID under the name that the compatible interface uses.",
  }),
  organizationId: readOnly(uuid),
  status: readOnly(states, {
    description: "completing while the finished documents are being sealed.",
    example: "sent",
  }),
  ...content,
  ...workflowShown,
  expiresAt: readOnly(orNull(time), { description: "When the agreement was sent." }),
  createdAt: readOnly(time),
  modifiedAt: readOnly(time, { description: "When the agreement was last changed; use it as ifModifiedAt." }),
  sentAt: readOnly(orNull(time)),
  deliveredAt: readOnly(orNull(time)),
  completedAt: readOnly(orNull(time), { example: null }),
  declinedAt: readOnly(orNull(time), { example: null }),
  voidedAt: readOnly(orNull(time), { description: "When the agreement was voided or expired.", example: null }),
  voidedReason: readOnly(orNull(text()), { example: null }),
  sealLevel: readOnly(orNull(choice("B-B", "B-T")), {
    description: "The lowest PAdES level of all its seals, once it is completed. B-T includes a time stamp.",
    example: null,
  }),
});

/** A template is what agreements are made from, so it has no course of its own. */
export const signTemplate = shown(AgreementSchema, {
  id: readOnly(uuid),
  organizationId: readOnly(uuid),
  name: readOnly(text(), { example: "NDA" }),
  description: readOnly(orNull(text()), { example: "For everyone." }),
  shared: readOnly(flag),
  ...content,
  ...workflowContent,
  createdAt: readOnly(time),
  modifiedAt: readOnly(time),
});

export type Agreement = AnswerOf<typeof agreement.table>;

export type AgreementDocument = AnswerOf<typeof agreementDocument.table>;
export type SignTemplate = AnswerOf<typeof signTemplate.table>;
