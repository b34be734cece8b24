import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { asOutage } from "#platform/outage.ts";

/** An expected error as it is, an outage of the database or of the templates service as SERVICE_UNAVAILABLE. */
export const asKnownError = (error: unknown): DomainError | undefined => fromConnectError(error) ?? asOutage(error);

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
