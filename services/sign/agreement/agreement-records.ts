import {
  type Agreement,
  type AgreementDocument,
  type CustomField,
  defaultNotification,
  type Recipient,
} from "./agreement.ts";
import { type Columns, decodeTab, recordColumns, type StoredTab } from "./agreement-columns.ts";

/** The agreement's own row, without the parts that have tables of their own. */
type AgreementRecord = Omit<Agreement, "documents" | "recipients" | "customFields" | "audit" | "certificate"> & {
  readonly auditCount: number;
  readonly auditHash: Buffer;
  readonly certificateId: string | null;
  readonly certificateSha256: Buffer | null;
};

const columns: Columns<AgreementRecord> = {
  id: "uuid",
  status: "text",
  version: "integer",
  emailSubject: "text",
  emailBlurb: "text",
  notification: "jsonb",
  metadata: "jsonb",
  transactionId: "text",
  subscription: "jsonb",
  name: "text",
  description: "text",
  shared: "boolean",
  sender: "jsonb",
  createdAt: "timestamptz(3)",
  modifiedAt: "timestamptz(3)",
  statusChangedAt: "timestamptz(3)",
  sentAt: "timestamptz(3)",
  deliveredAt: "timestamptz(3)",
  completedAt: "timestamptz(3)",
  declinedAt: "timestamptz(3)",
  voidedAt: "timestamptz(3)",
  voidedReason: "text",
  expiresAt: "timestamptz(3)",
  remindAt: "timestamptz(3)",
  currentRoutingOrder: "integer",
  auditCount: "integer",
  auditHash: "bytea",
  certificateId: "uuid",
  certificateSha256: "bytea",
  sealLevel: "text",
  purge: "jsonb",
  editLock: "jsonb",
  templateId: "uuid",
  brandId: "uuid",
  workflow: "jsonb",
};

const agreementColumns = recordColumns(columns);

/** Includes columns that are only searched and never read back. */
export const writtenColumns = recordColumns<AgreementRecord & { readonly searchText: string }>({
  ...columns,
  searchText: "text",
});

export const encodeAgreement = ({ audit, certificate, ...agreement }: Agreement): Record<string, unknown> =>
  writtenColumns.encode({
    ...agreement,
    searchText: searchTextOf(agreement),
    ...{ auditCount: audit.count, auditHash: audit.hash },
    ...{ certificateId: certificate?.id ?? null, certificateSha256: certificate?.sha256 ?? null },
  });

type Searched = Pick<Agreement, "emailSubject" | "name" | "recipients">;

const searchTextOf = ({ emailSubject, name, recipients }: Searched): string =>
  searchKey([emailSubject, name, ...recipients.flatMap((one) => [one.name, one.email])].join(unitSeparator));

/** Nobody types this character, so a search never matches across the border of two fields. */
const unitSeparator = "\u001f";

/** The normalized text that a search runs against. */
export const searchKey = (words: string): string => words.toLowerCase();

/** A part of an agreement with its position among the parts of its kind. */
type Placed<T> = T & { readonly position: number };

/** A table whose rows are parts of agreements. */
export interface PartTable<T> {
  readonly table: string;
  /** The column that identifies a part within its agreement. */
  readonly key: string;
  readonly keyType: string;
  readonly names: string;
  readonly definitions: string;
  assignments(from: string): string;
  keyOf(part: T): string;
  /** Position from 1. */
  encode(part: T, position: number): Record<string, unknown>;
}

const documentColumns = recordColumns<Placed<AgreementDocument>>({
  id: "uuid",
  documentId: "text",
  position: "integer",
  name: "text",
  bytes: "integer",
  sha256: "bytea",
  sentSha256: "bytea",
  pages: "jsonb",
  isSigned: "boolean",
  warnings: "jsonb",
  sealedId: "uuid",
  sealedSha256: "bytea",
  originalId: "uuid",
  originalFormat: "text",
});

export const documentTable: PartTable<AgreementDocument> = {
  ...documentColumns,
  table: "sign.document",
  key: "id",
  keyType: "uuid",
  keyOf: ({ id }) => id,
  encode: (document, position) => documentColumns.encode({ ...document, position }),
};

/** Recipients are searched by e-mail address without regard to case. */
type StoredRecipient = Placed<Recipient> & { readonly emailKey: string };

const recipientColumns = recordColumns<StoredRecipient>({
  id: "uuid",
  recipientId: "text",
  position: "integer",
  role: "text",
  name: "text",
  email: "text",
  emailKey: "text",
  clientUserId: "text",
  roleName: "text",
  routingOrder: "integer",
  status: "text",
  note: "text",
  locale: "text",
  emailSubject: "text",
  emailBlurb: "text",
  hostName: "text",
  hostEmail: "text",
  tabs: "jsonb",
  sentAt: "timestamptz(3)",
  deliveredAt: "timestamptz(3)",
  completedAt: "timestamptz(3)",
  declinedAt: "timestamptz(3)",
  declineReason: "text",
  deliveryFailedAt: "timestamptz(3)",
  deliveryFailedReason: "text",
  consentedAt: "timestamptz(3)",
  signature: "jsonb",
  initials: "jsonb",
  verification: "jsonb",
  excludedDocuments: "jsonb",
});

export const recipientTable: PartTable<Recipient> = {
  ...recipientColumns,
  table: "sign.recipient",
  key: "id",
  keyType: "uuid",
  keyOf: ({ id }) => id,
  encode: (recipient, position) =>
    recipientColumns.encode({ ...recipient, position, emailKey: emailKey(recipient.email) }),
};

/** The normalized form of an e-mail address for searches. */
export const emailKey = (email: string): string => email.normalize("NFC").toLowerCase();

const customFieldColumns = recordColumns<Placed<CustomField>>({
  fieldId: "text",
  position: "integer",
  name: "text",
  value: "text",
  kind: "text",
  items: "jsonb",
  show: "boolean",
  required: "boolean",
});

export const customFieldTable: PartTable<CustomField> = {
  ...customFieldColumns,
  table: "sign.custom_field",
  key: "field_id",
  keyType: "text",
  keyOf: ({ fieldId }) => fieldId,
  encode: (field, position) => customFieldColumns.encode({ ...field, position }),
};

/** The agreement `a` as one JSON object, with or without its parts. */
export const agreementJson = (withParts: boolean): string => `json_build_object(${agreementColumns.members("a")}
  ${withParts ? `, ${partsJson}` : ""})`;

const partsJson = [
  ["documents", "sign.document", documentColumns.members("p")],
  ["recipients", "sign.recipient", recipientColumns.members("p")],
  ["customFields", "sign.custom_field", customFieldColumns.members("p")],
]
  .map(
    ([name, table, members]) => `'${name}', (select json_agg(json_build_object(${members}) order by p.position)
    from ${table} p where p.organization_id = a.organization_id and p.agreement_id = a.id)`,
  )
  .join(",\n  ");

type Parsed = Record<string, unknown>;

/** The parsed result of agreementJson. */
export interface AgreementJson extends Parsed {
  readonly documents?: Parsed[] | null;
  readonly recipients?: Parsed[] | null;
  readonly customFields?: Parsed[] | null;
}

export function decodeAgreement(parsed: AgreementJson): Agreement {
  const { documents, recipients, customFields, ...row } = parsed;
  const decoded = agreementColumns.decode(row);
  const { auditCount, auditHash, certificateId: id, certificateSha256: sha256, notification, ...agreement } = decoded;
  return {
    ...agreement,
    notification: { ...defaultNotification, ...notification },
    documents: (documents ?? []).map(decodeDocument),
    recipients: (recipients ?? []).map(decodeRecipient),
    customFields: (customFields ?? []).map(decodeCustomField),
    audit: { count: auditCount, hash: auditHash },
    certificate: id === null || sha256 === null ? null : { id, sha256 },
  };
}

function decodeDocument(parsed: Parsed): AgreementDocument {
  const { position: _, ...document } = documentColumns.decode(parsed);
  return document;
}

function decodeRecipient(parsed: Parsed): Recipient {
  const { position: _, emailKey: __, tabs, verification, ...recipient } = recipientColumns.decode(parsed);
  const checks = verification ? { verification } : {};
  return { ...recipient, ...checks, tabs: (tabs as readonly StoredTab[]).map(decodeTab) };
}

function decodeCustomField(parsed: Parsed): CustomField {
  const { position: _, ...field } = customFieldColumns.decode(parsed);
  return field;
}
