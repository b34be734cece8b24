import { readFileSync } from "node:fs";

/** An environment variable: its type, its meaning and its default. */
export interface Setting<T> {
  readonly kind: "string" | "integer" | "boolean" | "list" | "url";
  /** What the setting does and what an invalid value causes; shown in docs/configuration.md. */
  readonly doc: string;
  /** The default; undefined makes the variable required. */
  readonly fallback: T | undefined;
  readonly secret: boolean;
  /** Whether the file that `NAME_FILE` names may come later; until then the setting is unset. */
  readonly fileMayBeMissing?: boolean;
  parse(text: string): T;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type SettingValues<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Environment = Readonly<Record<string, string | undefined>>;

/** All problems of the environment at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((p) => `  - ${p}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** A text. For secrets, the variable's name plus `_FILE` may name a file instead. */
export const stringSetting = (doc: string, fallback?: string, options: { secret?: boolean } = {}): Setting<string> => ({
  kind: "string",
  doc,
  fallback,
  secret: options.secret ?? false,
  parse: (text) => text,
});

/** A secret text; see stringSetting. */
export const secretSetting = (doc: string, fallback?: string): Setting<string> =>
  stringSetting(doc, fallback, { secret: true });

export const integerSetting = (
  doc: string,
  fallback?: number,
  range: { min?: number; max?: number } = {},
): Setting<number> => ({
  kind: "integer",
  doc,
  fallback,
  secret: false,
  parse: (text) => {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = range;
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  },
});

export const booleanSetting = (doc: string, fallback?: boolean): Setting<boolean> => ({
  kind: "boolean",
  doc,
  fallback,
  secret: false,
  parse: (text) => {
    if (text !== "true" && text !== "false") throw new Error("must be true or false");
    return text === "true";
  },
});

/** A comma-separated list; spaces around items are dropped. */
export const listSetting = (doc: string, fallback?: readonly string[]): Setting<readonly string[]> => ({
  kind: "list",
  doc,
  fallback,
  secret: false,
  parse: (text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
});

export const urlSetting = (doc: string, fallback?: string, options: { secret?: boolean } = {}): Setting<string> => ({
  kind: "url",
  doc,
  fallback,
  secret: options.secret ?? false,
  parse: (text) => {
    if (!URL.canParse(text)) throw new Error("must be an absolute URL");
    return text;
  },
});

/**
 * Reads settings from the environment. An empty variable or file counts as unset; for every NAME, NAME_FILE may name a
 * file with the value. Throws a ConfigError that lists all problems, but never the values.
 */
export function readSettings<const S extends Settings>(settings: S, env: Environment): SettingValues<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const text = readText(name, env, setting.fileMayBeMissing);
      if (text !== undefined && text !== "") values[name] = setting.parse(text);
      else if (setting.fallback !== undefined) values[name] = setting.fallback;
      else problems.push(`${name} is required: ${setting.doc}`);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as SettingValues<S>;
}

/** A secret that may be another one each time it is asked for. */
export type FreshText = string | (() => string);

export const textNow = (text: FreshText): string => (typeof text === "function" ? text() : text);

/**
 * What a secret is now, of which `first` has been read. When it stands in a file, the file is read again each time, since it
 * may be replaced while the process runs; as long as it is away, empty or unusable, what it said before holds.
 */
export function freshText(
  name: string,
  env: Environment,
  { parse, first }: { readonly parse: (text: string) => string; readonly first: string },
): FreshText {
  if (env[name] || !env[`${name}_FILE`]) return first;
  let text = first;
  return () => {
    try {
      text = parse(readText(name, env) || text);
    } catch {
      // It is just being written.
    }
    return text;
  };
}

function readText(name: string, env: Environment, mayBeMissing = false): string | undefined {
  const direct = env[name];
  if (direct !== undefined && direct !== "") return direct;
  const file = env[`${name}_FILE`];
  if (file === undefined || file === "") return undefined;
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (mayBeMissing && Object(error).code === "ENOENT") return undefined;
    throw new Error(`cannot be read from the file that ${name}_FILE names`);
  }
}
