import { createHmac } from "node:crypto";
import { decrypt, encrypt } from "#platform/secrets.ts";
import type { DerivedKeys } from "../domain/secrets.ts";
import { parseEmail } from "../domain/user.ts";

/** Who is to be erased; one of both may be empty. */
export interface SoughtPerson {
  readonly email: string;
  readonly userRef: string;
}

/** Throws VALIDATION_FAILED for what is no address: part of one would find those of others. */
export const soughtPerson = ({ email, userRef }: SoughtPerson): SoughtPerson => ({
  email: email === "" ? "" : parseEmail(email).email,
  userRef,
});

/** Only whoever knows the request can tell that it was this one. */
export const erasureHash = (keys: DerivedKeys, orgId: string, ...parts: readonly string[]): Buffer =>
  createHmac("sha256", keys.erasureIndexKey)
    .update(JSON.stringify([orgId, ...parts]))
    .digest();

export const sealPerson = (keys: DerivedKeys, { email, userRef }: SoughtPerson, erasureId: string): Buffer =>
  encrypt(keys.erasureKek[0], JSON.stringify({ email, userRef }), erasureId);

export const openPerson = (keys: DerivedKeys, sealed: Buffer, erasureId: string): SoughtPerson =>
  JSON.parse(decrypt(keys.erasureKek, sealed, erasureId));
