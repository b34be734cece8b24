import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import type { ClickService, EvidenceKey, ListEvidenceKeysResponse } from "#gen/assent/click/v1/click_pb.ts";
import type { Logger } from "#platform/logger.ts";
import { verifierKey } from "#platform/transparency/signed-note.ts";
import { isoTime } from "../views/scalars.ts";

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

/** A public key of evidence as a JWK (RFC 8037), with when its signatures are good. */
export interface EvidenceJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly purpose: string;
  /** Seconds since 1970. */
  readonly nbf: number;
  /** Like nbf; absent while no successor is made. */
  readonly exp?: number;
  /** ISO 8601; nothing that it signed from then on is to be trusted. */
  readonly revokedAt?: string;
}

/** What everybody needs to verify evidence. */
export interface PublishedKeys {
  /** Of receipts and render tokens. */
  readonly keys: readonly EvidenceJwk[];
  /** Of logs. */
  readonly logKeys: readonly EvidenceJwk[];
  /** PEM; empty when none are configured. */
  readonly tsaCertificates: readonly string[];
  /** C2SP signed-note verifier keys of the anchor log, and of the log of an organization when one is named. */
  verifierKeys(organizationId?: string): readonly string[];
  /** The highest epoch that any log has. */
  readonly highestEpoch: number;
}

/** An epoch of a log that was opened because the database lacked what the log had signed. */
export interface PublishedEpoch {
  readonly logId: string;
  readonly epoch: number;
  readonly origin: string;
  readonly firstIndex: number;
  readonly treeSize: number;
  readonly missing: { readonly from: number; readonly to: number };
  readonly formerCheckpoint: string;
  readonly openedAt: string;
}

const publishedEpochs = ({ epochs }: Pick<ListEvidenceKeysResponse, "epochs">): PublishedEpoch[] =>
  epochs.map(({ logId, epoch, origin, firstIndex, treeSize, missingFrom, missingTo, formerCheckpoint, openedAt }) => ({
    ...{ logId, epoch, origin, firstIndex: Number(firstIndex), treeSize: Number(treeSize) },
    missing: { from: Number(missingFrom), to: Number(missingTo) },
    ...{ formerCheckpoint, openedAt: isoTime(openedAt) ?? "" },
  }));

/** The keys of any log follow from one answer, so that nobody can make us ask again by naming many logs. */
function publishedKeys(response: ListEvidenceKeysResponse): PublishedKeys {
  const { keys, verifierKeys, logName, tsaCertificates, highestEpoch, epochNumbers = [] } = response;
  // The release before does not list them.
  const numbers = epochNumbers.length > 0 ? epochNumbers : upTo(highestEpoch);
  const later = numbers.filter((epoch) => epoch > 1).map((epoch) => `/e${epoch}`);
  const [logKeys, otherKeys] = [keys.filter(isLogKey), keys.filter((key) => !isLogKey(key))];
  const keysOf = (origin: string) => logKeys.map(({ publicKey }) => verifierKey(origin, publicKey));
  return {
    keys: otherKeys.map(evidenceJwk),
    logKeys: logKeys.map(evidenceJwk),
    tsaCertificates,
    highestEpoch,
    verifierKeys: (organizationId) => [
      ...verifierKeys,
      ...(organizationId === undefined
        ? []
        : ["", ...later].flatMap((epoch) => keysOf(`${logName}/${organizationId.toLowerCase()}${epoch}`))),
    ],
  };
}

const upTo = (highest: number): number[] => Array.from({ length: highest }, (_, n) => n + 1);

const isLogKey = ({ purpose }: EvidenceKey): boolean => purpose === "log";

function evidenceJwk({ kid, purpose, publicKey, notBefore, notAfter, revokedAt }: EvidenceKey): EvidenceJwk {
  const revoked = isoTime(revokedAt);
  return {
    kty: "OKP",
    crv: "Ed25519",
    x: Buffer.from(publicKey).toString("base64url"),
    kid,
    alg: "EdDSA",
    use: "sig",
    purpose,
    nbf: Math.floor(secondsOf(notBefore) ?? 0),
    ...(notAfter === undefined ? {} : { exp: Math.ceil(secondsOf(notAfter) ?? 0) }),
    ...(revoked === null ? {} : { revokedAt: revoked }),
  };
}

const secondsOf = (time: Timestamp | undefined): number | undefined =>
  time === undefined ? undefined : timestampMs(time) / 1000;
