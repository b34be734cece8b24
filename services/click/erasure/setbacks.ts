import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { EventBus } from "#platform/events/bus.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { askRelay, identityOf, numberOf, readState, setbackOf } from "#platform/outbox/epochs.ts";

/** Those in whose databases holds and periods are. */
export type Holder = "click" | "templates" | "sign";

/** The last time that the database of a service, or NATS, went back in time. */
export interface Setback {
  readonly service: string;
  /** Of its events, which began then. */
  readonly epoch: string;
  readonly foundAt: Date;
  /** Null until an operator has confirmed it. */
  readonly confirmedAt: Date | null;
  readonly confirmedBy: string | null;
}

/**
 * Whether databases went back in time, by what the stream of events knows: also where no log lacks anything, where there is no
 * witness, and on servers that only one service has. A database of before may have forgotten holds and longer periods.
 */
export interface Setbacks {
  /**
   * Whether nothing speaks against deleting what these decide about: each has compared its database with the stream within
   * the last half minute, and an operator has confirmed whatever was found. False while one of them does not answer. Rejects
   * while the click service's own database is away.
   */
  areConfirmed(holders: readonly Holder[]): Promise<boolean>;
  /** Looks before it answers, for as long as it may take. */
  list(): Promise<Setback[]>;
  /** Resolves with how many of those that were found nobody had confirmed. */
  confirm(operator: string): Promise<number>;
}

export interface SetbacksDeps {
  readonly bus: Pick<EventBus, "newestMark" | "nudge">;
  /** Connects as the relay. */
  readonly relayPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const schema = "click";
const holders: readonly Holder[] = ["click", "templates", "sign"];
const askMs = 2_000;
/** How long a good answer holds. */
const freshMs = 30_000;

/** As a row of relay_state has it: epochs. */
interface Noted {
  readonly found: string;
  readonly foundAt: string;
  readonly confirmed?: string;
  readonly confirmedAt?: string;
  readonly confirmedBy?: string;
}

const rowOf = (service: string): string => `setback ${service}`;

export function createSetbacks(deps: SetbacksDeps): Setbacks {
  const { bus, relayPool, clock, logger, metrics } = deps;
  const goodSince = new Map<Holder, number>();
  const asking = new Map<Holder, Promise<boolean>>();
  const told = new Set<string>();

  /** The epoch of the last setback; "none" before there was any event, undefined while nobody can tell. */
  const findLast = async (holder: Holder): Promise<string | undefined> => {
    if (bus.newestMark !== undefined && bus.nudge !== undefined) {
      const { newestMark, nudge } = bus;
      const mark = await askRelay({ newestMark, nudge }, holder, askMs).catch((error: unknown) => {
        logger.debug({ err: error, holder }, "nothing is deleted for its time while NATS is away");
        return undefined;
      });
      return mark && setbackOf(mark.epoch);
    }
    // Everything is in one process and in one database, whose relay looks at it when it starts.
    const [epoch, known] = await Promise.all([
      readState(relayPool, schema, "epoch"),
      readState(relayPool, schema, "database"),
    ]);
    if (epoch === undefined) return "none";
    const identity = await identityOf(relayPool);
    const isSame = known === undefined || known === "" || identity === "" || known === identity;
    return isSame ? setbackOf(epoch) : undefined;
  };
  const note = async (holder: Holder, epoch: string): Promise<boolean> => {
    const noted = await readState(relayPool, schema, rowOf(holder));
    const known: Partial<Noted> = noted === undefined ? {} : JSON.parse(noted);
    if (known.found === epoch) return known.confirmed === epoch;
    const found: Noted = { found: epoch, foundAt: clock.now().toISOString() };
    // The first epoch of a database that nothing else is known of follows no setback.
    const isFirst = noted === undefined && numberOf(epoch) === 1;
    await relayPool.query(
      `insert into click.relay_state as s (name, store_id) values ($1, $2)
       on conflict (name) do update set store_id = (s.store_id::jsonb || $3::jsonb)::text`,
      [rowOf(holder), JSON.stringify(isFirst ? { ...found, confirmed: epoch } : found), JSON.stringify(found)],
    );
    return isFirst || known.confirmed === epoch;
  };
  const ask = async (holder: Holder): Promise<boolean> => {
    const epoch = await findLast(holder);
    if (epoch === undefined) return false;
    const isConfirmed = epoch === "none" || (await note(holder, epoch));
    metrics.setbackUnconfirmed.set({ service: holder }, isConfirmed ? 0 : 1);
    if (isConfirmed) goodSince.set(holder, performance.now());
    else if (!told.has(epoch)) {
      told.add(epoch);
      logger.warn(
        { holder, epoch },
        "a database or NATS went back in time: nothing is deleted for its time until an operator confirms that (docs/operations.md, EventsBeganAnew)",
      );
    }
    return isConfirmed;
  };
  const askOnce = (holder: Holder): Promise<boolean> => {
    const running = asking.get(holder) ?? ask(holder).finally(() => asking.delete(holder));
    asking.set(holder, running);
    return running;
  };
  const known = bus.newestMark === undefined ? (["click"] as const) : holders;
  const look = () => Promise.all(known.map(askOnce));
  return {
    areConfirmed: async (wanted) => {
      const isGood = (holder: Holder) => performance.now() - (goodSince.get(holder) ?? -Infinity) < freshMs;
      const open = known.filter((holder) => wanted.includes(holder) && !isGood(holder));
      return (await Promise.all(open.map(askOnce))).every(Boolean);
    },
    list: async () => {
      await look();
      const { rows } = await relayPool.query<{ name: string; value: string }>(
        `select name, store_id as value from click.relay_state where name = any($1) order by name`,
        [holders.map(rowOf)],
      );
      return rows.map(({ name, value }) => setbackOfRow(name, JSON.parse(value))).filter(isWorthTelling);
    },
    confirm: async (operator) => {
      await look();
      goodSince.clear();
      const { rowCount } = await relayPool.query(
        `update click.relay_state set store_id = (store_id::jsonb ||
           jsonb_build_object('confirmed', store_id::jsonb ->> 'found', 'confirmedAt', $2::text, 'confirmedBy', $3::text))::text
         where name = any($1) and store_id::jsonb ->> 'found' is distinct from store_id::jsonb ->> 'confirmed'`,
        [holders.map(rowOf), clock.now().toISOString(), operator],
      );
      return rowCount ?? 0;
    },
  };
}

const setbackOfRow = (name: string, { found, foundAt, confirmed, confirmedAt, confirmedBy }: Noted): Setback => {
  const isConfirmed = confirmed === found;
  return {
    ...{ service: name.slice(rowOf("").length), epoch: found, foundAt: new Date(foundAt) },
    confirmedAt: isConfirmed ? new Date(confirmedAt ?? foundAt) : null,
    confirmedBy: isConfirmed ? (confirmedBy ?? null) : null,
  };
};

/** First epochs that nobody had to confirm tell nothing. */
const isWorthTelling = ({ confirmedAt, confirmedBy }: Setback): boolean => confirmedAt === null || confirmedBy !== null;
