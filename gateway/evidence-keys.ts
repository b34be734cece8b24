import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import type { Logger } from "#platform/logger.ts";
import { type PublishedEpoch, type PublishedKeys, publishedEpochs, publishedKeys } from "../views/evidence-keys.ts";

/** The public keys for verifying evidence, available to everybody. */
export interface EvidenceKeys {
  /**
   * At most a few seconds old; the last known ones while the click service is unreachable. Rejects when they
   * were never loaded.
   */
  read(): Promise<PublishedKeys>;
  /** The epochs of a log and of the anchor log after their first; at most a minute old. */
  epochs(logId: string | undefined): Promise<readonly PublishedEpoch[]>;
}

export interface EvidenceKeysDeps {
  readonly click: Pick<Client<typeof ClickService>, "listEvidenceKeys">;
  readonly monotonic: () => number;
  readonly logger: Logger;
}

/** The minimum time between requests to the click service, however many clients ask. */
const freshMs = 5_000;
const answerMs = 2_000;
/** Only restored installations have epochs to ask for. */
const epochsMs = 60_000;
const rememberedLogs = 10_000;

export function createEvidenceKeys({ click, monotonic, logger }: EvidenceKeysDeps): EvidenceKeys {
  let loaded: PublishedKeys | undefined;
  let failure: unknown;
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      loaded = publishedKeys(await click.listEvidenceKeys({}, { timeoutMs: answerMs }));
      failure = undefined;
    } catch (error) {
      failure = error;
      logger.warn({ err: error }, "the keys of evidence could not be read; the last ones are kept");
    } finally {
      triedAt = monotonic();
      loading = undefined;
    }
  };
  const read = async (): Promise<PublishedKeys> => {
    if (monotonic() - triedAt > freshMs) loading ??= load();
    // During an outage, answer from the cache at once.
    if (loaded === undefined || failure === undefined) await loading;
    if (loaded === undefined) throw failure;
    return loaded;
  };
  const remembered = new LRUCache<string, readonly PublishedEpoch[]>({ max: rememberedLogs, ttl: epochsMs });
  return {
    read,
    epochs: async (logId) => {
      if ((await read()).highestEpoch <= 1) return [];
      const name = logId?.toLowerCase() ?? "";
      const known = remembered.get(name);
      if (known !== undefined) return known;
      const request = logId === undefined ? {} : { logId };
      const epochs = publishedEpochs(await click.listEvidenceKeys(request, { timeoutMs: answerMs }));
      remembered.set(name, epochs);
      return epochs;
    },
  };
}
