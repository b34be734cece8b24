import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { type KeyPurpose, keyPurposes, neverSigns, validityOf } from "../keys/key-schedule.ts";
import { logVerifierKeys } from "../keys/log-verifier-keys.ts";
import { rawPublicKey } from "../keys/sealed-key.ts";
import type { SigningKey } from "../keys/signing-keys.ts";
import { anchorLogId, logName } from "../log/leaf.ts";
import type { ClickDeps } from "./deps.ts";

type Deps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys" | "issuer" | "tsaCertificates">;

export const listEvidenceKeys = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "listEvidenceKeys"> => ({
  // Without a caller: everybody may verify.
  async listEvidenceKeys({ logId }) {
    const { issuer, tsaCertificates } = deps;
    const published = await Promise.all(keyPurposes.map((purpose) => publishedKeys(deps, purpose)));
    const logs = [...new Set([anchorLogId, logId?.toLowerCase() ?? anchorLogId])];
    const verifierKeys = logVerifierKeys(await deps.logKeys.all(), issuer, logs);
    return { keys: published.flat(), verifierKeys, logName: logName(issuer), tsaCertificates: [...tsaCertificates] };
  },
});

async function publishedKeys(deps: Deps, purpose: KeyPurpose) {
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
