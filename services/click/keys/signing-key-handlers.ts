import { sign } from "node:crypto";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { recordsOf } from "#api/records.ts";
import {
  type EvidenceAdminService,
  EvidenceKeySchema,
  type EvidenceLogService,
  SigningKeySchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { isTransient } from "#platform/db/errors.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { neverSigns, takeoverOf, validityOf } from "#platform/key-schedule.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { countEpochs, findEpochNumbers, listEpochs, type StoredEpoch } from "../log/epoch-store.ts";
import { anchorLogId, logName, logOrigin } from "../log/leaf.ts";
import { epochMessage } from "../log/log.ts";
import { originVerifierKeys } from "./evidence-parts.ts";
import { rawPublicKey } from "./sealed-columns.ts";
import { type KeyPurpose, keyPurposes } from "./signing-key-store.ts";
import type { SigningKey } from "./signing-keys.ts";

type ListEvidenceKeysDeps = Pick<
  ClickDeps,
  "renderKeys" | "receiptKeys" | "logKeys" | "issuer" | "tsaCertificates" | "integratorPool" | "pool"
>;

export const listEvidenceKeys = (deps: ListEvidenceKeysDeps): ClickRpcs<"listEvidenceKeys"> => {
  let known = { highest: 1, numbers: [1], epochs: new Map<string, readonly StoredEpoch[]>() };
  /** As the database says; what it said last while it is away. */
  const readEpochs = async (logs: readonly string[]): Promise<typeof known> => {
    try {
      const { highest } = await countEpochs(deps.integratorPool);
      const epochs = new Map<string, readonly StoredEpoch[]>();
      if (highest > 1) {
        for (const log of logs) epochs.set(log, await withOrg(deps.pool, log as OrgId, listEpochs));
      }
      known = { highest, epochs, numbers: highest > 1 ? await findEpochNumbers(deps.integratorPool) : [1] };
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    return known;
  };
  return {
    // Needs no caller: anybody may verify.
    async listEvidenceKeys({ logId }) {
      const { issuer, tsaCertificates } = deps;
      const published = await Promise.all(keyPurposes.map((purpose) => publishedKeys(deps, purpose)));
      const logs = [...new Set([anchorLogId, logId?.toLowerCase() ?? anchorLogId])];
      const { highest, numbers, epochs } = await readEpochs(logs);
      const origins = logs.flatMap((log) => numbers.map((epoch) => logOrigin(issuer, log, epoch)));
      return {
        keys: published.flat(),
        verifierKeys: originVerifierKeys(await deps.logKeys.all(), origins),
        logName: logName(issuer),
        tsaCertificates: [...tsaCertificates],
        highestEpoch: highest,
        epochNumbers: numbers,
        epochs: logs.flatMap((log) => (epochs.get(log) ?? []).map((one) => epochMessage(issuer, one))),
      };
    },
  };
};

async function publishedKeys(deps: ListEvidenceKeysDeps, purpose: KeyPurpose) {
  const keys = await deps[`${purpose}Keys`].all();
  return keys.filter((key) => !neverSigns(keys, key)).map((key) => evidenceKey(keys, key, purpose));
}

const evidenceKeys = recordsOf(EvidenceKeySchema);
const signingKeys = recordsOf(SigningKeySchema);

function evidenceKey(keys: readonly SigningKey[], key: SigningKey, purpose: KeyPurpose) {
  const { from: notBefore, until: notAfter } = validityOf(keys, key);
  const { kid, revokedAt } = key;
  return evidenceKeys.write({ kid, purpose, publicKey: rawPublicKey(key), notBefore, notAfter, revokedAt });
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
  return signingKeys.write({ purpose, generation, kid, signsFrom, signsUntil: takeoverOf(keys, key), revokedAt });
}

/** No receipt and no leaf has this type, so that neither can be taken for the other. */
const typ = "destruction-certificate+jws";

/** Signs the certificate of what was destroyed with the key of receipts, which is published for ever. */
export const signDestruction = ({
  receiptKeys,
  issuer,
  clock,
}: Pick<ClickDeps, "receiptKeys" | "issuer" | "clock">): Pick<
  ServiceImpl<typeof EvidenceLogService>,
  "signDestruction"
> => ({
  async signDestruction({ statement }, context) {
    const { orgId } = requireCaller(context);
    const now = clock.now();
    const { kid, privateKey } = await receiptKeys.signingAt(now);
    const payload = canonicalJson({
      ...parseObject(statement),
      ...{ v: 1, kind: "assent.organization.destroyed", iss: issuer, org: orgId, signedAt: now.toISOString() },
    });
    const header = canonicalJson({ alg: "EdDSA", kid, typ });
    const signed = [header, payload].map((part) => Buffer.from(part).toString("base64url")).join(".");
    return { jws: `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}` };
  },
});

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below.
  }
  throw new ConnectError("the statement is no JSON object", Code.InvalidArgument);
}
