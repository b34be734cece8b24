import type { Client } from "@connectrpc/connect";
import type { Change, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { Logger } from "#platform/logger.ts";
import type { Worker } from "#platform/periodic.ts";

export interface ChangePollerDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "listChanges">;
  /** Called in commit order. */
  onChange(change: Change): void;
  /** Called once, when everything before the start has been read. */
  onCaughtUp(): void;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

/**
 * Follows revocations and changes from the auth service. Starting does not wait for the auth service: it is
 * polled until it answers, and onCaughtUp reports that.
 */
export function createChangePoller({
  tokens,
  onChange,
  onCaughtUp,
  logger,
  intervalMs = 500,
}: ChangePollerDeps): Worker {
  let cursor = 0n;
  let isCaughtUp = false;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = true;
  let polling: Promise<void> = Promise.resolve();

  const readAll = async (): Promise<void> => {
    for (;;) {
      const { changes } = await tokens.listChanges({ afterCursor: cursor }, { timeoutMs: 2_000 });
      for (const change of changes) {
        onChange(change);
        cursor = change.cursor;
      }
      if (changes.length === 0) return;
    }
  };

  const poll = async (): Promise<void> => {
    try {
      await readAll();
      if (!isCaughtUp) onCaughtUp();
      isCaughtUp = true;
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, "changes of the auth service could not be read; trying on");
      isFailing = true;
    }
    if (!isStopped) timer = setTimeout(run, intervalMs);
  };

  const run = (): void => {
    polling = poll();
  };

  return {
    name: "auth-change-poller",
    start: async () => {
      if (!isStopped) return;
      isStopped = false;
      run();
      await polling;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await polling;
    },
  };
}
