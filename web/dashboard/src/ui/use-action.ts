import { useCallback, useRef, useState } from "react";

export interface Action<Arguments extends readonly unknown[]> {
  /** Does nothing while it runs already. Says whether it went well. */
  readonly run: (...given: Arguments) => Promise<boolean>;
  readonly isBusy: boolean;
  /** Of the last run. */
  readonly error: unknown;
  readonly clear: () => void;
}

/** Something that a button begins: once at a time, and with its error kept for showing. */
export function useAction<Arguments extends readonly unknown[]>(
  work: (...given: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const isRunning = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (...given: Arguments): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setIsBusy(true);
    setError(undefined);
    try {
      await work(...given);
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    } finally {
      isRunning.current = false;
      setIsBusy(false);
    }
  };
  const clear = useCallback(() => setError(undefined), []);
  return { run, isBusy, error, clear };
}
