import { createRequire } from "node:module";
import pg from "pg";

/** A statement as it is sent. */
export interface Sent {
  readonly text: string;
  /** Equal for statements that differ in nothing but the values that MikroORM writes into them. */
  readonly shape: string;
  /** The pool that sent it, which says as which role. */
  readonly pool: string;
}

/** What a statement found, as one text to look for ids in. */
export interface Found extends Sent {
  readonly rows: string;
}

export interface Change {
  readonly pool: string;
  readonly shape: string;
  to(text: string): string;
}

/** How often a changed statement was sent, and why Postgres refused it, since the change was asked for. */
export interface Rewritten {
  sent: number;
  readonly refused: string[];
}

/** Looks at the statements of all database connections of this process, and can change some of them on their way. */
export interface Statements {
  /** From now on every statement and what it found comes here. */
  listen(listener: (found: Found) => void): void;
  /** From now on these statements are sent as other ones, and all others as they are. What comes of each, in order. */
  rewrite(changes: readonly Change[]): readonly Rewritten[];
  restore(): void;
}

export const statementKey = ({ pool, shape }: Pick<Sent, "pool" | "shape">): string => `${pool} ${shape}`;

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
interface Config {
  readonly text: string;
  readonly name?: string;
}

export function watchStatements(): Statements {
  const listeners: ((found: Found) => void)[] = [];
  let changed: ReadonlyMap<string, Change & { readonly rewritten: Rewritten }> = new Map();
  let rounds = 0;

  const replaced = (config: Config, change: Change | undefined): Config => {
    if (change === undefined) return config;
    // A connection refuses a prepared statement whose text is not that of its name.
    const name = config.name === undefined ? {} : { name: `${config.name}-${rounds}` };
    return { ...config, text: change.to(config.text), ...name };
  };
  const wrap = (original: Query): Query =>
    function query(this: pg.Client, first: unknown, ...rest: unknown[]) {
      const config = configOf(first);
      if (config === undefined) return Reflect.apply(original, this, [first, ...rest]);
      const { text } = config;
      const statement = { text, shape: shapeOf(text), pool: poolOf(this) };
      const change = changed.get(statementKey(statement));
      const sent = replaced(config, change);
      if (change !== undefined) change.rewritten.sent += 1;
      const done: Done = (result, error) => {
        if (isMalformed(error)) change?.rewritten.refused.push(String(error));
        for (const listener of listeners) listener({ ...statement, rows: textOf(result) });
      };
      const given = sent === config ? first : withText(first, sent);
      return observed((args) => Reflect.apply(original, this, [given, ...args]), rest, done);
    };
  const restores = clientClasses().map((client) => {
    const original = client.prototype.query as unknown as Query;
    client.prototype.query = wrap(original) as unknown as typeof client.prototype.query;
    return () => {
      client.prototype.query = original as unknown as typeof client.prototype.query;
    };
  });
  return {
    listen: (listener) => {
      listeners.splice(0, listeners.length, listener);
    },
    rewrite: (changes) => {
      const counted = changes.map((change) => ({ ...change, rewritten: { sent: 0, refused: [] } as Rewritten }));
      changed = new Map(counted.map((change) => [statementKey(change), change]));
      rounds += 1;
      return counted.map(({ rewritten }) => rewritten);
    },
    restore: () => {
      for (const restore of restores) restore();
    },
  };
}

/** The drivers of the services' own SQL and of MikroORM, which may be two copies of one package. */
function clientClasses(): readonly (typeof pg.Client)[] {
  const ofMikroOrm = createRequire(createRequire(import.meta.url).resolve("@mikro-orm/postgresql"));
  const other = ofMikroOrm("pg") as typeof pg;
  return [...new Set([pg.Client, other.Client])];
}

/** Undefined for what is no text, such as a cursor. */
function configOf(first: unknown): Config | undefined {
  if (typeof first === "string") return { text: first };
  return typeof first === "object" && first !== null && "text" in first && !("submit" in first)
    ? (first as Config)
    : undefined;
}

const withText = (first: unknown, sent: Config): unknown => (typeof first === "string" ? sent.text : sent);

const poolOf = (client: pg.Client): string =>
  (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters
    .application_name ?? "";

type Done = (result: unknown, error?: unknown) => void;

/** A pool that sends a statement by itself passes a callback, everybody else takes the promise. */
function observed(send: (args: readonly unknown[]) => unknown, args: readonly unknown[], done: Done): unknown {
  const callback = args.at(-1);
  if (typeof callback === "function") {
    const listening = (error: unknown, result: unknown): unknown => {
      done(result, error);
      return callback(error, result);
    };
    return send([...args.slice(0, -1), listening]);
  }
  const result = send(args);
  if (!(result instanceof Promise)) return result;
  return result.then(
    (value: unknown) => {
      done(value);
      return value;
    },
    (error: unknown) => {
      done(undefined, error);
      throw error;
    },
  );
}

/** MikroORM writes values into its statements; lists of them have any length. */
const shapeOf = (text: string): string =>
  text
    .replaceAll(/'(?:[^']|'')*'/g, "'…'")
    .replaceAll(/'…'(?:, '…')+/g, "'…'")
    .replaceAll(/(?<==\s)\d+\b/g, "0");

const textOf = (result: unknown): string =>
  JSON.stringify((result as { rows?: unknown } | undefined)?.rows ?? [], (_key, value) =>
    value?.type === "Buffer" && Array.isArray(value.data) ? Buffer.from(value.data).toString("latin1") : value,
  );

/** SQLSTATE class 42: the statement itself is wrong, other than for a missing privilege. */
const isMalformed = (error: unknown): boolean => {
  const code = String((error as { code?: unknown } | undefined)?.code);
  return code.startsWith("42") && code !== "42501";
};
