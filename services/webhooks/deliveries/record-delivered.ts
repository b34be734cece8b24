import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { isSuccess } from "../domain/outcome.ts";
import { type Delivered, recordManyDelivered } from "../store/sender-store.ts";
import { createGatherer } from "./gatherer.ts";
import type { Loaded } from "./load.ts";
import { attemptOf, type Held, type Made } from "./record.ts";

/**
 * Writes down an attempt if nothing follows from it but that this delivery is done. False when more does, or may: then
 * nothing is written.
 */
export type RecordDelivered = (held: Held, loaded: Loaded, made: Made) => Promise<boolean>;

export interface RecordDeliveredDeps {
  /** Connects as the role that sees what is claimed of all organizations. */
  readonly senderPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxTogether = 100;

/** Its claim holds a place of the receiver so much longer when much is delivered. */
const paceMs = 20;

/** Writes down together what is delivered at about the same time, of any organizations. */
export function createRecordDelivered({ senderPool, clock, logger }: RecordDeliveredDeps): RecordDelivered {
  const run = async (delivered: readonly Delivered[]): Promise<readonly boolean[]> => {
    try {
      return await recordManyDelivered(senderPool, delivered, clock.now());
    } catch (error) {
      if (isTransient(error)) throw error;
      logger.warn({ err: error, deliveries: delivered.length }, "deliveries are written down one by one");
      return delivered.map(() => false);
    }
  };
  const together = createGatherer({ maxItems: maxTogether, paceMs, run });
  return async ({ claimed, delivery: { attempts } }, { endpoint }, made) => {
    const isPlain = endpoint?.kind === "standard" && endpoint.failingSince === undefined && isSuccess(made.result);
    return isPlain ? together.add({ claimed, attempts, attempt: attemptOf(made) }) : false;
  };
}
