import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

const ClockContext = createContext<number | undefined>(undefined);

/** One clock for all that is written relative to now: a long list would have a timer in each row. */
export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return <ClockContext value={now}>{children}</ClockContext>;
}

/** Milliseconds, renewed every half a minute. */
export function useNow(): number {
  const now = useContext(ClockContext);
  if (now === undefined) throw new Error("there is no clock");
  return now;
}
