import type { CallOptions } from "@connectrpc/connect";
import { sampleId, sampleTime, tellingOf } from "#api/spelling.ts";
import { type Agreement, AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { statusOf } from "../../../views/compat/envelope.ts";
import { compatTime, filled } from "../../../views/compat/scalars.ts";
import type { Observed } from "../../routes/route.ts";
import type { Services } from "../../routes/services.ts";
import { type FoundTarget, findTarget } from "../target.ts";

/** The folders of every account. There are no others: an envelope's status decides which folder it is in. */
export interface Folder {
  /** The folder's id, which is also its type. */
  readonly folderId: string;
  readonly name: string;
  readonly templates: boolean;
  /** The statuses of the envelopes in it; absent for folders that are always empty. */
  readonly statuses: readonly AgreementStatus[];
}

export const recycleBin = "recyclebin";

export const folders: readonly Folder[] = [
  { folderId: "draft", name: "Draft", templates: false, statuses: [AgreementStatus.CREATED] },
  // Through the API nobody receives envelopes.
  { folderId: "inbox", name: "Inbox", templates: false, statuses: [] },
  {
    folderId: "sentitems",
    name: "Sent Items",
    templates: false,
    statuses: [
      AgreementStatus.SENT,
      AgreementStatus.DELIVERED,
      AgreementStatus.COMPLETING,
      AgreementStatus.COMPLETED,
      AgreementStatus.DECLINED,
      AgreementStatus.VOIDED,
      AgreementStatus.EXPIRED,
    ],
  },
  // Deleted drafts do not exist any more.
  { folderId: recycleBin, name: "Deleted Items", templates: false, statuses: [] },
  { folderId: "templates", name: "Templates", templates: true, statuses: [AgreementStatus.TEMPLATE] },
];

export const findFolder = (folderId: string): Folder | undefined =>
  folders.find((folder) => folder.folderId === folderId.toLowerCase());

/** An item that was moved to a folder, and its new state. */
export interface Moved {
  readonly id: string;
  readonly isTemplate: boolean;
  readonly status: string;
}

type Sign = Pick<Services["sign"], "getAgreement" | "deleteAgreement" | "voidAgreement">;

/**
 * Deletes drafts and templates and voids envelopes in process. All are checked before the first one is changed.
 * Throws ENVELOPE_NOT_FOUND, and ENVELOPE_CANNOT_BE_MODIFIED for an envelope that has ended.
 */
export async function recycle(
  sign: Sign,
  ids: readonly string[],
  observed: Observed,
  options: CallOptions,
): Promise<readonly Moved[]> {
  const found: FoundTarget[] = [];
  for (const id of ids) found.push(await findTarget(sign, id, options));
  for (const { agreement } of found) requireMovable(agreement.status);
  const recycled: Moved[] = [];
  for (const one of found) recycled.push(await recycleOne(sign, one, observed, options));
  return recycled;
}

/**
 * Takes items back to the folder that their status puts them in, where they are already: nothing leaves it for the
 * recycle bin without being deleted. Throws FOLDER_NOT_FOUND for a folder that takes nothing, ENVELOPE_NOT_FOUND, and
 * ENVELOPE_CANNOT_BE_MODIFIED for an item of another folder.
 */
export async function putBack(
  sign: Pick<Sign, "getAgreement">,
  folderId: string,
  ids: readonly string[],
  options: CallOptions,
): Promise<readonly Moved[]> {
  const folder = findFolder(folderId);
  if (folder === undefined || folder.statuses.length === 0) throw new DomainError("FOLDER_NOT_FOUND");
  const found: FoundTarget[] = [];
  for (const id of ids) found.push(await findTarget(sign, id, options));
  for (const { agreement } of found) {
    if (folder.statuses.includes(agreement.status)) continue;
    throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED", {
      message: `The status decides which folder an envelope is in, and '${statusOf(agreement.status)}' is not one of ${folder.name}. Nothing was moved.`,
    });
  }
  return found.map(({ agreement: { id, status } }) => ({
    ...{ id, isTemplate: folder.templates, status: statusOf(status) },
  }));
}

const voidedReason = "Moved to the recycle bin by the sender.";

async function recycleOne(
  sign: Sign,
  { target, agreement: { id, status } }: FoundTarget,
  observed: Observed,
  options: CallOptions,
): Promise<Moved> {
  const isTemplate = target.id.case === "templateId";
  if (isInProcess(status)) {
    await sign.voidAgreement({ agreementId: id, reason: voidedReason, observed }, options);
    return { id, isTemplate, status: "voided" };
  }
  await sign.deleteAgreement({ target, observed }, options);
  return { id, isTemplate, status: "deleted" };
}

function requireMovable(status: AgreementStatus): void {
  const isDeletable = status === AgreementStatus.CREATED || status === AgreementStatus.TEMPLATE;
  if (isDeletable || isInProcess(status)) return;
  throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED", {
    message: "A completed, declined or voided envelope cannot be deleted. Nothing was moved.",
  });
}

const isInProcess = (status: AgreementStatus): boolean =>
  status === AgreementStatus.SENT || status === AgreementStatus.DELIVERED;

interface FolderItem {
  readonly agreement: Agreement;
  readonly folder: Folder;
}

const ofTemplates = (tell: (agreement: Agreement) => string) => (item: FolderItem) =>
  item.folder.templates ? tell(item.agreement) : undefined;
const ofEnvelopes = (tell: (agreement: Agreement) => string) => (item: FolderItem) =>
  item.folder.templates ? undefined : tell(item.agreement);

/** An envelope or a template as a folder shows it. */
export const folderItem = tellingOf<FolderItem>({
  envelopeId: [sampleId, ofEnvelopes(({ id }) => id), "sometimes"],
  envelopeUri: [`/envelopes/${sampleId}`, ofEnvelopes(({ id }) => `/envelopes/${id}`), "sometimes"],
  folderId: ["sentitems", ({ folder }) => folder.folderId],
  subject: ["Please sign the NDA", ({ agreement }) => agreement.emailSubject],
  status: ["sent", ({ agreement }) => statusOf(agreement.status)],
  senderName: ["Shop backend", ({ agreement }) => filled(agreement.sender?.name), "sometimes"],
  senderEmail: ["sender@example.com", ({ agreement }) => filled(agreement.sender?.email), "sometimes"],
  ownerName: ["Shop backend", ({ agreement }) => filled(agreement.sender?.name), "sometimes"],
  createdDateTime: [sampleTime, ({ agreement }) => compatTime(agreement.createdAt), "sometimes"],
  sentDateTime: [sampleTime, ({ agreement }) => compatTime(agreement.sentAt), "sometimes"],
  completedDateTime: [sampleTime, ({ agreement }) => compatTime(agreement.completedAt), "sometimes"],
  lastModifiedDateTime: [sampleTime, ({ agreement }) => compatTime(agreement.modifiedAt), "sometimes"],
  expireDateTime: [sampleTime, ({ agreement }) => compatTime(agreement.expiresAt), "sometimes"],
  templateId: [sampleId, ofTemplates(({ id }) => id), "sometimes"],
  templateUri: [`/templates/${sampleId}`, ofTemplates(({ id }) => `/templates/${id}`), "sometimes"],
  name: ["NDA", ofTemplates(({ name }) => name), "sometimes"],
});
