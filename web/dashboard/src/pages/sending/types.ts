import type {
  Agreement,
  AgreementDocument,
  RecipientGroups,
  Recipient as ShownRecipient,
  SignTemplate as ShownTemplate,
} from "#api/agreements.ts";
import type { TabAnswer, TabBody } from "#api/tabs.ts";

export type DraftDocument = Pick<AgreementDocument, "documentId" | "name" | "pages" | "bytes">;

/** The parts that are prepared here. */
interface Parts {
  readonly documents: readonly DraftDocument[];
  readonly recipients: RecipientGroups<RecipientInput>;
}

/** What the API says of an agreement that is prepared here. */
export type Draft = Pick<
  Agreement,
  "id" | "status" | "modifiedAt" | "emailSubject" | "emailBlurb" | "brandId" | "expiration" | "schedule" | "routing"
> &
  Parts;

/** A template has the same parts; its recipients are roles. */
export type SignTemplate = Omit<Draft, "status"> & Pick<ShownTemplate, "name" | "description">;

export const recipientRoles = [
  "signer",
  "approver",
  "inPersonSigner",
  "certifiedDelivery",
  "carbonCopy",
] as const satisfies readonly RecipientRole[];
export type RecipientRole = ShownRecipient["role"];

type Course =
  | ("status" | "sentAt" | "deliveredAt" | "completedAt" | "declinedAt" | "declineReason")
  | ("deliveryFailedAt" | "deliveryFailedReason" | "assurance" | "verification");

/** A check that is asked of a recipient; a code is in requests only. */
export type Check = Pick<ShownRecipient["verification"][number], "method" | "before" | "email"> & {
  readonly accessCode?: string;
};

/** What a request may say of a recipient, and an answer does. */
export type RecipientInput = Omit<ShownRecipient, "recipientIdGuid" | "tabs" | Course> & {
  readonly tabs: readonly Tab[];
  readonly verification?: readonly Check[];
};
export type Recipient = RecipientInput;

/** A field of a recipient; positions in points from the upper left corner of the page as it is shown. */
export type Tab = Omit<TabAnswer, "tabId" | "status" | "items" | "buttons"> & {
  readonly items: readonly Choice[];
  readonly buttons: readonly RadioButton[];
};
export type TabType = Tab["type"];
export type Choice = NonNullable<TabBody["items"]>[number];
type RadioButton = Omit<TabAnswer["buttons"][number], "tabId" | "anchor" | "selected"> &
  Partial<Pick<TabAnswer["buttons"][number], "anchor" | "selected">>;
