import { type Agreement, type Recipient, type Tab, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { statusOf } from "./envelope.ts";
import { compatTime, filled, type Written } from "./scalars.ts";

/** What people have filled in: `EnvelopeFormData`. */
export const formDataView = (agreement: Agreement): Written =>
  defined({
    envelopeId: agreement.id,
    status: statusOf(agreement.status),
    emailSubject: agreement.emailSubject,
    sentDateTime: compatTime(agreement.sentAt),
    formData: agreement.recipients.flatMap(itemsOf),
    recipientFormData: agreement.recipients.map((recipient) =>
      defined({
        recipientId: recipient.recipientId,
        name: recipient.name,
        email: filled(recipient.email),
        SentTime: compatTime(recipient.sentAt),
        DeliveredTime: compatTime(recipient.deliveredAt),
        SignedTime: compatTime(recipient.completedAt),
        DeclinedTime: compatTime(recipient.declinedAt),
        formData: itemsOf(recipient),
      }),
    ),
  });

/** Tabs with the same label share their value, so it is listed once. */
const itemsOf = ({ tabs }: Recipient): Written[] => {
  const items = new Map<string, Written>();
  for (const tab of tabs) {
    const name = tab.label ?? "";
    if (!withoutData.has(tab.type) && !items.has(name)) items.set(name, itemOf(name, tab));
  }
  return [...items.values()];
};

const withoutData: ReadonlySet<TabType> = new Set([
  TabType.SIGNATURE,
  TabType.INITIALS,
  TabType.ATTACHMENT,
  TabType.NOTE,
  TabType.APPROVE,
  TabType.DECLINE,
]);

const itemOf = (name: string, { type, value = "", originalValue, items }: Tab): Written =>
  defined({
    name,
    value: type === TabType.CHECKBOX ? crossOf(value) : value,
    originalValue: type === TabType.CHECKBOX ? crossOf(originalValue) : originalValue,
    listSelectedValue: type === TabType.LIST ? items.find((item) => item.value === value)?.text : undefined,
  });

const crossOf = (value: string): string => (value === "true" ? "X" : "");
