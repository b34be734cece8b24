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
  readonly shape: string;
  to(text: string): string;
}

/** Looks at the statements of all database connections of this process, and can change one of them on its way. */
export interface Statements {
  /** From now on every statement and what it found comes here. */
  listen(listener: (found: Found) => void): void;
  /** From now on statements of this shape are sent as other ones. Undefined: all are sent as they are. */
  rewrite(change: Change | undefined): void;
  /** How often the rewritten statement was sent, and how often Postgres refused it, since it was asked for. */
  readonly rewritten: { sent: number; refused: string[] };
  restore(): void;
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
interface Config {
  readonly text: string;
  readonly name?: string;
}

export function watchStatements(): Statements {
  const listeners: ((found: Found) => void)[] = [];
  let change: Change | undefined;
  let changes = 0;
  let rewritten = { sent: 0, refused: [] as string[] };

  const replaced = (config: Config): Config => {
    if (change === undefined || shapeOf(config.text) !== change.shape) return config;
    rewritten.sent += 1;
    // A connection refuses a prepared statement whose text is not that of its name.
    const name = config.name === undefined ? {} : { name: `${config.name}-${changes}` };
    return { ...config, text: change.to(config.text), ...name };
  };
  const wrap = (original: Query): Query =>
    function query(this: pg.Client, first: unknown, ...rest: unknown[]) {
      const config = configOf(first);
      if (config === undefined) return Reflect.apply(original, this, [first, ...rest]);
      const sent = replaced(config);
      const counter = rewritten;
      const done: Done = (result, error) => {
        if (sent !== config && isMalformed(error)) counter.refused.push(String(error));
        const { text } = config;
        for (const listener of listeners)
          listener({ text, shape: shapeOf(text), pool: poolOf(this), rows: textOf(result) });
      };
      const changed = sent === config ? first : withText(first, sent);
      return observed((args) => Reflect.apply(original, this, [changed, ...args]), rest, done);
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
    rewrite: (wish) => {
      change = wish;
      changes += 1;
      rewritten = { sent: 0, refused: [] };
    },
    get rewritten() {
      return rewritten;
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
