import type pg from "pg";
import { withOrg } from "#platform/db/pool.ts";
import { createGatherer } from "#platform/gatherer.ts";
import { isOrdered } from "../domain/delivery.ts";
import { listSealedConnectSecrets, type SealedConnectSecret } from "../store/connect-secret-store.ts";
import { loadClaimed } from "../store/delivery-store.ts";
import { findWithSecrets } from "../store/endpoint-store.ts";
import type { Claimed } from "../store/queue-store.ts";
import { type LoadedStandard, loadManyClaimed } from "../store/sender-store.ts";

/** A delivery with what the database knows of its receiver. */
export interface Loaded extends LoadedStandard {
  /** Of the compatible interface. */
  readonly keys: readonly SealedConnectSecret[];
}

/** Undefined when the delivery belongs to another process by now, or is gone. */
export type Load = (claimed: Claimed) => Promise<Loaded | undefined>;

export interface LoadDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that sees what is claimed of all organizations. */
  readonly senderPool: pg.Pool;
}

const maxTogether = 100;

/** Loads deliveries that were claimed together. Those to receivers of the compatible interface need keys, too, and are rarer. */
export function createLoad({ pool, senderPool }: LoadDeps): Load {
  const together = createGatherer({
    maxItems: maxTogether,
    run: (claims: readonly Claimed[]) => loadManyClaimed(senderPool, claims),
  });
  return async (claimed) => {
    const loaded = await together.add(claimed);
    if (loaded === "none") return undefined;
    return loaded === "other" ? loadConnect(pool, claimed) : { ...loaded, keys: [] };
  };
}

const loadConnect = (pool: pg.Pool, claimed: Claimed): Promise<Loaded | undefined> =>
  withOrg(pool, claimed.orgId, async (tenant) => {
    const loaded = await loadClaimed(tenant, claimed);
    if (loaded === undefined) return undefined;
    const { endpointId } = loaded.delivery;
    const found = endpointId === undefined ? undefined : await findWithSecrets(tenant, endpointId);
    return {
      ...loaded,
      ...{ endpoint: found?.endpoint, secrets: found?.secrets },
      keys: isOrdered(loaded.delivery) ? await listSealedConnectSecrets(tenant) : [],
    };
  });
