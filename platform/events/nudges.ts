import type { EventBus } from "./bus.ts";

/** Lets the processes that share some work tell each other that there may be some. What is told may get lost. */
export interface Nudges {
  /** Tells the others; at once, but not again and again. */
  tell(): void;
  /** Calls this when another process tells of something. */
  listen(onNudge: () => void): void;
  /** Tells and hears nothing any more. */
  stop(): void;
}

export type NudgeBus = Pick<EventBus, "nudge" | "onNudge">;

/** Each of them makes the others look at the database once. */
const usualEveryMs = 200;

/** Between two messages of a process are at least `everyMs`; what is told meanwhile is told once, after that. */
export function createNudges(bus: NudgeBus, name: string, everyMs = usualEveryMs): Nudges {
  let timer: NodeJS.Timeout | undefined;
  let isLeft = false;
  let leave: (() => void) | undefined;
  const send = (): void => {
    isLeft = false;
    bus.nudge?.(name);
    timer = setTimeout(() => {
      timer = undefined;
      if (isLeft) send();
    }, everyMs).unref();
  };
  return {
    tell: () => {
      if (bus.nudge === undefined) return;
      if (timer === undefined) send();
      else isLeft = true;
    },
    listen: (onNudge) => {
      leave = bus.onNudge?.(name, onNudge);
    },
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
      leave?.();
    },
  };
}
