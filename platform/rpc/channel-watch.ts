import { type Channel, connectivityState } from "@grpc/grpc-js";

/** Long enough for a server that is replaced; callers of one that is gone need not wait any longer. */
export const knownDownAfterMs = 2_000;
/** Then calls wait so long: the server may come back just now. */
export const waitWhenDownMs = 500;

/** How long a channel has been without any connection. */
export interface ChannelWatch {
  /**
   * Calls `giveUp` once a call that begins now has waited long enough for a connection: from when the channel is known
   * to be down. Returns what ends the waiting. Never gives up a call that may have been sent.
   */
  await(giveUp: () => void): () => void;
  /** Whether calls are refused soon. */
  isDown(): boolean;
}

const nothing = (): void => undefined;

/** Follows the channel until it is closed. One that was never asked to connect is not down. */
export function watchChannel(channel: Channel): ChannelWatch {
  let since: number | undefined;
  let connections = 0;
  const follow = (): void => {
    const state = channel.getConnectivityState(false);
    if (state === connectivityState.SHUTDOWN) return;
    if (state === connectivityState.READY) {
      since = undefined;
      connections += 1;
    } else if (state === connectivityState.IDLE) since = undefined;
    else since ??= performance.now();
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, follow);
  };
  follow();
  return {
    isDown: () => since !== undefined && performance.now() - since >= knownDownAfterMs,
    await: (giveUp) => {
      if (channel.getConnectivityState(false) === connectivityState.READY) return nothing;
      const before = connections;
      const downFor = since === undefined ? 0 : performance.now() - since;
      const timer = setTimeout(
        () => {
          if (connections === before) giveUp();
        },
        Math.max(knownDownAfterMs - downFor, waitWhenDownMs),
      );
      return () => clearTimeout(timer);
    },
  };
}
