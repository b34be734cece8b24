import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { OrgId } from "#platform/ids.ts";
import { createPasswordStretcher, type PasswordStretcher } from "#platform/password-stretcher.ts";
import { createOrganizationKeys } from "#platform/vault/organization-keys.ts";
import type { Agreement, Check, KeptCode, Recipient } from "../agreement/agreement.ts";

/** Makes and compares the codes that recipients prove something with. Whoever has the database alone can do neither. */
export interface IdentityCodes {
  /** The six digits of a challenge: always the same ones, so that a mail that is sent twice says the same. */
  emailCode(orgId: OrgId, challenge: string): string;
  /** What is kept of an access code. Rejects with SERVICE_UNAVAILABLE when too many wait. */
  keep(orgId: OrgId, code: string): Promise<KeptCode>;
  /** What is kept of the hash of a request: codes that stand in it cannot be tried by whoever has the database alone. */
  keptHash(orgId: OrgId, requestHash: Uint8Array): Buffer;
  /** Takes as long whatever the code is. Rejects with SERVICE_UNAVAILABLE when too many wait. */
  isKept(orgId: OrgId, kept: KeptCode, code: string): Promise<boolean>;
}

const saltBytes = 16;
const digits = 6;

/** The root key is asked for when the first code is made. */
export function createIdentityCodes(
  rootKey: () => Buffer,
  stretcher: PasswordStretcher = createPasswordStretcher(),
): IdentityCodes {
  const keysOf = createOrganizationKeys("sign", rootKey, ["access-code", "email-code", "request-hash"]);
  const hashOf = async (orgId: OrgId, code: string, salt: Buffer, scheme?: string): Promise<Buffer> => {
    const stretched = await stretcher.stretch(code, salt, scheme);
    return createHmac("sha256", keysOf(orgId)["access-code"]).update(stretched).digest();
  };
  return {
    emailCode: (orgId, challenge) => {
      const mac = createHmac("sha256", keysOf(orgId)["email-code"]).update(challenge).digest();
      // Of 2^48 numbers, so that no code is noticeably likelier than another.
      return String(mac.readUIntBE(0, 6) % 10 ** digits).padStart(digits, "0");
    },
    keep: async (orgId, code) => {
      const salt = randomBytes(saltBytes);
      const hash = await hashOf(orgId, code, salt);
      return { scheme: stretcher.scheme, salt: salt.toString("base64"), hash: hash.toString("base64") };
    },
    keptHash: (orgId, requestHash) => createHmac("sha256", keysOf(orgId)["request-hash"]).update(requestHash).digest(),
    isKept: async (orgId, { scheme, salt, hash }, code) => {
      const given = await hashOf(orgId, code, Buffer.from(salt, "base64"), scheme);
      return timingSafeEqual(given, Buffer.from(hash, "base64"));
    },
  };
}

/** Whether two codes are the same, in a time that does not tell how much of them is. */
export function isSameCode(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The agreement with what is kept of the access codes in place of themselves. */
export async function withCodesKept(
  codes: Pick<IdentityCodes, "keep">,
  orgId: OrgId,
  agreement: Agreement,
): Promise<Agreement> {
  if (!agreement.recipients.some(hasOpenCode)) return agreement;
  const recipients: Recipient[] = [];
  for (const recipient of agreement.recipients) {
    if (!hasOpenCode(recipient)) {
      recipients.push(recipient);
      continue;
    }
    const verification: Check[] = [];
    for (const check of recipient.verification ?? []) {
      verification.push(
        check.code === "" ? check : { ...check, code: "", secret: await codes.keep(orgId, check.code) },
      );
    }
    recipients.push({ ...recipient, verification });
  }
  return { ...agreement, recipients };
}

const hasOpenCode = ({ verification }: Recipient): boolean => verification?.some(({ code }) => code !== "") === true;
