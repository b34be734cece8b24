import { setTimeout as delay } from "node:timers/promises";
import { collectEvents } from "../../support/events.ts";
import { checkHistory } from "./check.ts";
import { perform, runClient } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import { type Faults, networkFaults, processFaults } from "./faults.ts";
import {
  type History,
  type Incident,
  keyName,
  lastClient,
  type OpenedSession,
  type Operation,
  type Publication,
  type Violation,
} from "./history.ts";
import { runNemesis } from "./nemesis.ts";
import type { Observation } from "./observation.ts";
import { observe } from "./observe.ts";
import { watchCheckpoints } from "./observe-logs.ts";
import { swapWhileAccepting } from "./publications.ts";
import { createRandom, type Random } from "./random.ts";
import { createTenants } from "./tenants.ts";
import { type PlannedKey, planKeys, sessionsFor } from "./workload.ts";

export interface RunOptions {
  readonly seed: number;
  /** How long clients send; it takes longer when not every kind of fault has happened by then. */
  readonly seconds: number;
  readonly keys: number;
  /** Beside, texts that change every second are accepted so often; it takes longer when they were not by then. */
  readonly accepts: number;
  /** What goes wrong; everything that may go wrong with separate processes when absent. */
  readonly faults?: Faults;
}

export interface RunResult {
  readonly history: History;
  readonly observation: Observation;
  readonly violations: readonly Violation[];
}

const tenants = 2;
const clients = 16;
/** On average this many requests are sent under each key. */
const callers = 8;
/** Neighbouring keys that are in use at the same time. */
const window = 12;

/** Clients of new organizations and faults, then what came of it. */
export async function runAcceptHistory(cluster: Cluster, options: RunOptions): Promise<RunResult> {
  const { seed, keys } = options;
  const random = createRandom(seed);
  const events = await collectEvents(cluster.bus, "history");
  const [gateway = ""] = cluster.running.baseUrls;
  const made = await createTenants(cluster.admin, gateway, { tenants, sessions: sessionsFor(keys) });
  const planned = planKeys(random.fork(0), made, keys);
  const recorder = createRecorder();
  const checkpoints = watchCheckpoints(made, cluster.running.baseUrls, random.fork(1));
  try {
    const more: PlannedKey[] = [];
    const accepting = { gateways: cluster.running.baseUrls, tenants: made, ...recorder, ...options };
    const swap = () =>
      swapWhileAccepting({ ...accepting, random: random.fork(-1), planned: (key) => void more.push(key) });
    await useKeys({ ...options, cluster, random, recorder, planned, swap });
    planned.push(...more);
    await askAgain(cluster, recorder, planned);
    const { history } = recorder;
    const observation = await observe(cluster.inspectUrl, made, { events, checkpoints });
    return { history, observation, violations: await checkHistory(history, observation) };
  } finally {
    await checkpoints.stop();
    await events.stop();
  }
}

interface Run extends Pick<RunOptions, "seconds" | "faults"> {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly planned: readonly PlannedKey[];
  /** Ends when everything was accepted that is to be. */
  swap(): Promise<void>;
}

const allFaults: Faults = { process: processFaults, network: networkFaults };

async function useKeys({ cluster, random, recorder, planned, seconds, swap, faults = allFaults }: Run): Promise<void> {
  const { now } = recorder;
  const over = new AbortController();
  const swapping = Promise.all([swap(), delay(seconds * 1_000)]).finally(() => over.abort());
  const nemesis = runNemesis({
    cluster,
    faults,
    random: random.fork(2),
    now,
    record: recorder.incident,
    stop: over.signal,
  });
  // Clients go on until the last fault is over.
  const idle = new AbortController();
  const keysNow = (): readonly PlannedKey[] => {
    const newest = Math.min(planned.length, Math.ceil((now() / 1_000 / seconds) * planned.length) + 1);
    return planned.slice(Math.max(0, newest - window), newest);
  };
  const pauseMs = (clients * seconds * 1_000) / (planned.length * callers);
  const running = Array.from({ length: clients }, (_, n) =>
    runClient({
      name: `client ${n}`,
      random: random.fork(3 + n),
      gateways: cluster.running.baseUrls,
      keysNow,
      now,
      record: recorder.operation,
      stop: idle.signal,
      pauseMs,
    }),
  );
  try {
    await Promise.all([nemesis, swapping]);
  } finally {
    over.abort();
    idle.abort();
    await Promise.all(running);
  }
}

/** Sends every request of every key once more that may have been recorded: none may be recorded twice, none forgotten. */
async function askAgain(cluster: Cluster, recorder: Recorder, planned: readonly PlannedKey[]): Promise<void> {
  const possible = new Set(
    recorder.history.operations
      .filter(({ outcome }) => outcome.kind !== "refused" && outcome.kind !== "unsent")
      .map(keyName),
  );
  const left = planned.filter(({ tenant, key }) => possible.has(keyName({ ...tenant, key })));
  const ask = async (): Promise<void> => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) {
      for (const [n, request] of key.requests.entries()) {
        const gateway = cluster.running.baseUrls[n % cluster.running.baseUrls.length] ?? "";
        await askUntilAnswered(recorder, { gateway, key, request, timeoutMs: 10_000 });
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
}

const lastTries = 20;

async function askUntilAnswered(recorder: Recorder, call: Parameters<typeof perform>[1]): Promise<void> {
  const context = { name: lastClient, now: recorder.now, record: recorder.operation };
  for (let attempt = 0; attempt < lastTries; attempt += 1) {
    const { kind } = await perform(context, call);
    if (kind !== "unknown" && kind !== "unsent") return;
  }
}

interface Recorder {
  readonly history: History;
  now(): number;
  operation(operation: Operation): void;
  incident(incident: Incident): void;
  publication(publication: Publication): void;
  session(session: OpenedSession): void;
}

function createRecorder(): Recorder {
  const began = performance.now();
  const operations: Operation[] = [];
  const incidents: Incident[] = [];
  const publications: Publication[] = [];
  const sessions: OpenedSession[] = [];
  return {
    history: { operations, incidents, publications, sessions },
    now: () => performance.now() - began,
    operation: (operation) => operations.push(operation),
    incident: (incident) => incidents.push(incident),
    publication: (publication) => publications.push(publication),
    session: (session) => sessions.push(session),
  };
}
