import { setTimeout as delay } from "node:timers/promises";

/** Something that runs beside us and may die. */
export interface Part {
  readonly name: string;
  /** Resolves with how it ended, in words. */
  ended(): Promise<string>;
  /** Starts it again; resolves when it is ready. */
  start(): Promise<unknown>;
}

export interface Supervisor {
  watch(part: Part): void;
  /** From now on nothing is started again; what is being started is for its owner to stop. */
  stop(): void;
}

export interface SupervisorOptions {
  /** Is told in one line what died and what is done about it. */
  readonly say: (line: string) => void;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
  /** What has lived so long gets the first pause again. */
  readonly steadyAfterMs?: number;
}

/** Starts again what dies: soon at first, and after pauses that grow while it keeps dying. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { say, firstPauseMs = 250, longestPauseMs = 30_000, steadyAfterMs = 60_000 } = options;
  const stopping = new AbortController();

  const watch = async (part: Part): Promise<void> => {
    let pauseMs = firstPauseMs;
    for (;;) {
      const since = performance.now();
      let how: string | undefined = await part.ended();
      if (performance.now() - since > steadyAfterMs) pauseMs = firstPauseMs;
      do {
        if (stopping.signal.aborted) return;
        say(`${part.name} died (${how}); it is started again in ${pauseMs / 1000} s`);
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return;
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
        how = await part.start().then(
          () => undefined,
          (error: unknown) => firstLine(error),
        );
      } while (how !== undefined);
      say(`${part.name} runs again`);
    }
  };
  return {
    watch: (part) => void watch(part),
    stop: () => stopping.abort(),
  };
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
