import { create } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { type ReportUseRequest, ReportUseRequestSchema, type TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";

/** Notes a request of an organization: for how long it was served, and whether it was one too many. */
export type NoteUse = (organizationId: string, ms: number, isRefused: boolean) => void;

export interface UseReporter {
  readonly note: NoteUse;
  /** Tells the auth service what was noted, and once more when it stops. A crash loses what was not told. */
  readonly worker: Worker;
  /** Tells it now. */
  report(): Promise<void>;
}

export interface UseReporterDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "reportUse">;
  readonly newId: NewId;
  readonly monotonic: () => number;
  readonly logger: Logger;
}

const everyMs = 15_000;
/** More than call between two reports; requests of further ones are not counted rather than memory filled. */
const maxOrganizations = 20_000;

interface Counted {
  requests: number;
  refused: number;
}

/** Counts the requests of organizations, so that operators see who calls how often, and who keeps the gateways busy now. */
export function createUseReporter({ tokens, newId, monotonic, logger }: UseReporterDeps): UseReporter {
  const gatewayId = newId();
  const sketch = createLoadSketch(monotonic);
  let counted = new Map<string, Counted>();
  let sequence = 0n;
  /** Repeated as it is until it was taken, so that it counts once. */
  let pending: ReportUseRequest | undefined;

  const report = async (): Promise<void> => {
    // Taken at any rate: what a report that is late would say of the load is no longer so.
    const load = sketch.take();
    if (pending === undefined) {
      if (counted.size === 0) return;
      sequence += 1n;
      const requests = [...counted].map(([organizationId, counts]) => ({ organizationId, ...counts }));
      pending = create(ReportUseRequestSchema, { gatewayId, sequence, requests, load });
      counted = new Map();
    }
    try {
      await tokens.reportUse(pending, { timeoutMs: 5_000 });
      pending = undefined;
    } catch (error) {
      // The auth service of the release before takes none; another one will.
      if (ConnectError.from(error).code === Code.Unimplemented) return;
      if (!isOutage(error)) pending = undefined;
      throw error;
    }
  };

  const periodic = createPeriodicWorker({ name: "gateway-use", everyMs, logger, run: report });
  return {
    note: (organizationId, ms, isRefused) => {
      sketch.note(organizationId, ms);
      const counts = counted.get(organizationId) ?? { requests: 0, refused: 0 };
      if (counts.requests === 0 && counted.size >= maxOrganizations) return;
      counts.requests += 1;
      if (isRefused) counts.refused += 1;
      counted.set(organizationId, counts);
    },
    report,
    worker: {
      ...periodic,
      stop: async () => {
        await periodic.stop();
        await report().catch((error: unknown) => logger.warn({ err: error }, "the last requests are not reported"));
      },
    },
  };
}

/** A counter of a sketch. */
interface Counter {
  /** At most. */
  readonly busyMs: number;
  /** How much of the count may belong to organizations that had the counter before. */
  readonly errorMs: number;
}

/** What was noted in some time. */
export interface NotedLoad {
  readonly spanMs: number;
  /** At most this, of whoever has no counter. */
  readonly othersMs: number;
  readonly organizations: (Counter & { readonly organizationId: string })[];
}

/** Which organizations keep this process busy: as many counters as it was made with, however many organizations call. */
export interface LoadSketch {
  /** A request was served for so long. */
  note(organizationId: string, ms: number): void;
  /** What was noted since the last time. */
  take(): NotedLoad;
}

/**
 * Space-saving: whoever has no counter takes over the smallest, with what is in it as the error. So the counters together
 * are all that was noted, none has less than its organization had, and nobody without one had more than the smallest.
 */
export function createLoadSketch(monotonic: () => number, most = 200): LoadSketch {
  let counters = new Map<string, Counter>();
  let begunAt = monotonic();
  let isFull = false;

  const smallest = (): [string, Counter] => {
    let found: [string, Counter] = ["", { busyMs: Number.POSITIVE_INFINITY, errorMs: 0 }];
    for (const entry of counters) {
      if (entry[1].busyMs < found[1].busyMs) found = entry;
    }
    return found;
  };

  return {
    note: (organizationId, ms) => {
      const known = counters.get(organizationId);
      if (known !== undefined) {
        counters.set(organizationId, { busyMs: known.busyMs + ms, errorMs: known.errorMs });
        return;
      }
      if (counters.size < most) {
        counters.set(organizationId, { busyMs: ms, errorMs: 0 });
        return;
      }
      isFull = true;
      const [former, { busyMs }] = smallest();
      counters.delete(former);
      counters.set(organizationId, { busyMs: busyMs + ms, errorMs: busyMs });
    },
    take: () => {
      const now = monotonic();
      const taken = {
        spanMs: Math.max(1, Math.round(now - begunAt)),
        othersMs: isFull ? smallest()[1].busyMs : 0,
        organizations: [...counters].map(([organizationId, counter]) => ({ organizationId, ...counter })),
      };
      counters = new Map();
      begunAt = now;
      isFull = false;
      return taken;
    },
  };
}
