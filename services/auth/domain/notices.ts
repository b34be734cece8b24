import { createHmac, timingSafeEqual } from "node:crypto";
import { isUuid, type OrgId, parseOrgId } from "#platform/ids.ts";

/** What a user may be told of by mail. */
const noticeFlags = [
  ...(["viewed", "signed", "declined", "completed", "expiring", "expired", "undelivered"] as const),
  // Not a kind: whether the agreements that API keys and clients send count as the user's.
  "applications",
] as const;
type NoticeFlag = (typeof noticeFlags)[number];

export type NoticeSettings = Readonly<Record<NoticeFlag, boolean>> & { readonly delivery: "immediate" | "daily" };

/** As a column and the audit trail have it: how, and what is on. */
export const noticesText = ({ delivery, ...flags }: NoticeSettings): string =>
  [delivery, ...noticeFlags.filter((flag) => flags[flag])].join(" ");

export function parseNotices(text: string): NoticeSettings {
  const words = text.split(" ");
  const flags = Object.fromEntries(noticeFlags.map((flag) => [flag, words.includes(flag)])) as Record<
    NoticeFlag,
    boolean
  >;
  return { ...flags, delivery: words[0] === "daily" ? "daily" : "immediate" };
}

/** Whatever the delivery was, it stays for when something is turned on again. */
export const withoutNotices = (text: string): string => parseNotices(text).delivery;

const macBytes = 16;
const uuidBytes = 16;

/** Lets whoever has the mail turn notices off, and do nothing else; it works for as long as the user is there. */
export function makeStopToken(key: Buffer, orgId: OrgId, userId: string): string {
  const named = Buffer.from(`${orgId}${userId}`.replaceAll("-", ""), "hex");
  return Buffer.concat([named, macOf(key, named)]).toString("base64url");
}

/** Undefined for a token that was not made with the key. */
export function readStopToken(
  key: Buffer,
  token: string,
): { readonly orgId: OrgId; readonly userId: string } | undefined {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== 2 * uuidBytes + macBytes || bytes.toString("base64url") !== token) return undefined;
  const named = bytes.subarray(0, 2 * uuidBytes);
  if (!timingSafeEqual(bytes.subarray(2 * uuidBytes), macOf(key, named))) return undefined;
  const [orgId, userId] = [parseOrgId(uuidOf(named.subarray(0, uuidBytes))), uuidOf(named.subarray(uuidBytes))];
  return orgId === undefined || !isUuid(userId) ? undefined : { orgId, userId };
}

const macOf = (key: Buffer, named: Buffer): Buffer =>
  createHmac("sha256", key).update(named).digest().subarray(0, macBytes);

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
