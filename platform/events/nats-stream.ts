// The stream that keeps the events, and what is known of it.
import { connect, type NatsConnection, NatsError, nanos, RetentionPolicy, StorageType } from "nats";

export const stream = "EVENTS";

/** What was last seen of the stream. */
export interface StreamState {
  /** When it was made, which no other stream of this name shares. */
  created: string | undefined;
  /** The highest that was seen of it. */
  lastSequence: number;
  /** How often it went back to a lower one. */
  setbacks: number;
}

/** Makes it when it is missing; one that is there is left as the operator set it up. */
export async function ensureStream(nc: NatsConnection, state: StreamState): Promise<void> {
  const jsm = await nc.jetstreamManager({ checkAPI: false });
  const { lastSequence } = state;
  try {
    const found = await jsm.streams.info(stream);
    noteStream(state, String(found.created), found.state.last_seq, lastSequence);
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.code !== 404) throw error;
    const made = await jsm.streams.add({
      name: stream,
      subjects: ["assent.>"],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(7 * 24 * 3_600_000),
      duplicate_window: nanos(120_000),
      // Three copies wherever there are servers to hold them.
      num_replicas: nc.info?.cluster === undefined ? 1 : 3,
    });
    noteStream(state, String(made.created), made.state.last_seq, 0);
  }
}

/** What was known of the stream before it was asked, it must still know unless it is another one. */
function noteStream(state: StreamState, created: string, lastSequence: number, known: number): void {
  const isSame = created === state.created;
  if (isSame && lastSequence < known) {
    state.setbacks += 1;
    state.lastSequence = lastSequence;
  } else state.lastSequence = isSame ? Math.max(state.lastSequence, lastSequence) : lastSequence;
  state.created = created;
}

/** What an operator wants to know of the servers. */
export interface NatsReport {
  readonly version: string;
  readonly isCluster: boolean;
  readonly storedBytes: number;
  /** -1: no limit. */
  readonly mostBytes: number;
  /** Absent before the first process has made it. */
  readonly stream?: {
    readonly subjects: readonly string[];
    readonly replicas: number;
    readonly onDisk: boolean;
    /** 0: for ever. */
    readonly keptMs: number;
  };
}

/** Connects once, changes nothing, and reports. Rejects when no server answers or JetStream is off. */
export async function inspectNats(url: string): Promise<NatsReport> {
  const nc = await connect({ ...parseNatsUrl(url), name: "assent-doctor", timeout: 3_000, reconnect: false });
  try {
    const jsm = await nc.jetstreamManager();
    const account = await jsm.getAccountInfo();
    const found = await jsm.streams.info(stream).catch((error: unknown) => {
      if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
      throw error;
    });
    return {
      version: nc.info?.version ?? "",
      isCluster: nc.info?.cluster !== undefined,
      storedBytes: account.storage,
      mostBytes: account.limits.max_storage,
      ...(found !== undefined && {
        stream: {
          subjects: found.config.subjects,
          replicas: found.config.num_replicas,
          onDisk: found.config.storage === StorageType.File,
          keptMs: found.config.max_age / 1_000_000,
        },
      }),
    };
  } finally {
    await nc.close();
  }
}

export interface NatsServers {
  /** `host:port` each. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly tls?: { readonly caFile?: string };
}

/**
 * Reads `nats://[user:password@]host:port`, or `tls://…` for TLS; several servers of one cluster with commas between.
 * `?ca=/path` names a PEM file of the authority that their certificates must come from, instead of those that Node trusts.
 */
export function parseNatsUrl(text: string): NatsServers {
  const urls = text.split(",").map((part) => new URL(part.trim()));
  const caFile = urls.map((url) => url.searchParams.get("ca")).find(Boolean) ?? undefined;
  const isTls = caFile !== undefined || urls.some((url) => url.protocol === "tls:");
  const login = urls.find((url) => url.username !== "");
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || "4222"}`),
    ...(login !== undefined && { user: decodeURIComponent(login.username), pass: decodeURIComponent(login.password) }),
    ...(isTls && { tls: caFile === undefined ? {} : { caFile } }),
  };
}
