import { hkdfSync, randomBytes } from "node:crypto";
import type { OrgId } from "#platform/ids.ts";
import { decryptBytes, encrypt, parseMasterKey } from "#platform/secrets.ts";

const secretBytes = 32;

/** What the secrets of endpoints are encrypted with; the master key is 32 bytes in base64. */
export const endpointSecretsKey = (masterKey: string): Buffer =>
  Buffer.from(hkdfSync("sha256", parseMasterKey(masterKey), Buffer.alloc(0), "assent webhooks endpoint secrets", 32));

/** What the requests to one receiver are signed with. */
export const newSecret = (): Buffer => randomBytes(secretBytes);

/** Opens for this organization and this endpoint or key alone. */
export const sealSecret = (key: Buffer, orgId: OrgId, id: string, secret: Uint8Array): Buffer =>
  encrypt(key, secret, contextOf(orgId, id));

/** Throws when it was sealed with another key, or for somebody else. */
export const openSecret = (key: Buffer, orgId: OrgId, id: string, sealed: Buffer): Buffer =>
  decryptBytes(key, sealed, contextOf(orgId, id));

/** As Standard Webhooks 1.0 writes it. */
export const secretText = (secret: Buffer): string => `whsec_${secret.toString("base64")}`;

/** As the compatible interface writes it; its characters are the key of the HMAC. */
export const connectSecretText = (secret: Buffer): string => secret.toString("base64");

const contextOf = (orgId: OrgId, id: string): string => `${orgId}:${id}`;
