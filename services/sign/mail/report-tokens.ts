import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { createOrganizationKeys } from "#platform/vault/organization-keys.ts";
import { type MailKind, mailKinds } from "../send/mails.ts";

/** The mail that a report is about. */
export interface ReportedMail {
  readonly orgId: OrgId;
  readonly agreementId: string;
  /** The end of the recipient's id, which no other recipient of the agreement has. */
  readonly recipient: string;
  readonly mail: MailKind;
  /** To the second. */
  readonly sentAt: Date;
}

/** Marks mails so that a report on one tells whose it was, and nobody can report mails that were never sent. */
export interface ReportTokens {
  make(mail: Omit<ReportedMail, "recipient"> & { readonly recipientId: string }): string;
  /** Undefined for a token that was not made here. */
  read(token: string): ReportedMail | undefined;
}

// 60 bytes are 80 characters of Base64, which is the most that Postmark takes as a value of its metadata.
const uuidBytes = 16;
const recipientBytes = 8;
const recipientAt = 2 * uuidBytes;
const sentAtAt = recipientAt + recipientBytes;
const kindAt = sentAtAt + 4;
const macAt = kindAt + 1;
const macBytes = 15;

/** The root key is asked for when the first token is made or read. */
export function createReportTokens(rootKey: () => Buffer): ReportTokens {
  const keysOf = createOrganizationKeys("sign", rootKey, ["mail-report"]);
  const macOf = (orgId: OrgId, named: Buffer): Buffer => mac(keysOf(orgId)["mail-report"], named);
  return {
    make: ({ orgId, agreementId, recipientId, mail, sentAt }) => {
      const named = Buffer.alloc(macAt);
      bytesOf(orgId).copy(named);
      bytesOf(agreementId).copy(named, uuidBytes);
      bytesOf(recipientId).copy(named, recipientAt, uuidBytes - recipientBytes);
      named.writeUInt32BE(Math.floor(sentAt.getTime() / 1_000), sentAtAt);
      named.writeUInt8(mailKinds.indexOf(mail), kindAt);
      return Buffer.concat([named, macOf(orgId, named)]).toString("base64url");
    },
    read: (token) => {
      const bytes = Buffer.from(token, "base64url");
      if (bytes.length !== macAt + macBytes || bytes.toString("base64url") !== token) return undefined;
      const named = bytes.subarray(0, macAt);
      const orgId = parseOrgId(uuidOf(named.subarray(0, uuidBytes)));
      const mail = mailKinds[named.readUInt8(kindAt)];
      if (orgId === undefined || mail === undefined) return undefined;
      if (!timingSafeEqual(bytes.subarray(macAt), macOf(orgId, named))) return undefined;
      return {
        ...{ orgId, mail, agreementId: uuidOf(named.subarray(uuidBytes, recipientAt)) },
        recipient: recipientName(uuidOf(named.subarray(recipientAt - recipientBytes, sentAtAt))),
        sentAt: new Date(named.readUInt32BE(sentAtAt) * 1_000),
      };
    },
  };
}

/** What a token calls a recipient. */
export const recipientName = (id: string): string => id.slice(-17);

const mac = (key: KeyObject, named: Buffer): Buffer =>
  createHmac("sha256", key).update(named).digest().subarray(0, macBytes);

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
