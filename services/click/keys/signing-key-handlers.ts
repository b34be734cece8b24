import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { ClickDeps } from "../deps.ts";
import { anchorLogId, logName } from "../log/leaf.ts";
import { logVerifierKeys } from "./evidence-parts.ts";
import { type KeyPurpose, keyPurposes, neverSigns, takeoverOf, validityOf } from "./key-schedule.ts";
import { rawPublicKey } from "./sealed-columns.ts";
import type { SigningKey } from "./signing-keys.ts";

type ListEvidenceKeysDeps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys" | "issuer" | "tsaCertificates">;

export const listEvidenceKeys = (
  deps: ListEvidenceKeysDeps,
): Pick<ServiceImpl<typeof ClickService>, "listEvidenceKeys"> => ({
  // Needs no caller: anybody may verify.
  async listEvidenceKeys({ logId }) {
    const { issuer, tsaCertificates } = deps;
    const published = await Promise.all(keyPurposes.map((purpose) => publishedKeys(deps, purpose)));
    const logs = [...new Set([anchorLogId, logId?.toLowerCase() ?? anchorLogId])];
    const verifierKeys = logVerifierKeys(await deps.logKeys.all(), issuer, logs);
    return { keys: published.flat(), verifierKeys, logName: logName(issuer), tsaCertificates: [...tsaCertificates] };
  },
});

async function publishedKeys(deps: ListEvidenceKeysDeps, purpose: KeyPurpose) {
  const keys = await deps[`${purpose}Keys`].all();
  return keys.filter((key) => !neverSigns(keys, key)).map((key) => evidenceKey(keys, key, purpose));
}

function evidenceKey(keys: readonly SigningKey[], key: SigningKey, purpose: KeyPurpose) {
  const { from, until } = validityOf(keys, key);
  return {
    kid: key.kid,
    purpose,
    publicKey: rawPublicKey(key),
    notBefore: timestampFromDate(from),
    ...(until === null ? {} : { notAfter: timestampFromDate(until) }),
    ...(key.revokedAt === null ? {} : { revokedAt: timestampFromDate(key.revokedAt) }),
  };
}

type ListSigningKeysDeps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">;

export const listSigningKeys = (
  deps: ListSigningKeysDeps,
): Pick<ServiceImpl<typeof EvidenceAdminService>, "listSigningKeys"> => ({
  async listSigningKeys() {
    const listed = await Promise.all(
      keyPurposes.map(async (purpose) => {
        const keys = await deps[`${purpose}Keys`].all();
        return keys.map((key) => signingKeyMessage(keys, key, purpose));
      }),
    );
    return { keys: listed.flat() };
  },
});

type RotateSigningKeyDeps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">;

export const rotateSigningKey = (
  deps: RotateSigningKeyDeps,
): Pick<ServiceImpl<typeof EvidenceAdminService>, "rotateSigningKey"> => ({
  async rotateSigningKey(request) {
    const purpose = keyPurposes.find((one) => one === request.purpose);
    if (purpose === undefined) {
      throw new DomainError("NOT_FOUND", { message: `The purpose of a key is one of ${keyPurposes.join(", ")}.` });
    }
    const keys = deps[`${purpose}Keys`];
    const key = await keys.rotate();
    return { key: signingKeyMessage(await keys.all(), key, purpose) };
  },
});

type RevokeSigningKeyDeps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">;

export const revokeSigningKey = (
  deps: RevokeSigningKeyDeps,
): Pick<ServiceImpl<typeof EvidenceAdminService>, "revokeSigningKey"> => ({
  async revokeSigningKey({ kid }) {
    for (const purpose of keyPurposes) {
      const keys = deps[`${purpose}Keys`];
      const key = await keys.revoke(kid);
      if (key !== undefined) return { key: signingKeyMessage(await keys.all(), key, purpose) };
    }
    throw new DomainError("NOT_FOUND", { message: "There is no signing key with this kid." });
  },
});

/** A key for operators, with its validity among all keys of its purpose. */
function signingKeyMessage(keys: readonly SigningKey[], key: SigningKey, purpose: KeyPurpose) {
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
