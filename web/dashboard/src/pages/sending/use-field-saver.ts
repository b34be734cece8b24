import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useApi } from "../../api/client.ts";
import { isConflict } from "./conflict-notice.tsx";
import { type Field, withTabs } from "./field.ts";
import { pathOf, useDraftChanges } from "./queries.ts";
import { allOf, groupsOf } from "./recipients.ts";
import type { Draft } from "./types.ts";

export interface FieldSaver {
  readonly state: "saved" | "waiting" | "failed" | "conflict";
  /** Of the last attempt. */
  readonly error: unknown;
  /** Saves these soon. */
  readonly schedule: (fields: readonly Field[]) => void;
  /** Saves what waits at once. Says whether everything is saved now. */
  readonly flush: () => Promise<boolean>;
  /** Of a conflict: goes on from the draft as it is now, with these fields or without. */
  readonly settle: (keeps: "mine" | "theirs") => Promise<void>;
}

const pauseMs = 700;

/** Saves the fields shortly after each change, one request at a time; the newest fields win. */
export function useFieldSaver(id: string): FieldSaver {
  const api = useApi();
  const { draftOf, draftIs } = useDraftChanges();
  const waiting = useRef<readonly Field[]>(undefined);
  const running = useRef<Promise<boolean>>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isUndecided = useRef(false);
  const [outcome, setOutcome] = useState<Pick<FieldSaver, "state" | "error">>({ state: "saved", error: undefined });
  const saveWaiting = async (): Promise<boolean> => {
    while (waiting.current !== undefined) {
      const fields = waiting.current;
      waiting.current = undefined;
      try {
        const before = draftOf(id) ?? (await api.get<Draft>(pathOf(id)));
        const recipients = groupsOf(withTabs(allOf(before.recipients), fields));
        const { modifiedAt: ifModifiedAt } = before;
        draftIs(await api.send<Draft>("PATCH", pathOf(id), { recipients, ifModifiedAt }));
      } catch (error) {
        waiting.current ??= fields;
        isUndecided.current = isConflict(error);
        setOutcome({ state: isUndecided.current ? "conflict" : "failed", error });
        return false;
      }
    }
    setOutcome({ state: "saved", error: undefined });
    return true;
  };
  const flushNow = async (): Promise<boolean> => {
    clearTimeout(timer.current);
    await running.current;
    running.current = saveWaiting();
    return running.current;
  };
  const settle = async (keeps: "mine" | "theirs"): Promise<void> => {
    clearTimeout(timer.current);
    await running.current;
    const now = await api.get<Draft>(pathOf(id));
    if (keeps === "theirs") waiting.current = undefined;
    isUndecided.current = false;
    draftIs(now);
    await flushNow();
  };
  const latestSettle = useRef(settle);
  latestSettle.current = settle;
  const settleNow = useCallback((keeps: "mine" | "theirs") => latestSettle.current(keeps), []);
  const latest = useRef(flushNow);
  latest.current = flushNow;
  const flush = useCallback(() => latest.current(), []);
  const schedule = useCallback((fields: readonly Field[]) => {
    waiting.current = fields;
    clearTimeout(timer.current);
    // During a conflict nothing is sent until the person has decided.
    if (isUndecided.current) return;
    setOutcome((last) => (last.state === "waiting" ? last : { state: "waiting", error: undefined }));
    timer.current = setTimeout(() => void latest.current(), pauseMs);
  }, []);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (waiting.current !== undefined) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
      // Leaving the page does not wait for the request.
      if (waiting.current !== undefined) void latest.current();
    };
  }, []);
  return useMemo(() => ({ ...outcome, schedule, flush, settle: settleNow }), [outcome, schedule, flush, settleNow]);
}
