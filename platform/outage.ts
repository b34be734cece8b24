import { Code, ConnectError } from "@connectrpc/connect";
import { isTransient } from "./db/errors.ts";
import { DomainError, fromConnectError } from "./errors.ts";
import { WorkerPoolError } from "./worker-pool.ts";

/** What gRPC itself says when another service cannot be reached, is too slow or has too much to do. */
const transientCodes: readonly Code[] = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Canceled,
];

/**
 * SERVICE_UNAVAILABLE for an error that passes: the database, the disk or another service is away, full or overloaded, or
 * a thread had no time for its job.
 * Undefined for errors with a name of their own and for defects. The servers of RPCs and of HTTP ask it for whatever is
 * thrown, so that no handler has to.
 */
export function asOutage(error: unknown): DomainError | undefined {
  if (fromConnectError(error) !== undefined) return undefined;
  const passes =
    error instanceof ConnectError
      ? transientCodes.includes(error.code)
      : error instanceof WorkerPoolError
        ? error.failure !== "FAILED"
        : isTransient(error);
  return passes ? new DomainError("SERVICE_UNAVAILABLE", { cause: error }) : undefined;
}

/** True for an outage, whether it has its name already or not. */
export const isOutage = (error: unknown): error is Error =>
  (fromConnectError(error) ?? asOutage(error))?.code === "SERVICE_UNAVAILABLE";
