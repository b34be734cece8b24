import type { ChildEnd, ChildLimits } from "#platform/child-processes/fork-child.ts";
import type { PooledProcess } from "#platform/child-processes/pooled-process.ts";
import { createProcessPool } from "#platform/child-processes/process-pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { step, type Tracer } from "#platform/telemetry.ts";
import type { Mark } from "../completion/mark.ts";
import { type WitnessJob, type WitnessOutcome, witnessedMark } from "./messages.ts";

/** What is about to be sealed, beside what people have seen. */
export interface SealingInQuestion {
  readonly agreementId: string;
  readonly shown: Uint8Array;
  readonly sealed: Uint8Array;
  readonly marks: readonly Mark[];
  readonly isCertificate: boolean;
}

/** Looks at each file before it is sealed, without the library that has written it. */
export interface Witness {
  /** Rejects when the file shows anything else than what people have seen, with their marks, or that cannot be told. */
  confirm(files: SealingInQuestion): Promise<void>;
  close(): Promise<void>;
}

export interface WitnessOptions extends Partial<ChildLimits> {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "signWitnessed">;
  readonly tracer?: Tracer | undefined;
}

/** Completions are begun again after five minutes. */
const usualDeadlineMs = 120_000;

export function createWitness({ logger, metrics, tracer, ...limits }: WitnessOptions): Witness {
  // Otherwise the first one would be no increase.
  for (const outcome of ["same", "different", "ended"]) metrics.signWitnessed.inc({ outcome }, 0);
  const waiting: Waiting[] = [];
  const handOut = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const process = pool.take();
      if (process === undefined) break;
      waiting.shift();
      run(process, next);
    }
    if (waiting.length > 0) pool.startFor(waiting.length);
  };
  const refuseAll = (): void => {
    for (const { reject } of waiting.splice(0)) reject(new DomainError("SERVICE_UNAVAILABLE"));
  };
  const pool = createProcessPool<WitnessJob, WitnessOutcome>(
    {
      name: "witness",
      program: {
        entry,
        assets: ["node_modules/pdfjs-dist"],
        heapShare: 0.75,
        environment: { TZ: "UTC" },
        withAddons: false,
      },
      limits: withLimits(limits),
      logger,
      // Completions are two at a time, and do more than to be looked at.
      ...{ size: 1, kept: 0 },
    },
    { onIdle: handOut, onStuck: refuseAll, onEnd: () => {} },
  );
  const look = (job: WitnessJob): Promise<WitnessOutcome | ChildEnd> =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      handOut();
    });
  return {
    confirm: ({ agreementId, marks, ...files }) =>
      step(tracer, "witness", { "assent.bytes": files.sealed.length }, async () => {
        const outcome = await look({ ...files, marks: marks.map(witnessedMark) });
        if (outcome === "closed") throw new DomainError("SERVICE_UNAVAILABLE");
        if (typeof outcome === "string") {
          metrics.signWitnessed.inc({ outcome: "ended" });
          logger.error({ agreementId, reason: outcome }, "what is about to be sealed could not be compared");
          throw new Error(`the comparison before the seal ended: ${outcome}`);
        }
        metrics.signWitnessed.inc({ outcome: outcome.kind });
        if (outcome.kind === "same") return;
        const { difference } = outcome;
        logger.error({ agreementId, difference }, "what is about to be sealed is not what people have seen");
        throw new Error(`the file about to be sealed is not what people have seen: ${difference}`);
      }),
    close: async () => {
      refuseAll();
      await pool.close();
    },
  };
}

const entry = new URL("./witness-process.ts", import.meta.url);

interface Waiting {
  readonly job: WitnessJob;
  resolve(outcome: WitnessOutcome | ChildEnd): void;
  reject(error: Error): void;
}

const run = (process: PooledProcess<WitnessJob, WitnessOutcome>, { job, resolve }: Waiting): void =>
  process.run({ job, done: resolve, fail: resolve });

function withLimits(changes: Partial<ChildLimits>): ChildLimits {
  const { maxMemoryMb = 768 } = changes;
  return {
    deadlineMs: usualDeadlineMs,
    maxIdleMemoryMb: maxMemoryMb / 2,
    maxJobs: 10_000,
    startTimeoutMs: 30_000,
    idleMs: 60_000,
    graceMs: 1_000,
    ...changes,
    maxMemoryMb,
  };
}
