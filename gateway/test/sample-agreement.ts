import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Agreement,
  AgreementSchema,
  AgreementStatus,
  AnchorAlignment,
  AnchorUnit,
  type DocumentSchema,
  RecipientRole,
  type RecipientSchema,
  RecipientStatus,
  type TabSchema,
  TabStatus,
  TabType,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { newId } from "#platform/ids.ts";

/** Some fields of a message, as literals have them. */
export type FieldsOf<Desc extends DescMessage> = Exclude<MessageInitShape<Desc>, MessageShape<Desc>>;

/** 2026-11-20, at this minute. */
export const at = (minute: number) => timestampFromDate(new Date(Date.UTC(2026, 10, 20, 17, minute, 0, 123)));

/** An agreement that has everything a message can have; fields replace those of the sample. */
export const sampleAgreement = (fields: FieldsOf<typeof AgreementSchema> = {}): Agreement =>
  create(AgreementSchema, {
    id: newId(),
    organizationId: newId(),
    status: AgreementStatus.SENT,
    emailSubject: "Please sign the NDA",
    emailBlurb: "Thank you.",
    documents: [sampleDocument()],
    recipients: [sampleSigner(), sampleCopy()],
    customFields: [
      { fieldId: "10728261959", name: "orderId", value: "42", show: true },
      { fieldId: "10728261960", name: "color", value: "red", isList: true, items: ["red", "green"], required: true },
    ],
    notification: {
      reminderEnabled: true,
      reminderDelay: 2,
      reminderFrequency: 3,
      expireEnabled: true,
      expireAfter: 120,
      expireWarn: 5,
    },
    metadataJson: '{"order":"1042"}',
    transactionId: "tx-1",
    sender: { id: "cl_1", name: "Example AG", email: "sender@example.com" },
    createdAt: at(0),
    modifiedAt: at(1),
    statusChangedAt: at(1),
    sentAt: at(1),
    expiresAt: at(59),
    currentRoutingOrder: 1,
    ...fields,
  });

export const sampleDocument = (fields: FieldsOf<typeof DocumentSchema> = {}) => ({
  id: newId(),
  documentId: "1",
  name: "NDA.pdf",
  order: 1,
  bytes: 1_234n,
  sha256: new Uint8Array(32).fill(0xab),
  pages: [
    { width: 612, height: 792 },
    { width: 612, height: 792 },
  ],
  ...fields,
});

export const sampleSigner = (fields: FieldsOf<typeof RecipientSchema> = {}) => ({
  id: newId(),
  recipientId: "1",
  role: RecipientRole.SIGNER,
  name: "Ann Example",
  email: "ann@example.com",
  clientUserId: "1000",
  roleName: "Buyer",
  routingOrder: 1,
  status: RecipientStatus.DELIVERED,
  note: "Soon, please.",
  locale: "en",
  emailSubject: "Your lease",
  emailBlurb: "Page 2 is for you.",
  tabs: [sampleTab(), sampleListTab(), sampleRadioTab()],
  sentAt: at(1),
  deliveredAt: at(2),
  ...fields,
});

const sampleCopy = (fields: FieldsOf<typeof RecipientSchema> = {}) => ({
  id: newId(),
  recipientId: "2",
  role: RecipientRole.CARBON_COPY,
  name: "Cara Example",
  email: "cara@example.com",
  routingOrder: 2,
  status: RecipientStatus.CREATED,
  ...fields,
});

const sampleTab = (fields: FieldsOf<typeof TabSchema> = {}) => ({
  tabId: newId(),
  type: TabType.SIGNATURE,
  label: "signature",
  documentId: "1",
  page: 1,
  x: 100.5,
  y: 200,
  width: 110,
  height: 35,
  anchor: {
    text: "/sn1/",
    xOffset: 20,
    yOffset: 10,
    unit: AnchorUnit.PIXELS,
    alignment: AnchorAlignment.LEFT,
    caseSensitive: true,
  },
  required: true,
  scale: 1,
  status: TabStatus.ACTIVE,
  ...fields,
});

const sampleListTab = () =>
  sampleTab({
    type: TabType.LIST,
    label: "size",
    value: "m",
    items: [
      { text: "Small", value: "s" },
      { text: "Medium", value: "m", selected: true },
    ],
    tooltip: "Your size",
  });

const sampleRadioTab = () =>
  sampleTab({
    type: TabType.RADIO_GROUP,
    label: "color",
    value: "white",
    buttons: [
      { tabId: newId(), value: "white", page: 1, x: 10, y: 20, selected: true },
      { tabId: newId(), value: "black", page: 1, x: 10, y: 40 },
    ],
  });

/** A template, whose recipients are roles. */
export const sampleTemplate = (fields: FieldsOf<typeof AgreementSchema> = {}): Agreement =>
  sampleAgreement({
    status: AgreementStatus.TEMPLATE,
    name: "NDA",
    description: "For everybody.",
    shared: true,
    recipients: [{ ...sampleSigner(), name: "", email: "", clientUserId: "", status: RecipientStatus.CREATED }],
    ...fields,
  });
