import { randomBytes, randomFillSync } from "node:crypto";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The id of an organization, in lower-case UUID form. */
export type OrgId = Branded<"OrgId">;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the 36-character form of RFC 9562, in either case. */
export const isUuid = (value: string): boolean => value.length === 36 && uuidPattern.test(value);

/** Parses an organization id; undefined when it is not a UUID. */
export const parseOrgId = (value: string): OrgId | undefined =>
  isUuid(value) ? (value.toLowerCase() as OrgId) : undefined;

/** Makes ids; injected so that tests can predict them. */
export type NewId = () => string;

const pool = Buffer.allocUnsafe(16 * 256);
let poolOffset = pool.length;
let lastMillis = 0;
let counter = 0;

/**
 * A UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, a 12-bit counter, 62 random bits.
 * Ids of one process sort in the order they were made, which keeps index inserts at the right edge.
 */
export const newId: NewId = () => {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const bytes = pool.subarray(poolOffset, poolOffset + 16);
  poolOffset += 16;
  const now = Date.now();
  if (now > lastMillis) {
    lastMillis = now;
    counter = bytes.readUInt16BE(6) & 0x07ff;
  } else {
    counter += 1;
    if (counter > 0x0fff) {
      lastMillis += 1;
      counter = 0;
    }
  }
  bytes.writeUIntBE(lastMillis, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** A secret of 256 random bits in base64url (43 characters). */
export const newSecret = (): string => randomBytes(32).toString("base64url");
