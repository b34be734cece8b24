import { allOf, hasFields, inTurn, lowestFree } from "./recipients.ts";
import type { Draft, DraftDocument, Recipient, RecipientInput, SignTemplate } from "./types.ts";

/** What is filled in before the fields are placed. */
export interface Details {
  readonly subject: string;
  readonly message: string;
  readonly recipients: readonly RecipientInput[];
  readonly documents: readonly DetailsDocument[];
  /** Null for the default brand. */
  readonly brandId: string | null;
}

export interface DetailsDocument {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  /** Of documents that the agreement has, or will have from its template. */
  readonly documentId?: string;
  readonly pages?: number;
  /** Of documents that are still to be sent. */
  readonly file?: File;
  /** Whose fields its form fields become: a recipientId, or null to draw them on the page; absent: the first signer. */
  readonly formFieldsOf?: string | null;
}

export const noDetails = (): Details => ({
  subject: "",
  message: "",
  recipients: [newRecipient([])],
  documents: [],
  brandId: null,
});

export const detailsOf = (source: Draft | SignTemplate): Details => ({
  subject: source.emailSubject ?? "",
  message: source.emailBlurb ?? "",
  recipients: allOf(source.recipients),
  documents: source.documents.map(keptDocument),
  brandId: source.brandId,
});

const keptDocument = ({ documentId, name, bytes, pages }: DraftDocument): DetailsDocument => ({
  key: `kept ${documentId}`,
  documentId,
  name,
  bytes,
  pages,
});

/** Of a template: its documents come by themselves. */
export const withTemplate = (template: SignTemplate, { documents }: Details): Details => {
  const details = detailsOf(template);
  return { ...details, documents: [...details.documents, ...documents.filter(({ file }) => file !== undefined)] };
};

/** After the others. */
export function newRecipient(recipients: readonly Pick<Recipient, "recipientId" | "routingOrder">[]): RecipientInput {
  const noMail = { note: null, locale: null, emailSubject: null, emailBlurb: null };
  const nothing = { clientUserId: null, roleName: null, ...noMail, hostName: null, hostEmail: null };
  return {
    recipientId: lowestFree(recipients.map(({ recipientId }) => recipientId)),
    role: "signer",
    name: "",
    email: "",
    routingOrder: Math.max(0, ...recipients.map(({ routingOrder }) => routingOrder)) + 1,
    ...nothing,
    excludedDocuments: [],
    tabs: [],
  };
}

/** Their fields, as the agreement has them now, without those on documents that go; copies have none. */
export function withFields(recipients: readonly RecipientInput[], draft: Draft, gone: ReadonlySet<string>) {
  const before = new Map(allOf(draft.recipients).map((recipient) => [recipient.recipientId, recipient.tabs]));
  return recipients.map((recipient): RecipientInput => {
    const tabs = hasFields(recipient) ? (before.get(recipient.recipientId) ?? []) : [];
    return { ...recipient, tabs: tabs.filter(({ documentId }) => documentId === null || !gone.has(documentId)) };
  });
}

/** Who can fill in form fields, those whose turn is first before the others. */
export const formFillers = (recipients: readonly RecipientInput[]): readonly RecipientInput[] =>
  inTurn(recipients.filter(({ role }) => role === "signer" || role === "inPersonSigner"));

/** Whose fields the form fields of a document become; nobody's when they are drawn on the page. */
export function formFillerOf(
  { formFieldsOf }: Pick<DetailsDocument, "formFieldsOf">,
  recipients: readonly RecipientInput[],
): RecipientInput | undefined {
  if (formFieldsOf === null) return undefined;
  const fillers = formFillers(recipients);
  return fillers.find(({ recipientId }) => recipientId === formFieldsOf) ?? fillers[0];
}

const maxFileBytes = 25 * 1024 * 1024;

type FileProblem = "tooLarge" | "wrongType" | "empty" | "damaged" | "locked";

/** What can be told of a file before it is sent, so that nothing is made for one that would be refused. */
export async function problemOf(file: File): Promise<FileProblem | undefined> {
  const name = file.name.toLowerCase();
  if (file.size === 0) return "empty";
  if (file.size > maxFileBytes) return "tooLarge";
  if (!extensions.some((extension) => name.endsWith(extension))) return "wrongType";
  return name.endsWith(".pdf") ? problemOfPdf(file) : undefined;
}

/** A PDF says what it is within its first 1,024 bytes, and ends with the place of its cross-reference (ISO 32000-2, 7.5). */
async function problemOfPdf(file: File): Promise<FileProblem | undefined> {
  const [head, tail] = await Promise.all([latin1(file.slice(0, 1_024)), latin1(file.slice(-65_536))]);
  if (!head.includes("%PDF-") || !tail.includes("startxref")) return "damaged";
  return /\btrailer\s*<<(?:[^>]|>(?!>)|>>(?!\s*startxref))*\/Encrypt\b/.test(tail.slice(-4_096)) ? "locked" : undefined;
}

/** Each byte as one character, whatever it stands for. */
const latin1 = async (part: Blob): Promise<string> => new TextDecoder("latin1").decode(await part.arrayBuffer());

/** Where LibreOffice is not set up, the answer to an Office file or a picture says so. */
export const extensions: readonly string[] = [
  ...[".pdf", ".html", ".htm", ".txt"],
  ...[".docx", ".doc", ".odt", ".rtf", ".xlsx", ".pptx", ".png", ".jpg", ".jpeg"],
];
