import { X509Certificate } from "node:crypto";
import { textNow } from "#platform/config.ts";
import { watchCertificates } from "#platform/gauges.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createTimestampAuthority } from "#platform/timestamps/timestamp-authority.ts";
import type { SignConfig } from "../config.ts";
import { createPemSigner } from "./seal-signer.ts";
import { createSealer, type Sealer, type SealerOptions } from "./sealer.ts";

interface SealerDeps {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "timestampRequests" | "sealKeyState" | "certificateEnd">;
}

/** The configured sealer; undefined without a sealing certificate. */
export function configuredSealer(
  { seal, tsa }: Pick<SignConfig, "seal" | "tsa">,
  deps: SealerDeps,
): Sealer | undefined {
  const { metrics } = deps;
  const sealer = followFiles({ seal, tsa }, deps);
  for (const one of sealKeyStates) metrics.sealKeyState.ask({ state: one }, () => (one === stateOf(sealer) ? 1 : 0));
  watchCertificates(metrics, {
    ...{ seal: seal?.certificates ?? "", seal_former: seal?.former ?? "" },
    seal_timestamp: tsa?.trusted.join("\n") ?? "",
  });
  return sealer;
}

/** Of a key that is not usable files are not sealed; with one that is a test they are, without legal effect. */
const sealKeyStates = ["usable", "test", "expired", "missing"] as const;

function stateOf(sealer: Sealer | undefined): (typeof sealKeyStates)[number] {
  if (sealer === undefined) return "missing";
  const { certificates, isTest } = sealer.now();
  const { validFromDate, validToDate } = new X509Certificate(certificates);
  const now = Date.now();
  if (now < validFromDate.getTime() || now > validToDate.getTime()) return "expired";
  return isTest ? "test" : "usable";
}

/** Those that do not belong together, because one of them is still the former one, change nothing. */
function followFiles({ seal, tsa }: Pick<SignConfig, "seal" | "tsa">, deps: SealerDeps): Sealer | undefined {
  if (seal === undefined) return undefined;
  const { logger } = deps;
  const stamps = stampsOf(tsa, deps);
  const read = (): SealTexts => [textNow(seal.key), textNow(seal.certificates), textNow(seal.former ?? "")];
  const open = ([key, certificates, former]: SealTexts): Sealer =>
    createSealer({ signer: createPemSigner({ key, certificates }), former, ...stamps });
  let texts = read();
  let sealer = open(texts);
  const now = (): Sealer => {
    const next = read();
    if (next.every((text, index) => text === texts[index])) return sealer;
    texts = next;
    try {
      sealer = open(next);
      logger.info("took up another key or other certificates for seals");
    } catch (error) {
      logger.warn({ err: error }, "the key and the certificates for seals have changed and cannot be used together");
    }
    return sealer;
  };
  return {
    now,
    get certificates() {
      return now().certificates;
    },
    get isTest() {
      return now().isTest;
    },
    get formerCertificates() {
      return now().formerCertificates;
    },
    statement: (...about) => now().statement(...about),
    isOurs: (certificate) => now().isOurs(certificate),
    seal: (...file) => now().seal(...file),
  };
}

type SealTexts = readonly [key: string, certificates: string, former: string];

function stampsOf(
  tsa: SignConfig["tsa"],
  { logger, metrics }: SealerDeps,
): Pick<SealerOptions, "stamp" | "onStampFailure"> {
  if (tsa === undefined) return {};
  const authority = createTimestampAuthority({ ...tsa, timeoutMs: stampTimeoutMs });
  return {
    stamp: async (bytes, signal) => {
      const { token } = await authority.stamp(bytes, signal);
      metrics.timestampRequests.inc({ outcome: "stamped" });
      return token;
    },
    onStampFailure: (error) => {
      metrics.timestampRequests.inc({ outcome: "failed" });
      logger.warn({ err: error }, "a seal gets no time stamp");
    },
  };
}

/** Short, because somebody waits for the sealed documents. */
const stampTimeoutMs = 5_000;
