import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type KeyPurpose, takeoverOf } from "../keys/key-schedule.ts";
import type { SigningKey } from "../keys/signing-keys.ts";

/** A key as operators see it, among all keys of its purpose. */
export function signingKeyMessage(keys: readonly SigningKey[], key: SigningKey, purpose: KeyPurpose) {
  const { generation, kid, signsFrom, revokedAt } = key;
  const signsUntil = takeoverOf(keys, key);
  return {
    purpose,
    generation,
    kid,
    signsFrom: timestampFromDate(signsFrom),
    ...(signsUntil === null ? {} : { signsUntil: timestampFromDate(signsUntil) }),
    ...(revokedAt === null ? {} : { revokedAt: timestampFromDate(revokedAt) }),
  };
}
