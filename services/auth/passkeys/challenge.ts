import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { DerivedKeys } from "../domain/secrets.ts";

type Keys = Pick<DerivedKeys, "passkeyKey">;

/** What a challenge is for, and whose it is: a browser's or a session's. */
export interface ChallengeUse {
  readonly purpose: "login" | "add";
  readonly boundTo: string;
}

const livesMs = 5 * 60_000;
const nonceBytes = 16;
const timeBytes = 6;
const macBytes = 32;

/**
 * A challenge that says by itself until when it is accepted and what for: nothing is stored for people who are not known
 * yet. Whoever accepts one writes down that it is spent.
 */
export function makeChallenge(keys: Keys, use: ChallengeUse, now: Date): { challenge: string; expiresAt: Date } {
  const expiresAt = new Date(now.getTime() + livesMs);
  const head = Buffer.concat([randomBytes(nonceBytes), Buffer.alloc(timeBytes)]);
  head.writeUIntBE(expiresAt.getTime(), nonceBytes, timeBytes);
  return { challenge: Buffer.concat([head, macOf(keys, use, head)]).toString("base64url"), expiresAt };
}

/** When the challenge ends; undefined for one that has ended, is for something else, or is not ours. */
export function readChallenge(keys: Keys, use: ChallengeUse, challenge: string, now: Date): Date | undefined {
  const bytes = Buffer.from(challenge, "base64url");
  if (bytes.length !== nonceBytes + timeBytes + macBytes || bytes.toString("base64url") !== challenge) return undefined;
  const head = bytes.subarray(0, nonceBytes + timeBytes);
  if (!timingSafeEqual(bytes.subarray(head.length), macOf(keys, use, head))) return undefined;
  const expiresAt = new Date(head.readUIntBE(nonceBytes, timeBytes));
  return expiresAt > now ? expiresAt : undefined;
}

const macOf = ({ passkeyKey }: Keys, { purpose, boundTo }: ChallengeUse, head: Buffer): Buffer =>
  createHmac("sha256", passkeyKey).update(`${purpose}:${boundTo}:`).update(head).digest();

/** The challenge of a login that waits for its second factor: it ends with the login. */
export const secondFactorChallenge = ({ passkeyKey }: Keys, tokenHash: Buffer): string =>
  createHmac("sha256", passkeyKey).update("after a password:").update(tokenHash).digest("base64url");

/** The stored form of a spent one. */
export const hashChallenge = (challenge: string): Buffer => hash("sha256", challenge, "buffer");

const idBytes = 16;
const handlePattern = /^[\w-]{43}$/;

/** What authenticators call a user: both ids, so that whoever comes without a name is found in one organization. */
export const userHandle = (orgId: OrgId, userId: string): string =>
  Buffer.from(`${orgId}${userId}`.replaceAll("-", ""), "hex").toString("base64url");

/** Undefined for what is no user's. */
export function readUserHandle(handle: string): { readonly orgId: OrgId; readonly userId: string } | undefined {
  const bytes = Buffer.from(handlePattern.test(handle) ? handle : "", "base64url");
  if (bytes.length !== 2 * idBytes) return undefined;
  const orgId = parseOrgId(uuidOf(bytes.subarray(0, idBytes)));
  return orgId && { orgId, userId: uuidOf(bytes.subarray(idBytes)) };
}

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
