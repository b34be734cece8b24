import { rmSync } from "node:fs";
import { join } from "node:path";
import { connect, type JetStreamManager, type NatsConnection, nanos } from "nats";
import { eventIdOf } from "#platform/events/marks.ts";
import { until } from "#platform/testing/until.ts";
import { type RunningNats, startNats } from "../../../dev/nats.ts";

/** NATS, seen from outside: it comes and goes, and tells what it holds. */
export interface EventStore {
  readonly url: string;
  halt(): Promise<void>;
  /** Only while it is halted. */
  wipe(): void;
  resume(): Promise<void>;
  /** What the stream holds, and how many of it are there for the second time. */
  contents(): Promise<{ messages: number; copies: number }>;
  /** True when the durable consumer has nothing before it and nothing under way. */
  isIdle(durable: string): Promise<boolean>;
  stop(): Promise<void>;
}

const stream = "EVENTS";

/** So short that outages and restarts of a test last longer: the bus takes what is published again for something new. */
export const duplicateWindowMs = 200;

export async function startEventStore(folder: string): Promise<EventStore> {
  const nats = await startNats({ storeDir: folder });
  if (nats === undefined) throw new Error("nats-server is missing");
  const connected = async <T>(work: (nc: NatsConnection) => Promise<T>): Promise<T> => {
    const nc = await connect({ servers: nats.url, timeout: 5_000 });
    try {
      return await work(nc);
    } finally {
      await nc.close();
    }
  };
  const managed = <T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> =>
    connected(async (nc) => work(await nc.jetstreamManager()));
  await managed(shortenWindow);
  return {
    url: nats.url,
    halt: nats.kill,
    wipe: () => rmSync(join(folder, "jetstream"), { recursive: true, force: true }),
    resume: () => resume(nats, () => managed(shortenWindow)),
    contents: () => connected(readStream),
    isIdle: (durable) =>
      managed(async ({ consumers }) => {
        const { num_pending, num_ack_pending } = await consumers.info(stream, durable);
        return num_pending === 0 && num_ack_pending === 0;
      }),
    stop: nats.stop,
  };
}

async function resume(nats: RunningNats, shorten: () => Promise<void>): Promise<void> {
  await nats.restart();
  // Others make the stream at the same time when it is gone.
  await until(() => shorten().then(() => true), 30_000);
}

/** Those that come meanwhile are left out. */
async function readStream(nc: NatsConnection): Promise<{ messages: number; copies: number }> {
  const { state } = await (await nc.jetstreamManager()).streams.info(stream);
  const ids = new Set<string>();
  if (state.messages === 0) return { messages: 0, copies: 0 };
  const reader = await nc.jetstream().consumers.get(stream);
  for await (const message of await reader.consume({ max_messages: 1_000 })) {
    ids.add(eventIdOf(message.headers?.get("Nats-Msg-Id") ?? ""));
    if (message.seq >= state.last_seq) break;
  }
  return { messages: state.messages, copies: state.messages - ids.size };
}

async function shortenWindow({ streams }: JetStreamManager): Promise<void> {
  const duplicate_window = nanos(duplicateWindowMs);
  const known = await streams.info(stream).catch(() => undefined);
  if (known === undefined) await streams.add({ name: stream, subjects: ["assent.>"], duplicate_window });
  else await streams.update(stream, { ...known.config, duplicate_window });
}
