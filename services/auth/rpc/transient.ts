import { isTransient } from "#platform/db/errors.ts";
import { DomainError } from "#platform/errors.ts";

type Handler = (...args: never[]) => unknown;

/** The same handlers, which answer SERVICE_UNAVAILABLE instead of failing while the database is away or too busy. */
export function unavailableWhenTransient<T extends Readonly<Record<string, Handler>>>(handlers: T): T {
  const guard =
    (handler: Handler): Handler =>
    async (...args) => {
      try {
        return await handler(...args);
      } catch (error) {
        if (isTransient(error)) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
        throw error;
      }
    };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, guard(handler)])) as T;
}
