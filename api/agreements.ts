import {
  AgreementSchema,
  AgreementStatus,
  type CustomField,
  CustomFieldSchema,
  DocumentSchema,
  RecipientInputSchema,
  type Recipient as RecipientMessage,
  RecipientRole,
  RecipientSchema,
  RecipientStatus,
} from "#gen/assent/sign/v1/agreement_pb.ts";
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
import { type AnswerOf, type CreateOf, computed, optional, readOnly, together } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";
import { tab } from "./tabs.ts";

const words = (max: number) => orNull(text(0, max, { everywhere: true }));

/** What requests say of a recipient, and answers do. */
const person = {
  name: optional(words(500), { example: "Ann Example" }),
  email: optional(words(500), { example: "ann@example.com" }),
  clientUserId: optional(words(500), {
    description: "Your name for the person, who then signs in your application: no one is mailed.",
    example: "1000",
  }),
  roleName: optional(words(500), { description: "The role of a template that the recipient has.", example: "Buyer" }),
  routingOrder: optional(orNull(integer(1, 2_147_483_647)), {
    description: "Those with the same number act at once.",
    example: 1,
  }),
  note: optional(words(1_000), { example: "Soon, please." }),
  locale: optional(orNull(languageTag)),
  emailSubject: optional(words(100), {
    description: "Of the mails that ask this person; that of the agreement when absent.",
    example: "Your lease",
  }),
  emailBlurb: optional(words(10_000), {
    description: "The message of those mails; that of the agreement when absent.",
    example: "Page 2 is for you.",
  }),
  hostName: optional(words(500), {
    description: "Of in-person signers: on whose device they sign.",
    example: "Hal Example",
  }),
  hostEmail: optional(words(500), { example: "hal@example.com" }),
  tabs: optional(list(nested(tab)), { null: "both" }),
} as const;

const recipientId = optional(words(50), {
  description: "Unique within the agreement; the lowest free number when absent.",
  example: "1",
});

/** A recipient of a request, in the group of those who are asked for the same. */
const recipientInput = resource(RecipientInputSchema, { recipientId, ...person });

/** A recipient of a request among those who sign or approve. */
const signerInput = resource(RecipientInputSchema, {
  recipientId,
  role: optional(orNull(named(RecipientRole, "camel", ["SIGNER", "APPROVER"])), {
    description: "approver agrees without signing; signer when absent.",
    example: "signer",
  }),
  ...person,
});

/** A recipient of a request whose address names it. */
export const recipientChanges = resource(RecipientInputSchema, {
  role: optional(orNull(named(RecipientRole, "camel")), { description: "As it was when absent.", example: "signer" }),
  ...person,
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
    description: "When a mail to the recipient came back; null again once they have opened the agreement.",
    example: null,
  }),
  deliveryFailedReason: readOnly(orNull(text()), { description: "Why it came back.", example: null }),
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
  pages: readOnly(lengthOf, { description: "How many it has.", example: 4 }),
  bytes: readOnly(bigCount, { example: 37_920 }),
  sha256: readOnly(hex, {
    description: "SHA-256 of the document, which is what is shown and downloaded before it is sealed; 64 hex digits.",
    example: "0123456789abcdef".repeat(4),
  }),
  sentSha256: readOnly(hex, {
    description:
      "SHA-256 of the file as it was sent. A PDF without signatures is written anew when it comes, so that everyone reads it in the same way. Null where it was not kept.",
    example: "fedcba9876543210".repeat(4),
  }),
  warnings: readOnly(warnings, {
    description: "What is to be known of the file before something is placed on it.",
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
    { description: "Of lists.", example: null },
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
      description: "From sending to the first reminder.",
      example: 2,
    }),
    frequencyDays: optional(days, {
      at: "notification.reminderFrequency",
      default: 0,
      null: "never",
      description: "From one reminder to the next; 0 for one only.",
      example: 3,
    }),
  }),
  expiration: together({
    enabled: optional(flag, { at: "notification.expireEnabled", default: false, null: "never", example: true }),
    afterDays: optional(days, {
      at: "notification.expireAfter",
      default: 0,
      null: "never",
      description: "From sending.",
      example: 120,
    }),
    warnDays: optional(days, {
      at: "notification.expireWarn",
      default: 0,
      null: "never",
      description: "Before it expires; 0 for no warning.",
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
    description: "An object of your own, at most 16 KB.",
    example: { order: "1042" },
  }),
  brandId: readOnly(orNull(uuid), {
    description: "The brand that it has chosen; null for the default one of the organization.",
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
    description: "The same; the name that the compatible interface has for it.",
  }),
  organizationId: readOnly(uuid),
  status: readOnly(states, {
    description: "completing while the finished documents are being sealed.",
    example: "sent",
  }),
  ...content,
  expiresAt: readOnly(orNull(time), { description: "Set when it is sent." }),
  createdAt: readOnly(time),
  modifiedAt: readOnly(time, { description: "When anything of it was changed last; for ifModifiedAt." }),
  sentAt: readOnly(orNull(time)),
  deliveredAt: readOnly(orNull(time)),
  completedAt: readOnly(orNull(time), { example: null }),
  declinedAt: readOnly(orNull(time), { example: null }),
  voidedAt: readOnly(orNull(time), { description: "Also of expired ones.", example: null }),
  voidedReason: readOnly(orNull(text()), { example: null }),
  sealLevel: readOnly(orNull(choice("B-B", "B-T")), {
    description:
      "What the seals of all files have at least reached (PAdES), once it is completed. B-T has a time stamp.",
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
  createdAt: readOnly(time),
  modifiedAt: readOnly(time),
});

export type Agreement = AnswerOf<typeof agreement.table>;

export type AgreementDocument = AnswerOf<typeof agreementDocument.table>;
export type SignTemplate = AnswerOf<typeof signTemplate.table>;
