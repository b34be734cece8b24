import type { MessageInitShape } from "@bufbuild/protobuf";
import { readCopy } from "#api/compat-records.ts";
import { type Agreement, AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { BulkCopy, BulkCopySchema, BulkList } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Reader } from "../read/reader.ts";
import { refuseMeaningful } from "../read/refuse.ts";

interface CopyProblem {
  readonly code: string;
  readonly message: string;
}

const maxProblems = 100;

/** The reasons why a bulk list cannot be sent with an envelope or template, as far as they show before sending. */
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
    ...(isOpen ? [] : [{ code: "ENVELOPE_CANNOT_BE_MODIFIED", message: "The envelope is not a draft." }]),
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
  return { name, copies: copies.slice(0, maxCopies).map(checkedCopy) };
}

/** Members that the copies would silently lack, so they are refused. */
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

function checkedCopy(copy: Reader): CopyInit {
  refuseMeaningful(copy, ["docGenFormFields", "prefillTabs"]);
  for (const recipient of copy.objects("recipients")) refuseMeaningful(recipient, refusedOfRecipients);
  return readCopy(copy);
}
