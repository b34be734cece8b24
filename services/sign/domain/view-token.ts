import { createHash, randomBytes } from "node:crypto";
import { type OrgId, parseOrgId } from "#platform/ids.ts";

/**
 * The secret of a link or of a session: the 16 bytes of the organization's id and 256 random bits, in base64url without
 * padding. The organization says only where to look; a row is found by the hash of the whole token.
 */
export function newViewToken(orgId: OrgId): string {
  const org = Buffer.from(orgId.replaceAll("-", ""), "hex");
  return Buffer.concat([org, randomBytes(randomLength)]).toString("base64url");
}

export interface ViewToken {
  readonly orgId: OrgId;
  /** SHA-256 of the token, by which it is stored. */
  readonly hash: Buffer;
}

/** Undefined for what cannot be a token. */
export function parseViewToken(token: string): ViewToken | undefined {
  if (token.length !== tokenLength) return undefined;
  const bytes = Buffer.from(token, "base64url");
  // One form only: the decoder skips what is no base64url.
  if (bytes.length !== tokenBytes || bytes.toString("base64url") !== token) return undefined;
  const orgId = parseOrgId(uuidOf(bytes.subarray(0, orgLength)));
  return orgId === undefined ? undefined : { orgId, hash: viewTokenHash(token) };
}

export const viewTokenHash = (token: string): Buffer => createHash("sha256").update(token).digest();

const orgLength = 16;
const randomLength = 32;
const tokenBytes = orgLength + randomLength;
const tokenLength = 64;

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
