import { randomBytes } from "node:crypto";
import type { OrgId } from "#platform/ids.ts";
import type { SealedColumn } from "#platform/master-keys/reseal.ts";
import { decryptBytes, derivedRing, encrypt, type KeyRing, resealed } from "#platform/secrets.ts";

const secretBytes = 32;

/** What the secrets of endpoints are encrypted with. */
export const endpointSecretsKeys = (masterKeys: KeyRing): KeyRing =>
  derivedRing(masterKeys, "assent webhooks endpoint secrets");

/** Everything that the service keeps sealed under its master key. */
export const sealedColumns = (secretKeys: KeyRing): readonly SealedColumn[] =>
  [
    { table: "webhooks.endpoint", column: "secret" },
    { table: "webhooks.endpoint", column: "previous_secret" },
    { table: "webhooks.connect_secret", column: "secret" },
  ].map((column) => ({
    ...column,
    key: { organization_id: "uuid", id: "uuid" },
    select: 't.organization_id as "orgId", t.id',
    reseal: ({ orgId, id }: { orgId: OrgId; id: string }, sealed: Buffer) =>
      resealed(secretKeys, sealed, contextOf(orgId, id)),
  }));

/** What the requests to one receiver are signed with. */
export const newSecret = (): Buffer => randomBytes(secretBytes);

/** Opens for this organization and this endpoint or key alone. */
export const sealSecret = (keys: KeyRing, orgId: OrgId, id: string, secret: Uint8Array): Buffer =>
  encrypt(keys[0], secret, contextOf(orgId, id));

/** Throws when it was sealed with none of the keys, or for somebody else. */
export const openSecret = (keys: KeyRing, orgId: OrgId, id: string, sealed: Buffer): Buffer =>
  decryptBytes(keys, sealed, contextOf(orgId, id));

/** As Standard Webhooks 1.0 writes it. */
export const secretText = (secret: Buffer): string => `whsec_${secret.toString("base64")}`;

/** As the compatible interface writes it; its characters are the key of the HMAC. */
export const connectSecretText = (secret: Buffer): string => secret.toString("base64");

const contextOf = (orgId: OrgId, id: string): string => `${orgId}:${id}`;
