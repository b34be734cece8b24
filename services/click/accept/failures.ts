import { Code, ConnectError } from "@connectrpc/connect";
import { isTransient } from "#platform/db/errors.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";

const transientCodes: readonly Code[] = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Canceled,
];

/** An expected error as it is, an outage of the database or of the templates service as SERVICE_UNAVAILABLE. */
export function asKnownError(error: unknown): DomainError | undefined {
  const known = fromConnectError(error);
  if (known !== undefined) return known;
  const isOutage = isTransient(error) || (error instanceof ConnectError && transientCodes.includes(error.code));
  if (!isOutage) return undefined;
  return new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "1" }, cause: error });
}

/** Like asKnownError; anything else is logged and becomes INTERNAL_ERROR. Of a batch, one item must not fail the rest. */
export function asDomainError(error: unknown, logger: Logger): DomainError {
  const known = asKnownError(error);
  if (known === undefined) {
    logger.error({ err: error }, "an acceptance failed unexpectedly");
    return new DomainError("INTERNAL_ERROR", { cause: error });
  }
  if (known.code === "SERVICE_UNAVAILABLE" && known.cause !== undefined) {
    logger.warn({ err: known.cause }, "an acceptance failed because something it needs is not available");
  }
  return known;
}
