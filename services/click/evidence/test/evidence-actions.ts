import { type Timestamp, timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import type { EvidenceKey } from "#gen/assent/click/v1/click_pb.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { failures, loadVerifier, type Result, type VerifyBundle } from "../../../../test/verify/support/verifier.ts";
import { createEvidenceParts } from "../../keys/evidence-parts.ts";
import { anchorRound } from "../../log/create-log-workers.ts";
import { type IntegrateDeps, integrateLog } from "../../log/integrate-log.ts";
import { createProofs } from "../../log/proofs.ts";
import { as, type ClickHarness, rows, testIssuer } from "../../test/harness.ts";
import { collectEvidence } from "../collect-evidence.ts";
import { type EvidenceDeps, writeBundle } from "../write-bundle.ts";
import type { Journey } from "./evidence-journeys.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever a bundle has
export type Bundle = any;

export interface BundleWishes {
  readonly undisclosed?: boolean;
}

/** What whoever relies on evidence does, and what the workers of the service do for it meanwhile. */
export function evidenceActions(click: () => ClickHarness) {
  const logger = createLogger("click", "silent");
  let verifier: VerifyBundle | undefined;

  const parts = () => {
    const { superuser: pool, masterKey, clock } = click();
    return {
      pool,
      clock,
      ...createEvidenceParts({
        pool,
        masterKeys: [masterKey],
        hashKey: () => masterKey,
        issuer: testIssuer,
        clock,
        logger,
      }),
    };
  };
  const deps = (): IntegrateDeps => ({ ...parts(), metrics: createMetrics() });
  const evidenceDeps = (): EvidenceDeps => {
    const { pool, ...others } = parts();
    const templateOffers = { published: async () => [] };
    return { pool, ...others, templateOffers, proofs: createProofs({ pool }), hasTimestampAuthority: true };
  };
  const bundleText = async (orgId: OrgId, sessionId: string, wishes: BundleWishes = {}): Promise<string> =>
    (await click().client.getEvidenceBundle({ sessionId, ...wishes }, as(orgId))).bundleJson;
  const keyFile = async (orgId: OrgId) => {
    const { keys, verifierKeys, tsaCertificates } = await click().client.listEvidenceKeys({ logId: orgId });
    const [logKeys, others] = [keys.filter(isLogKey), keys.filter((key) => !isLogKey(key))];
    return { keys: others.map(jwkOf), logKeys: verifierKeys, logSigningKeys: logKeys.map(jwkOf), tsaCertificates };
  };
  return {
    bundleText,
    bundleOf: async (orgId: OrgId, sessionId: string, wishes: BundleWishes = {}): Promise<Bundle> =>
      JSON.parse(await bundleText(orgId, sessionId, wishes)),
    archiveOf: async (orgId: OrgId, sessionId: string, wishes: BundleWishes = {}): Promise<Uint8Array> =>
      (await click().client.getEvidenceBundle({ sessionId, archive: true, ...wishes }, as(orgId))).archive,
    /** Publishes a checkpoint over all leaves of the organization; nothing happens when there is one. */
    integrate: async (orgId: OrgId): Promise<void> => {
      await integrateLog(deps(), orgId);
    },
    /** Anchors what is published and not anchored yet. */
    anchor: (): Promise<void> =>
      anchorRound({ ...deps(), logger, newId, stamper: undefined, intervalMs: 0, onPublished: () => undefined }),
    /** What the installation publishes for verifiers. */
    keyFile,
    /** Takes away what erasure takes away. */
    erase: async ({ orgId, sessionId }: Journey): Promise<void> => {
      const { superuser } = click();
      for (const sql of erasureSql) await superuser.query(sql, [orgId, sessionId]);
    },
    /** Seals the seeds of a session and its acceptances under the hold key. */
    restrict: async ({ orgId, sessionId }: Journey): Promise<void> => {
      const { vault } = parts();
      type Row = { recordId: string; seed: Buffer };
      const sql = `select record_id as "recordId", seed from click.subject_key where ${ofSession}`;
      for (const { recordId, seed } of await rows<Row>(click(), sql, [orgId, sessionId])) {
        const restricted = vault.wrapSeed({ organizationId: orgId, recordId }, seed);
        await click().superuser.query(
          "update click.subject_key set seed = $2, restricted_until = now() + interval '1 year' where record_id = $1",
          [recordId, restricted],
        );
      }
    },
    /** Makes a receipt key that signs from now on. */
    rotateReceiptKey: async (): Promise<void> => {
      await parts().receiptKeys.rotate();
    },
    revokeReceiptKey: async (kid: string): Promise<void> => {
      await parts().receiptKeys.revoke(kid);
    },
    /** The bundle as it is for an administrator who may see what is restricted, where an authority stamps the time. */
    openedText: async ({ orgId, sessionId }: Journey): Promise<string> => {
      const request = { sessionId, openRestricted: true, generatedAt: click().clock.now() };
      const evidence = await collectEvidence(evidenceDeps(), orgId, request);
      if (evidence === undefined) throw new Error("there is no such session");
      return (await writeBundle(evidenceDeps(), evidence, { bundleId: newId(), disclosed: true })).json;
    },
    /** Runs the verifier that people download over a bundle, with the published keys. */
    verify: async (orgId: OrgId, bundle: string | Bundle, more: object = {}): Promise<Result> => {
      verifier ??= await loadVerifier();
      return verifier(bundle, { keys: { ...(await keyFile(orgId)), ...more } });
    },
  };
}

/** What failed; none when the bundle holds. */
export const failuresOf = failures;

/** Of rows of click.subject_key: those of the session $2 of the organization $1 and of its acceptances. */
const ofSession = `organization_id = $1 and (record_id = $2 or record_id in (
  select receipt_id from click.acceptance where organization_id = $1 and session_id = $2))`;

const erasureSql = [
  `update click.session set subject_index = null, sealed = null, sealed_reason = null, page_facts = null,
     erased_at = now(), render_hash = case when exists (
       select from click.sealed_rendering where organization_id = $1 and record_id = $2) then null else render_hash end
   where organization_id = $1 and id = $2`,
  `delete from click.subject_key where ${ofSession}`,
  "delete from click.sealed_rendering where organization_id = $1 and record_id = $2",
  "delete from click.session_event where organization_id = $1 and session_id = $2",
  `update click.acceptance set subject_index = null, sealed = null, once_hash = null, erased_at = now()
   where organization_id = $1 and (session_id = $2 or receipt_id = $2)`,
];

const isLogKey = ({ purpose }: EvidenceKey): boolean => purpose === "log";

/** As an installation publishes it. */
const jwkOf = ({ kid, purpose, publicKey, notBefore, notAfter, revokedAt }: EvidenceKey) => ({
  kty: "OKP",
  crv: "Ed25519",
  x: Buffer.from(publicKey).toString("base64url"),
  kid,
  alg: "EdDSA",
  use: "sig",
  purpose,
  nbf: Math.floor(timestampMs(notBefore as Timestamp) / 1000),
  ...(notAfter === undefined ? {} : { exp: Math.ceil(timestampMs(notAfter) / 1000) }),
  ...(revokedAt === undefined ? {} : { revokedAt: timestampDate(revokedAt).toISOString() }),
});
