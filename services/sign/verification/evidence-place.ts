import type { JsonObject } from "../agreement/agreement.ts";
import type { AuditEvent } from "../agreement/audit-chain.ts";

/** Where the evidence log of an organization has the head of a trail. */
export interface EvidencePlace {
  readonly logId: string;
  readonly leafIndex: bigint;
  readonly leafHash: Uint8Array;
}

/** As the trail tells of it: the hash in the form that receipts have. */
export const evidenceDetails = ({ logId, leafIndex, leafHash }: EvidencePlace): JsonObject => ({
  logId,
  leafIndex: Number(leafIndex),
  leafHash: `${hashPrefix}${Buffer.from(leafHash).toString("hex")}`,
});

/** Undefined until the log has it. */
export function evidenceIn(events: readonly AuditEvent[]): EvidencePlace | undefined {
  const { logId, leafIndex, leafHash } = events.find(({ action }) => action === "agreement.logged")?.details ?? {};
  if (typeof logId !== "string" || typeof leafIndex !== "number" || typeof leafHash !== "string") return undefined;
  return { logId, leafIndex: BigInt(leafIndex), leafHash: Buffer.from(leafHash.slice(hashPrefix.length), "hex") };
}

const hashPrefix = "sha256:";
