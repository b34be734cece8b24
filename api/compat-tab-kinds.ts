import { TabType } from "#gen/assent/sign/v1/agreement_pb.ts";

/** What a kind of tabs has beyond a name and a place. */
export interface TabKind {
  /** The array of a `Tabs` object that holds them. */
  readonly property: string;
  readonly type: TabType;
  /** Tells kinds of one type apart. */
  readonly variant: string;
  /** As DocuSign names it in tabType. */
  readonly name: string;
  /** How the value is said: not at all, as a text, as selected, or by choices. */
  readonly value: "none" | "text" | "selected" | "items" | "buttons";
  /** Whether the recipient fills it, so that it can be required or locked. */
  readonly isInput: boolean;
  /** Whether it is drawn by hand: it has a scale, and is optional rather than required. */
  readonly isDrawn: boolean;
}

const kind = (
  property: string,
  name: string,
  type: TabType,
  more: Partial<Pick<TabKind, "variant" | "value" | "isInput" | "isDrawn">> = {},
): TabKind => ({ property, name, type, variant: "", value: "none", isInput: false, isDrawn: false, ...more });

const input = { value: "text", isInput: true } as const;
const shown = { value: "text" } as const;
const drawn = { isDrawn: true } as const;

/** Every kind of tabs that there is here. */
export const tabKinds: readonly TabKind[] = [
  kind("signHereTabs", "signhere", TabType.SIGNATURE, drawn),
  kind("initialHereTabs", "initialhere", TabType.INITIALS, drawn),
  kind("signerAttachmentTabs", "signerattachment", TabType.ATTACHMENT, drawn),
  kind("dateSignedTabs", "datesigned", TabType.DATE_SIGNED, shown),
  kind("fullNameTabs", "fullname", TabType.FULL_NAME, shown),
  kind("firstNameTabs", "firstname", TabType.FIRST_NAME, shown),
  kind("lastNameTabs", "lastname", TabType.LAST_NAME, shown),
  kind("emailAddressTabs", "emailaddress", TabType.EMAIL, { ...shown, variant: "emailAddress" }),
  kind("envelopeIdTabs", "envelopeid", TabType.AGREEMENT_ID),
  kind("noteTabs", "note", TabType.NOTE, shown),
  kind("approveTabs", "approve", TabType.APPROVE),
  kind("declineTabs", "decline", TabType.DECLINE),
  kind("emailTabs", "email", TabType.EMAIL, input),
  kind("companyTabs", "company", TabType.COMPANY, input),
  kind("titleTabs", "title", TabType.TITLE, input),
  kind("textTabs", "text", TabType.TEXT, input),
  kind("ssnTabs", "ssn", TabType.TEXT, { ...input, variant: "ssn" }),
  kind("zipTabs", "zip", TabType.TEXT, { ...input, variant: "zip" }),
  kind("phoneNumberTabs", "phonenumber", TabType.TEXT, { ...input, variant: "phoneNumber" }),
  kind("numberTabs", "number", TabType.NUMBER, input),
  kind("numericalTabs", "numerical", TabType.NUMBER, { ...input, variant: "numerical" }),
  kind("dateTabs", "date", TabType.DATE, input),
  kind("checkboxTabs", "checkbox", TabType.CHECKBOX, { isInput: true, value: "selected" }),
  kind("listTabs", "list", TabType.LIST, { isInput: true, value: "items" }),
  kind("radioGroupTabs", "radiogroup", TabType.RADIO_GROUP, { value: "buttons" }),
];

/** Kinds of tabs that would be missed if they were ignored. */
export const unsupportedTabs: readonly string[] = [
  "formulaTabs",
  "prefillTabs",
  "viewTabs",
  "tabGroups",
  "commentThreadTabs",
  "commissionCountyTabs",
  "commissionExpirationTabs",
  "commissionNumberTabs",
  "commissionStateTabs",
  "drawTabs",
  "notarizeTabs",
  "notarySealTabs",
  "polyLineOverlayTabs",
  "smartSectionTabs",
];

/** The kind of a tab. A variant that is not known here counts as none. */
export const kindOf = (type: TabType, variant: string): TabKind | undefined =>
  tabKinds.find((one) => one.type === type && one.variant === variant) ??
  tabKinds.find((one) => one.type === type && one.variant === "");
