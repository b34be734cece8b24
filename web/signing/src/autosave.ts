import type { Adopted, Ceremony } from "#api/ceremony.ts";
import { ApiError, api } from "./api.ts";
import type { Fields } from "./fields.ts";

type SaveState = "saved" | "saving" | "failed";

/** Saves what the person enters, as they enter it. */
export interface Autosave {
  /** These fields have other values now. */
  changed(tabIds: readonly string[]): void;
  /** The person has adopted a signature. */
  adopted(): void;
  /** The person is at this field. */
  at(tabId: string): void;
  /** How often the person has changed something here. */
  changes(): number;
  /** Saves what is left; resolves when it is saved, or the attempt has failed. */
  flush(): Promise<void>;
  /** Saves what is left, and nothing after that: what the person does now is final. Whether all of it is saved. */
  hold(): Promise<boolean>;
  isHeld(): boolean;
  /** It was not final after all. */
  resume(): void;
}

interface AutosaveOptions {
  readonly fields: Fields;
  readonly onState: (state: SaveState) => void;
  /** The person has finished elsewhere, or nobody may go on. */
  readonly onEnd: (error: ApiError) => void;
}

/** Long enough for a word, short enough for a crash. */
const pauseMs = 700;
const maxPauseMs = 30_000;

/** What a browser sends while its page goes away has at most 64 KB. */
const keptAliveBytes = 60_000;

export function createAutosave({ fields, onState, onEnd }: AutosaveOptions): Autosave {
  const dirty = new Set<string>();
  let place: string | undefined;
  let signature: Adopted | null = null;
  let initials: Adopted | null = null;
  let timer = 0;
  let failures = 0;
  let isStopped = false;
  let changes = 0;
  let running: Promise<void> | undefined;
  const isClean = () => dirty.size === 0 && place === undefined && signature === null && initials === null;

  const take = () => {
    const values = fields.values().filter(({ tabId }) => dirty.has(tabId));
    const taken = { values, ...(place === undefined ? {} : { place }), signature, initials };
    dirty.clear();
    place = undefined;
    signature = null;
    initials = null;
    return taken;
  };
  /** What could not be saved is saved next time, unless it has changed since. */
  const putBack = (taken: ReturnType<typeof take>): void => {
    for (const { tabId } of taken.values) dirty.add(tabId);
    place ??= taken.place;
    signature ??= taken.signature;
    initials ??= taken.initials;
  };
  const save = async (isLast = false): Promise<void> => {
    const taken = take();
    onState("saving");
    try {
      await api.save(taken, isLast && JSON.stringify(taken).length < keptAliveBytes);
      failures = 0;
      if (isClean()) onState("saved");
    } catch (error) {
      if (isStopped) return;
      putBack(taken);
      if (error instanceof ApiError && ends.has(error.code)) {
        isStopped = true;
        onEnd(error);
        return;
      }
      failures += 1;
      onState("failed");
      schedule();
    }
  };
  const run = async (isLast = false): Promise<void> => {
    window.clearTimeout(timer);
    timer = 0;
    // Others may have waited for it as well, and begun the next.
    while (running !== undefined) await running;
    if (isStopped || isClean()) return;
    running = save(isLast).finally(() => {
      running = undefined;
      if (!isStopped && !isClean()) schedule();
    });
    await running;
  };
  const schedule = (): void => {
    if (isStopped || timer !== 0) return;
    timer = window.setTimeout(() => void run(), Math.min(maxPauseMs, pauseMs * 2 ** failures));
  };
  document.addEventListener("visibilitychange", () => document.hidden && void run(true));
  window.addEventListener("pagehide", () => void run(true));
  window.addEventListener("online", () => void run());
  // Only what could not be saved is worth a question.
  window.addEventListener("beforeunload", (event) => {
    if (failures > 0 && !isStopped) event.preventDefault();
  });

  return {
    changed: (tabIds) => {
      changes += 1;
      for (const tabId of tabIds) dirty.add(tabId);
      schedule();
    },
    adopted: () => {
      changes += 1;
      ({ signature, initials } = fields);
      void run();
    },
    at: (tabId) => {
      place = tabId;
      schedule();
    },
    changes: () => changes,
    isHeld: () => isStopped,
    flush: () => run(),
    hold: async () => {
      await run();
      const isSaved = isClean();
      isStopped = true;
      return isSaved;
    },
    resume: () => {
      isStopped = false;
      if (!isClean()) schedule();
    },
  };
}

/** Nothing that is saved later could count. */
const ends: ReadonlySet<string> = new Set([
  "VIEW_URL_EXPIRED",
  "INVALID_ENVELOPE_STATUS",
  "RECIPIENT_ALREADY_SIGNED",
  "RECIPIENT_NOT_IN_SEQUENCE",
]);

/**
 * Whoever comes back to a page finds what they have saved elsewhere meanwhile; what ended there ends here. What they change
 * here while it is asked for is newer than the answer.
 */
export function watchOtherTabs(
  autosave: Autosave,
  update: (ceremony: Ceremony) => void,
  onEnd: (error: ApiError) => void,
): void {
  const look = async (): Promise<void> => {
    await autosave.flush();
    const changes = autosave.changes();
    try {
      const now = await api.ceremony();
      if (!autosave.isHeld() && autosave.changes() === changes) update(now);
    } catch (error) {
      if (!autosave.isHeld() && error instanceof ApiError && ends.has(error.code)) onEnd(error);
    }
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !autosave.isHeld()) void look();
  });
}
