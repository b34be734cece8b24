import type {
  AgreementDocument,
  CustomField,
  DocumentWarning,
  JsonObject,
  Notification,
  PageSize,
  Recipient,
  RecipientRole,
} from "./agreement.ts";
import type { Tab } from "./tab.ts";

/** What an agreement or a template is to be made of. Members that nobody has given are absent. */
export interface Definition {
  readonly emailSubject?: string;
  readonly emailBlurb?: string;
  readonly documents: readonly DocumentDefinition[];
  readonly recipients: readonly RecipientDefinition[];
  readonly customFields: readonly CustomFieldDefinition[];
  readonly notification?: Partial<Notification>;
  readonly metadata?: JsonObject | null;
  readonly transactionId?: string;
  readonly subscription?: JsonObject | null;
  readonly name?: string;
  readonly description?: string;
  readonly shared?: boolean;
}

export const emptyDefinition: Definition = { documents: [], recipients: [], customFields: [] };

export interface DocumentDefinition {
  /** Empty: the lowest free number. */
  readonly documentId: string;
  readonly name: string;
  /** Those with an order come before those without. */
  readonly order?: number;
  readonly source: DocumentSource;
}

/** A file of the request, which has to be checked, or a document that the organization has already. */
export type DocumentSource =
  | {
      readonly kind: "file";
      /** Without the dot; empty: that of the name. */
      readonly fileExtension: string;
      readonly content: Uint8Array | "invalid-base64" | "missing";
    }
  | { readonly kind: "stored"; readonly document: AgreementDocument };

/** A file of the request after its check. */
export interface CheckedFile {
  readonly documentId: string;
  readonly name: string;
  /** The document, which was written anew unless it carries signatures. */
  readonly bytes: Uint8Array;
  readonly sha256: Buffer;
  /** Of what was sent. */
  readonly sentSha256: Buffer;
  readonly pages: readonly PageSize[];
  readonly isSigned: boolean;
  readonly warnings: readonly DocumentWarning[];
}

type GivenOfRecipient = Partial<
  Pick<
    Recipient,
    | "name"
    | "email"
    | "clientUserId"
    | "roleName"
    | "routingOrder"
    | "note"
    | "locale"
    | "emailSubject"
    | "emailBlurb"
    | "hostName"
    | "hostEmail"
  >
>;

export interface RecipientDefinition extends GivenOfRecipient {
  /** Empty: the lowest free number. */
  readonly recipientId: string;
  /** Absent: a signer, or as it was. */
  readonly role?: RecipientRole;
  readonly tabs: readonly TabDefinition[];
}

type GivenOfTab = Partial<Omit<Tab, "tabId" | "documentId" | "isPlaced" | "originalValue" | "status">>;

export interface TabDefinition extends GivenOfTab {
  /** Names the tab that is to be changed; the service gives new ones theirs. */
  readonly tabId?: string;
  readonly documentId?: string;
}

/** An empty fieldId: the service gives one. */
export type CustomFieldDefinition = CustomField;
