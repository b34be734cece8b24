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
import type { PauseDefinition, Timing } from "./workflow.ts";

/** What a request says about a new agreement or template. Members that the request omits are absent. */
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
  /** Null for the default brand. */
  readonly brandId?: string | null;
  /** Null for sending at once. */
  readonly schedule?: Timing | null;
  /** All of them: given ones replace those that were there. */
  readonly pauses?: readonly PauseDefinition[];
}

export const emptyDefinition: Definition = { documents: [], recipients: [], customFields: [] };

export interface DocumentDefinition {
  /** Empty for the lowest free number. */
  readonly documentId: string;
  readonly name: string;
  /** Documents with an order come before those without. */
  readonly order?: number;
  readonly source: DocumentSource;
}

/**
 * What becomes of the form fields of a PDF: they are drawn on the page as they look; are drawn, and what acts is
 * removed instead of refused; or become tabs.
 */
export type PdfFields = "keep" | "flatten" | "transform";

/** A file that came before the request, in parts. */
interface Uploaded {
  /** UUID. */
  readonly uploadId: string;
}

/** A file of the request that still has to be checked, or a document that the organization already stores. */
export type DocumentSource =
  | {
      readonly kind: "file";
      /** Absent: keep. */
      readonly pdfFields?: PdfFields;
      /** Whose tabs they become; absent or empty for the first signer. */
      readonly pdfFieldsRecipientId?: string;
      /** Without the dot; empty to take it from the name. */
      readonly fileExtension: string;
      readonly content: Uint8Array | "invalid-base64" | "missing" | Uploaded;
    }
  | { readonly kind: "stored"; readonly agreementId: string; readonly document: AgreementDocument };

/** A file of the request that has passed the check. */
export interface CheckedFile {
  readonly documentId: string;
  readonly name: string;
  /** The document's bytes: rewritten, unless the file carries signatures. */
  readonly bytes: Uint8Array;
  readonly sha256: Buffer;
  /** Hash of the file as it was sent. */
  readonly sentSha256: Buffer;
  readonly pages: readonly PageSize[];
  readonly isSigned: boolean;
  readonly warnings: readonly DocumentWarning[];
  /** The file as it was sent, when it was converted. */
  readonly original?: OriginalFile;
  /** Absent when no form fields became tabs. */
  readonly form?: FormTabs;
}

export interface OriginalFile {
  /** As in the name of a file: docx. */
  readonly format: string;
  readonly bytes: Uint8Array;
}

/** What form fields became, without a document. */
export interface FormTabs {
  readonly tabs: readonly TabDefinition[];
  /** Whose they are; empty for the first signer. */
  readonly recipientId: string;
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
    | "verification"
    | "excludedDocuments"
  >
>;

export interface RecipientDefinition extends GivenOfRecipient {
  /** Empty for the lowest free number. */
  readonly recipientId: string;
  /** Absent: a signer when new, unchanged otherwise. */
  readonly role?: RecipientRole;
  readonly tabs: readonly TabDefinition[];
}

type GivenOfTab = Partial<Omit<Tab, "tabId" | "documentId" | "isPlaced" | "originalValue" | "status">>;

export interface TabDefinition extends GivenOfTab {
  /** The tab to change; new tabs get an id from the service. */
  readonly tabId?: string;
  readonly documentId?: string;
}

/** With an empty fieldId the service assigns one. */
export type CustomFieldDefinition = CustomField;
