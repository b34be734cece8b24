/** Stands in a planned request for a value that only an earlier answer can tell. */
export class Pick {
  readonly name: string;
  /** Which one, of as many as there will be. */
  readonly at: number;
  /** Whether it should belong to what the rest of the request is about. */
  readonly isRelated: boolean;
  /** When there is none yet. */
  readonly otherwise: unknown;

  constructor(name: string, at: number, isRelated: boolean, otherwise: unknown) {
    this.name = name;
    this.at = at;
    this.isRelated = isRelated;
    this.otherwise = otherwise;
  }
}

/** What the answers of a run have named so far. */
export interface Pool {
  /** Remembers what an answer to a request at this address says. */
  learn(path: string, body: unknown, headers?: Headers): void;
  /** Things that were told together, and as many as possible of these: a version with its template, say. */
  topic(path: string, at: number, wanted: readonly Pick[]): Topic;
  /** For a request to this address. */
  pick(path: string, pick: Pick, topic: Topic): unknown;
}

export type Topic = ReadonlyMap<string, unknown>;

const keptPerName = 40;
const keptTopics = 300;
const longestText = 5_000;

export function createPool(): Pool {
  const values = new Map<string, unknown[]>();
  const topics: Map<string, unknown>[] = [];

  const keep = (name: string, value: unknown): void => {
    const known = values.get(name) ?? [];
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > keptPerName) known.shift();
    values.set(name, known);
  };

  const learnObject = (scope: string, kind: string, object: object, around: Topic): void => {
    const topic = new Map(around);
    for (const [key, value] of Object.entries(object)) {
      if (!isWorthKeeping(value)) continue;
      for (const name of namesOf(kind, key).map((known) => scope + known)) {
        keep(name, value);
        topic.set(name, value);
      }
    }
    for (const [key, value] of Object.entries(object)) if (!isSchema(key)) learn(scope, singular(key), value, topic);
    topics.push(topic);
    if (topics.length > keptTopics) topics.shift();
  };

  const learn = (scope: string, kind: string, value: unknown, around: Topic): void => {
    if (Array.isArray(value)) for (const item of value.slice(0, 5)) learn(scope, kind, item, around);
    else if (typeof value === "object" && value !== null) learnObject(scope, kind, value, around);
  };

  return {
    learn: (path, body, headers) => {
      const etag = headers?.get("etag");
      if (etag) keep("etag", etag);
      learn(scopeAt(path), kindAt(path), body, new Map());
    },
    topic: (path, at, wanted) => {
      const names = wanted.map(({ name }) => scopedAliases(path, name).flat());
      const has = (topic: Topic): number => names.filter((of) => of.some((name) => topic.has(name))).length;
      const candidates = topics.map((_topic, n) => topics.at(-1 - ((at + n) % topics.length)));
      return candidates.reduce<Topic>(
        (best, topic) => (has(topic ?? best) > has(best) ? (topic ?? best) : best),
        new Map(),
      );
    },
    pick: (path, { name, at, isRelated, otherwise }, topic) => {
      if (isToCome(name)) return isRelated ? new Date(Date.now() + (at % soonMs)).toISOString() : otherwise;
      const groups = scopedAliases(path, name);
      const related = groups.flat().find((alias) => topic.has(alias));
      if (isRelated && related !== undefined) return topic.get(related);
      const known = groups.map((names) => names.flatMap((alias) => values.get(alias) ?? []));
      const nearest = known.find((found) => found.length > 0);
      return nearest === undefined ? otherwise : nearest[at % nearest.length];
    },
  };
}

/** A time by which something is to happen: one that comes during the run, or else nothing would ever. */
export const isToCome = (name: string): boolean => name === "publishAt";

const soonMs = 3_000;

/** Schemas describe what does not exist. */
const isSchema = (key: string): boolean => key.endsWith("Schema");

function isWorthKeeping(value: unknown): boolean {
  if (typeof value === "string") return value.length > 0 && value.length <= longestText;
  if (typeof value === "number") return true;
  return typeof value === "object" && value !== null && JSON.stringify(value).length <= longestText;
}

/** The `id` of a template is a templateId wherever else it is named. */
function namesOf(kind: string, key: string): string[] {
  const isShort = ["id", "slug", "key"].includes(key);
  return isShort && kind !== "" ? [`${kind}${key[0]?.toUpperCase()}${key.slice(1)}`] : [key];
}

/** Templates, documents and fields of signing are no others: what is told of them is kept under names of their own. */
const scopeAt = (path: string): string => (/^\/(v1\/sign|restapi|signing)\b/.test(path) ? "signing " : "");

/** The names of this part of the product, and those of all others for want of them. */
function scopedAliases(path: string, name: string): readonly (readonly string[])[] {
  const aliases = aliasesOf(name);
  const scope = scopeAt(path);
  return scope === "" ? [aliases] : [aliases.map((alias) => scope + alias), aliases];
}

/** By what other names an answer may have told what a request calls so. */
function aliasesOf(name: string): string[] {
  const either = /^(\w+)IdOrSlug$/.exec(name)?.[1];
  if (either !== undefined) return [`${either}Id`, `${either}Slug`];
  return [name, ...(otherNames[name.toLowerCase()] ?? [])];
}

const otherNames: Readonly<Record<string, readonly string[]>> = {
  log: ["organizationId"],
  token: ["renderToken"],
  cursor: ["nextCursor"],
  slug: ["templateSlug"],
  "if-match": ["etag"],
  "if-none-match": ["etag"],
  "x-idempotency-key": ["idempotencyKey"],
  index: ["leafIndex"],
  size: ["treeSize"],
  receipt: ["receipts"],
  accountid: ["organizationId"],
  userid: ["organizationId"],
  envelopeid: ["agreementId"],
  bulksendlistid: ["listId"],
  bulksendbatchid: ["batchId"],
};

/** What a collection is of: the last name in an address that is no parameter and no verb after one. */
export function kindAt(path: string): string {
  const names = path.split("/").filter((part) => /^[a-z-]+s$/.test(part));
  return singular(names.at(-1) ?? "");
}

const singular = (name: string): string => name.replace(/s$/, "");
