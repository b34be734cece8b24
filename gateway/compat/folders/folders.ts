import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";

/** Folders that every account has. There are no others: what is in them follows from what became of it. */
export interface Folder {
  /** Also its type. */
  readonly folderId: string;
  readonly name: string;
  readonly templates: boolean;
  /** Of what is in it; none for folders that are always empty. */
  readonly statuses: readonly AgreementStatus[];
}

export const recycleBin = "recyclebin";

export const folders: readonly Folder[] = [
  { folderId: "draft", name: "Draft", templates: false, statuses: [AgreementStatus.CREATED] },
  // Nobody gets envelopes through the API.
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
  // What is deleted is gone.
  { folderId: recycleBin, name: "Deleted Items", templates: false, statuses: [] },
  { folderId: "templates", name: "Templates", templates: true, statuses: [AgreementStatus.TEMPLATE] },
];

export const findFolder = (folderId: string): Folder | undefined =>
  folders.find((folder) => folder.folderId === folderId.toLowerCase());
