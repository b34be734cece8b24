import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createTimestampAuthority } from "#platform/timestamps/timestamp-authority.ts";
import type { SignConfig } from "../config.ts";
import { createPemSigner } from "./seal-signer.ts";
import { createSealer, type Sealer } from "./sealer.ts";

/** The configured sealer; undefined without a sealing certificate. */
export function configuredSealer(
  { seal, tsa }: Pick<SignConfig, "seal" | "tsa">,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Pick<Metrics, "timestampRequests"> },
): Sealer | undefined {
  if (seal === undefined) return undefined;
  const { former } = seal;
  const signer = createPemSigner(seal);
  if (tsa === undefined) return createSealer({ signer, former });
  const authority = createTimestampAuthority({ ...tsa, timeoutMs: stampTimeoutMs });
  return createSealer({
    signer,
    former,
    stamp: async (bytes, signal) => {
      const { token } = await authority.stamp(bytes, signal);
      metrics.timestampRequests.inc({ outcome: "stamped" });
      return token;
    },
    onStampFailure: (error) => {
      metrics.timestampRequests.inc({ outcome: "failed" });
      logger.warn({ err: error }, "a seal gets no time stamp");
    },
  });
}

/** Short, because somebody waits for the sealed documents. */
const stampTimeoutMs = 5_000;
