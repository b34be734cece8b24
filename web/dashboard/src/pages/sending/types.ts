import type { TabAnswer, TabBody } from "#api/tabs.ts";

/** What the API says of an agreement that is prepared here. */
export interface Draft {
  readonly id: string;
  readonly status: string;
  readonly modifiedAt: string;
  readonly emailSubject: string | null;
  readonly emailBlurb: string | null;
  readonly documents: readonly DraftDocument[];
  readonly recipients: RecipientGroups<Recipient>;
}

/** A template has the same parts; its recipients are roles. */
export interface SignTemplate extends Omit<Draft, "status"> {
  readonly name: string;
  readonly description: string | null;
}

export interface DraftDocument {
  readonly documentId: string;
  readonly name: string;
  readonly pages: number;
  readonly bytes: number;
}

export interface RecipientGroups<Member> {
  readonly signers: readonly Member[];
  readonly carbonCopies: readonly Member[];
  readonly certifiedDeliveries: readonly Member[];
  readonly inPersonSigners: readonly Member[];
}

export const recipientRoles = ["signer", "approver", "inPersonSigner", "certifiedDelivery", "carbonCopy"] as const;
export type RecipientRole = (typeof recipientRoles)[number];

/** What a request may say of a recipient, and an answer does. */
export interface RecipientInput {
  readonly recipientId: string;
  readonly role: RecipientRole;
  readonly name: string | null;
  readonly email: string | null;
  readonly clientUserId: string | null;
  readonly roleName: string | null;
  readonly routingOrder: number;
  readonly note: string | null;
  readonly locale: string | null;
  readonly emailSubject: string | null;
  readonly emailBlurb: string | null;
  readonly hostName: string | null;
  readonly hostEmail: string | null;
  readonly tabs: readonly Tab[];
}

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
