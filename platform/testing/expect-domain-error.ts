import { type DomainError, type ErrorCode, fromConnectError } from "../errors.ts";

/** Waits for the promise to reject with this errorCode, thrown here or read from the wire, and returns the error. */
export async function expectDomainError(promise: Promise<unknown>, code: ErrorCode): Promise<DomainError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new Error(`expected ${code}, but it succeeded with ${describe(outcome.value)}`);
  const error = fromConnectError(outcome.error);
  if (error === undefined) throw new Error(`expected ${code}, got ${String(outcome.error)}`, { cause: outcome.error });
  if (error.code !== code) throw new Error(`expected ${code}, got ${error.code}: ${error.message}`, { cause: error });
  return error;
}

const describe = (value: unknown): string => {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? item.toString() : item));
  return text === undefined ? String(value) : text.slice(0, 500);
};
