import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CustomField,
  CustomFieldSchema,
  type Notification,
  NotificationSchema,
  type RecipientInput,
  RecipientInputSchema,
  TabSchema,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  type BulkBatch,
  BulkBatchSchema,
  type BulkCopy,
  BulkCopySchema,
  type BulkList,
  BulkListSchema,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { ConnectSecretSchema } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { JsonSchema } from "./kinds.ts";
import {
  amount,
  faceOf,
  filled,
  flag,
  moment,
  type Spoken,
  sampleId,
  sampleTime,
  trimmed,
  type Written,
  words,
} from "./spelling.ts";

type Object = { readonly [name: string]: Written };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

const days = amount(999);
const reminders = faceOf(NotificationSchema, {
  reminderEnabled: ["reminderEnabled", flag, "true"],
  reminderDelay: ["reminderDelay", days, "2"],
  reminderFrequency: ["reminderFrequency", days, "3"],
});
const expirations = faceOf(NotificationSchema, {
  expireEnabled: ["expireEnabled", flag, "true"],
  expireAfter: ["expireAfter", days, "120"],
  expireWarn: ["expireWarn", days, "0"],
});
/** What holds when an envelope says nothing of its own. */
export const usualNotification = {
  reminderEnabled: false,
  reminderDelay: 0,
  reminderFrequency: 0,
  expireEnabled: true,
  expireAfter: 120,
  expireWarn: 0,
} as const;

export const notificationSchema: JsonSchema = {
  type: "object",
  properties: {
    useAccountDefaults: { type: "string", examples: ["false"] },
    reminders: reminders.schema,
    expirations: expirations.schema,
  },
  required: ["useAccountDefaults", "reminders", "expirations"],
};

/** The `Notification` object. Days are texts. */
export function notificationView(notification: Notification | undefined): Object {
  const said = { ...usualNotification, ...notification };
  return { useAccountDefaults: "false", reminders: reminders.write(said), expirations: expirations.write(said) };
}

type NotificationInit = MessageInitShape<typeof NotificationSchema>;

/** A `Notification` object; undefined when it asks for what is usual, or says nothing. */
export function readNotification(from: Spoken | undefined): NotificationInit | undefined {
  if (from === undefined || from.flag("useAccountDefaults") === true) return undefined;
  const [reminding, expiring] = [from.object("reminders"), from.object("expirations")];
  const found = { ...(reminding && reminders.read(reminding)), ...(expiring && expirations.read(expiring)) };
  return Object.keys(found).length === 0 ? undefined : found;
}

const field = faceOf(
  CustomFieldSchema,
  {
    fieldId: ["fieldId", trimmed, "10728261959"],
    name: ["name", words, "orderId"],
    show: ["show", flag, "true"],
    required: ["required", flag, "false"],
    value: ["value", words, "42"],
  },
  { listItems: { ...list({ type: "string" }), examples: [["41", "42"]] } },
);
export const customFieldsSchema: JsonSchema = {
  type: "object",
  properties: { textCustomFields: list(field.schema), listCustomFields: { ...list(field.schema), examples: [[]] } },
  required: ["textCustomFields", "listCustomFields"],
};

/** The `CustomFields` object. */
export const customFieldsView = (fields: readonly CustomField[]): Object => ({
  textCustomFields: fields.filter(({ isList }) => !isList).map(field.write),
  listCustomFields: fields
    .filter(({ isList }) => isList)
    .map((one) => ({ ...field.write(one), listItems: [...one.items] })),
});

/** The fields of a `CustomFields` object: texts first, then lists. */
export const readCustomFields = (from: Spoken | undefined): MessageInitShape<typeof CustomFieldSchema>[] =>
  from === undefined
    ? []
    : [
        ...from.objects("textCustomFields").map((one) => ({ ...field.read(one), isList: false })),
        ...from
          .objects("listCustomFields")
          .map((one) => ({ ...field.read(one), isList: true, items: [...one.texts("listItems")] })),
      ];

/** A key that messages are signed with. */
export const connectSecret = faceOf(ConnectSecretSchema, {
  keyId: ["id", words, sampleId],
  created: ["createdAt", moment, sampleTime],
});

const copyOfList = faceOf(BulkCopySchema, {
  emailSubject: ["emailSubject", words],
  emailBlurb: ["emailBlurb", words],
});
const copyRecipient = faceOf(RecipientInputSchema, {
  name: ["name", words],
  email: ["email", words],
  roleName: ["roleName", words],
  clientUserId: ["clientUserId", words],
  note: ["note", words],
  hostName: ["hostName", words],
  hostEmail: ["hostEmail", words],
});
/** Without a type: it gives the value of whatever field has this label. */
const copyTab = faceOf(TabSchema, { tabLabel: ["label", words], initialValue: ["value", words] });
const copyField = faceOf(CustomFieldSchema, { name: ["name", words], value: ["value", words] });

/** What one copy of a bulk list says of a recipient. Older clients call the name signerName. */
function readCopyRecipient(from: Spoken): MessageInitShape<typeof RecipientInputSchema> {
  const signerName = from.text("signerName");
  return {
    recipientId: from.text("recipientId")?.trim() ?? "",
    ...copyRecipient.read(from),
    ...(signerName === undefined ? {} : { name: signerName }),
    tabs: from.objects("tabs").map((tab) => ({ label: "", value: "", ...copyTab.read(tab) })),
  };
}
const copyRecipientView = (recipient: RecipientInput): Object => ({
  ...(recipient.recipientId === "" ? {} : { recipientId: recipient.recipientId }),
  ...copyRecipient.write(recipient),
  tabs: recipient.tabs.map(({ label = "", value = "" }) => copyTab.write({ label, value })),
});

/** A copy of a bulk list. */
export const readCopy = (from: Spoken): MessageInitShape<typeof BulkCopySchema> => ({
  ...copyOfList.read(from),
  recipients: from.objects("recipients").map(readCopyRecipient),
  customFields: from.objects("customFields").map((one) => ({ ...copyField.read(one), show: true })),
});
const copyView = (copy: BulkCopy): Object => ({
  ...copyOfList.write(copy),
  recipients: copy.recipients.map(copyRecipientView),
  customFields: copy.customFields.map(copyField.write),
});

export const exampleCopy = {
  recipients: [{ roleName: "signer", name: "Ann", email: "ann@example.com", tabs: [] }],
  customFields: [{ name: "order", value: "17" }],
};
const bulkList = faceOf(
  BulkListSchema,
  { listId: ["id", words, sampleId], name: ["name", words, "Spring"] },
  { bulkCopies: list({ type: "object", examples: [exampleCopy] }) },
);
export const bulkListSchema = { ...bulkList.schema, required: ["listId", "name", "bulkCopies"] };
export const bulkListView = (message: BulkList): Object => ({
  ...bulkList.write(message),
  bulkCopies: message.copies.map(copyView),
});
export const bulkListSummary = faceOf(BulkListSchema, {
  bulkSendListId: ["id", words, sampleId],
  name: ["name", words, "Spring", "sometimes"],
  createdDate: ["createdAt", moment, sampleTime, "sometimes"],
});

const counted = amount(1_000_000);
const batchSchemas = {
  batchUri: { type: "string", examples: [`/bulk_send_batch/${sampleId}`] },
} as const;
const batchTexts = {
  batchId: ["id", words, sampleId],
  batchName: ["name", words, "Spring, first part"],
  batchSize: ["total", counted, "200"],
  queued: ["queued", counted, "40"],
  sent: ["sent", counted, "158"],
  failed: ["failed", counted, "2"],
  submittedDate: ["submittedAt", moment, sampleTime, "sometimes"],
} as const;
const batch = faceOf(BulkBatchSchema, batchTexts, batchSchemas);
export const bulkBatchSummarySchema = batch.schema;
/** How far a batch is, as a list of batches shows it. */
export const bulkBatchSummary = (message: BulkBatch): Object => ({
  ...batch.write(message),
  batchUri: `/bulk_send_batch/${message.id}`,
});

const failure: JsonSchema = {
  type: "object",
  properties: {
    errorMessage: { type: "string", examples: ["INVALID_EMAIL: copy 3: …"] },
    recipientEmails: list({ type: "string" }),
  },
  required: ["errorMessage", "recipientEmails"],
};
const oneBatch = faceOf(
  BulkBatchSchema,
  { ...batchTexts, mailingListId: ["listId", filled, sampleId, "sometimes"] },
  { ...batchSchemas, bulkErrors: list(failure) },
);
export const bulkBatchSchema = {
  ...oneBatch.schema,
  required: [...(oneBatch.schema.required as readonly string[]), "bulkErrors"],
};
/** The same with the members that only a single batch shows. */
export const bulkBatchView = (message: BulkBatch): Object => ({
  ...bulkBatchSummary(message),
  mailingListId: message.listId,
  bulkErrors: message.failures.map(({ index, errorCode, message: said }) => ({
    errorMessage: `${errorCode}: copy ${index + 1}: ${said}`,
    recipientEmails: [],
  })),
});
