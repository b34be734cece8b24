import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Agreement, AgreementStatus, type RecipientInput } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { BulkBatch, BulkCopy, BulkCopySchema, BulkList } from "#gen/assent/sign/v1/sign_pb.ts";
import { defined } from "#platform/json-object.ts";
import { compatTime, filled, numberText, type Written } from "../../../views/compat/scalars.ts";
import type { Reader } from "../read/reader.ts";
import { refuseMeaningful } from "../read/refuse.ts";

interface CopyProblem {
  readonly code: string;
  readonly message: string;
}

const maxProblems = 100;

/** What would keep a list from being sent with an envelope or a template, as far as the two tell before it is tried. */
export function problemsOfCopies(list: Pick<BulkList, "copies">, agreement: Agreement): readonly CopyProblem[] {
  const roles = new Set(
    agreement.recipients.map(({ roleName }) => roleName.toLowerCase()).filter((name) => name !== ""),
  );
  const ids = new Set(agreement.recipients.map(({ recipientId }) => recipientId));
  const ofCopies = list.copies.flatMap((copy, index) => problemsOfCopy(copy, index, { roles, ids }));
  return [...problemsOfAgreement(agreement), ...ofCopies].slice(0, maxProblems);
}

function problemsOfAgreement({ status, documents, emailSubject }: Agreement): CopyProblem[] {
  const isOpen = status === AgreementStatus.CREATED || status === AgreementStatus.TEMPLATE;
  return [
    ...(isOpen ? [] : [{ code: "ENVELOPE_CANNOT_BE_MODIFIED", message: "The envelope is no draft." }]),
    ...(documents.length > 0 ? [] : [{ code: "DOCUMENTS_REQUIRED", message: "There is no document." }]),
    ...(emailSubject === "" ? [{ code: "VALIDATION_FAILED", message: "There is no emailSubject." }] : []),
  ];
}

interface Places {
  readonly roles: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

function problemsOfCopy({ recipients }: BulkCopy, index: number, { roles, ids }: Places): CopyProblem[] {
  const say = (code: string, message: string): CopyProblem => ({ code, message: `Copy ${index + 1}: ${message}` });
  if (recipients.length === 0) return [say("RECIPIENTS_REQUIRED", "it has no recipients.")];
  return recipients.flatMap(({ roleName = "", recipientId, name = "", email = "" }) => [
    ...(roles.has(roleName.toLowerCase()) || ids.has(recipientId)
      ? []
      : [say("RECIPIENT_NOT_FOUND", `there is no recipient with the role "${roleName}".`)]),
    ...(name === "" || email === "" ? [say("VALIDATION_FAILED", "a recipient has no name or no email.")] : []),
  ]);
}

type CopyInit = MessageInitShape<typeof BulkCopySchema>;
type RecipientInit = NonNullable<CopyInit["recipients"]>[number];

interface BulkListInit {
  readonly name: string;
  readonly copies: CopyInit[];
}

const maxCopies = 1_000;

/** A bulk list of a request. */
export function readBulkList(body: Reader): BulkListInit {
  const copies = body.objects("bulkCopies");
  if (copies.length === 0) body.problem("bulkCopies", "REQUIRED", "must have at least one copy");
  if (copies.length > maxCopies) body.problem("bulkCopies", "MAX_ITEMS", `must have at most ${maxCopies} copies`);
  const name = body.text("name")?.trim() ?? "";
  if (name.length > 100) body.problem("name", "MAX_LENGTH", "must be at most 100 characters");
  return { name, copies: copies.slice(0, maxCopies).map(readCopy) };
}

function readCopy(copy: Reader): CopyInit {
  const emailSubject = copy.text("emailSubject");
  const emailBlurb = copy.text("emailBlurb");
  refuseMeaningful(copy, ["docGenFormFields", "prefillTabs"]);
  return {
    recipients: copy.objects("recipients").map(readRecipient),
    customFields: copy.objects("customFields").map((field) => ({
      name: field.text("name") ?? "",
      value: field.text("value") ?? "",
      show: true,
    })),
    ...(emailSubject === undefined ? {} : { emailSubject }),
    ...(emailBlurb === undefined ? {} : { emailBlurb }),
  };
}

/** What a copy would be sent without, although whoever made it counts on it. */
const refusedOfRecipients = [
  "accessCode",
  "identityVerification",
  "phoneAuthentication",
  "smsAuthentication",
  "idCheckConfigurationName",
  "socialAuthentications",
  "signingGroupId",
  "faxNumber",
];

function readRecipient(recipient: Reader): RecipientInit {
  refuseMeaningful(recipient, refusedOfRecipients);
  const given = Object.fromEntries(
    givenTexts.flatMap((name) => {
      const text = recipient.text(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const tabs = recipient.objects("tabs").map((tab) => ({
    // Without a type: it gives the value of whatever field has this label.
    label: tab.text("tabLabel") ?? "",
    value: tab.text("initialValue") ?? "",
  }));
  const signerName = recipient.text("signerName");
  return {
    recipientId: recipient.text("recipientId")?.trim() ?? "",
    ...given,
    ...(signerName === undefined ? {} : { name: signerName }),
    tabs,
  };
}

const givenTexts = ["name", "email", "roleName", "clientUserId", "note", "hostName", "hostEmail"] as const;

export const bulkListView = ({ id, name, copies }: BulkList): Written => ({
  listId: id,
  name,
  bulkCopies: copies.map(copyView),
});

export const bulkListSummary = ({ id, name, createdAt }: BulkList): Written =>
  defined({ bulkSendListId: id, name, createdDate: compatTime(createdAt) });

const copyView = ({ emailSubject, emailBlurb, recipients, customFields }: BulkCopy): Written =>
  defined({
    emailSubject,
    emailBlurb,
    recipients: recipients.map(recipientView),
    customFields: customFields.map(({ name, value }) => ({ name, value })),
  });

const recipientView = (recipient: RecipientInput): Written =>
  defined({
    recipientId: filled(recipient.recipientId),
    name: recipient.name,
    email: recipient.email,
    roleName: recipient.roleName,
    clientUserId: recipient.clientUserId,
    note: recipient.note,
    hostName: recipient.hostName,
    hostEmail: recipient.hostEmail,
    tabs: recipient.tabs.map(({ label = "", value = "" }) => ({ tabLabel: label, initialValue: value })),
  });

/** How far a batch is, as a list of batches shows it. */
export const bulkBatchSummary = (batch: BulkBatch): Readonly<Record<string, Written>> =>
  defined({
    batchId: batch.id,
    batchName: batch.name,
    batchSize: numberText(batch.total),
    batchUri: `/bulk_send_batch/${batch.id}`,
    queued: numberText(batch.queued),
    sent: numberText(batch.sent),
    failed: numberText(batch.failed),
    submittedDate: compatTime(batch.submittedAt),
  });

/** The same with what is only told of one batch. */
export const bulkBatchView = (batch: BulkBatch): Written => ({
  ...bulkBatchSummary(batch),
  mailingListId: batch.listId,
  bulkErrors: batch.failures.map(({ index, errorCode, message }) => ({
    errorMessage: `${errorCode}: copy ${index + 1}: ${message}`,
    recipientEmails: [],
  })),
});
