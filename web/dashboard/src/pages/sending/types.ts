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

const tabTypes = [
  "signature",
  "initials",
  "dateSigned",
  "fullName",
  "firstName",
  "lastName",
  "email",
  "company",
  "title",
  "text",
  "number",
  "date",
  "checkbox",
  "radioGroup",
  "list",
  "attachment",
  "note",
  "approve",
  "decline",
  "agreementId",
] as const;
export type TabType = (typeof tabTypes)[number];

export interface Choice {
  readonly text: string;
  readonly value: string;
  readonly selected?: boolean;
}

interface RadioButton {
  readonly value: string;
  readonly page: number | null;
  readonly x: number | null;
  readonly y: number | null;
  readonly anchor?: object | null;
  readonly selected?: boolean | null;
}

/** A field of a recipient; positions in points from the upper left corner of the page as it is shown. */
export interface Tab {
  readonly type: TabType;
  readonly label: string | null;
  readonly documentId: string | null;
  readonly page: number | null;
  readonly x: number | null;
  readonly y: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly anchor: { readonly text: string } | null;
  readonly required: boolean;
  readonly locked: boolean;
  readonly value: string | null;
  readonly items: readonly Choice[];
  readonly buttons: readonly RadioButton[];
  readonly tooltip: string | null;
  readonly maxLength: number | null;
  readonly validationPattern: string | null;
  readonly validationMessage: string | null;
  readonly scale: number | null;
  readonly condition: { readonly label: string; readonly value: string | null } | null;
  readonly shared: boolean;
}
