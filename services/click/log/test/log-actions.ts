import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { createMetrics } from "#platform/metrics.ts";
import { appendHashes, emptyFrontier, rootOf } from "#platform/transparency/merkle.ts";
import { verifierKey } from "#platform/transparency/signed-note.ts";
import type { SigningKey } from "../../keys/signing-keys.ts";
import { type ClickHarness, rows } from "../../test/harness.ts";
import { integrateLog } from "../integrate-log.ts";
import { leafHashOf, logOrigin, type SignedLeaf } from "../leaf.ts";
import { appendLeaves, type LogId } from "../log-store.ts";

const key: SigningKey = {
  ...generateKeyPairSync("ed25519"),
  generation: 1,
  kid: "test",
  signsFrom: new Date(0),
  revokedAt: null,
};
const issuer = "https://assent.localhost";

/** What the checkpoints of a log are verified with. */
export const verifierKeyOf = (logId: LogId): string =>
  verifierKey(logOrigin(issuer, logId), Buffer.from(key.publicKey.export({ format: "jwk" }).x ?? "", "base64url"));

/** Leaves that nobody signed: proofs do not look at signatures. Their record ids, in the order of the log. */
export async function addLeaves(harness: ClickHarness, logId: LogId, count: number): Promise<string[]> {
  const leaves = Array.from({ length: count }, (): SignedLeaf => {
    const leaf = randomBytes(20);
    return { recordId: randomUUID(), leaf, leafHash: leafHashOf(leaf), signedBy: 1, signature: Buffer.alloc(64) };
  });
  await withOrg(harness.superuser, logId as OrgId, (tenant) => appendLeaves(tenant, leaves));
  return leaves.map(({ recordId }) => recordId);
}

/** Builds the tree over all leaves and publishes its checkpoint. The signed note. */
export async function publishTree({ superuser, clock }: ClickHarness, logId: LogId): Promise<string> {
  const logKeys = { signingAt: async () => key };
  const outcome = await integrateLog({ pool: superuser, logKeys, issuer, clock, metrics: createMetrics() }, logId);
  if (outcome.kind !== "published") throw new Error("there was nothing to publish");
  return outcome.checkpoint.note;
}

/** The root of the first leaves, straight from the table. */
export async function rootOfLog(harness: ClickHarness, logId: LogId, size: number): Promise<Buffer> {
  const found = await rows<{ leaf_hash: Buffer }>(
    harness,
    "select leaf_hash from click.log_leaf where organization_id = $1 and leaf_index < $2 order by leaf_index",
    [logId, size],
  );
  return rootOf(
    appendHashes(
      emptyFrontier,
      found.map((row) => row.leaf_hash),
    ),
  );
}
