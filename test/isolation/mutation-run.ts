import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { until } from "#platform/testing/until.ts";
import { ending } from "./places.ts";
import { organizationPredicates, without } from "./predicates.ts";
import type { Question } from "./questions.ts";
import { type Sent, type Statements, statementKey } from "./statements.ts";

/** A statement without one of its predicates, and what makes the product send it. */
export interface Mutation {
  readonly title: string;
  readonly pool: string;
  readonly shape: string;
  /** The statement without the predicate, whatever values are written into it. */
  to(text: string): string;
  readonly questions: readonly Question[];
  /** All that made the product send it, of which `questions` are enough to try it. */
  readonly sentBy: readonly Question[];
}

/** What came of one mutation. */
export interface Outcome {
  readonly mutation: Mutation;
  /** How often the changed statement was sent. */
  readonly sent: number;
  /** Why Postgres would not have it at all. */
  readonly refused: readonly string[];
  /** Whether the database handed out something of the other organization. */
  readonly foundForeign: boolean;
  /** What the caller could tell from its answers. */
  readonly problems: readonly string[];
  /** Tables in which something of the other organization is not as it was. */
  readonly changedForeign: readonly string[];
}

export interface Bench {
  readonly statements: Statements;
  /** Everything that gives away the other organization. */
  readonly traces: readonly string[];
  /** A digest of everything that the other organization has. */
  fingerprint(): Promise<ReadonlyMap<string, string>>;
  /** Creates one of everything, for statements that nothing else made the product send. */
  readonly create?: () => Promise<string[]>;
  /** How long what nobody asks for is waited for; a minute when absent. */
  readonly patienceMs?: number;
  /** Whether the product may not send it at all while anybody waits. */
  readonly isRare?: (title: string) => boolean;
}

/** Questions that lead to one statement differ in little else: so many of each kind are asked again. */
const asksOfAKind = { foreign: 6, read: 2 } as const;

/** What no request waits for: these look after all organizations at once. */
const background = /-(relay|sweeper|remover|integrator|janitor)$/;

interface Asked extends Sent {
  readonly questions: readonly Question[];
}

/** What each question made the product send. What it sent in the background meanwhile is found with any of them. */
export async function findStatements({ statements }: Bench, questions: readonly Question[]): Promise<Asked[]> {
  const found = new Map<string, Asked>();
  const asks = await inParallel(questions, async (question) => ({ question, ask: await question.prepare() }));
  for (const { question, ask } of asks) {
    for (const [key, sent] of await sentBy(statements, ask)) {
      found.set(key, { ...sent, questions: [...(found.get(key)?.questions ?? []), question] });
    }
  }
  return [...found.values()];
}

async function sentBy(statements: Statements, ask: () => Promise<unknown>): Promise<ReadonlyMap<string, Sent>> {
  const sent = new Map<string, Sent>();
  statements.listen((found) => {
    if (!background.test(found.pool)) sent.set(statementKey(found), found);
  });
  await ask();
  statements.listen(() => undefined);
  return sent;
}

/** Runs `work` for all items, a few at a time. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  const run = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: 6 }, run));
  return results;
}

/** One for each predicate of a statement. */
export const mutationsOf = (asked: Asked): Mutation[] =>
  organizationPredicates(asked.text).map((predicate, index) => ({
    title: `${asked.pool}: ${asked.shape.replaceAll(/\s+/g, " ").trim().slice(0, 160)} | ${index + 1}. ${predicate.text}`,
    pool: asked.pool,
    shape: asked.shape,
    to: (text) => {
      const same = organizationPredicates(text)[index];
      if (same === undefined) throw new Error(`no predicate ${index + 1} in ${text}`);
      return without(text, same);
    },
    questions: chosen(asked.questions),
    sentBy: asked.questions,
  }));

const chosen = (questions: readonly Question[]): Question[] => {
  const of = (kind: Question["kind"]) => questions.filter((question) => question.kind === kind);
  const cheap = [...spread(of("foreign"), asksOfAKind.foreign), ...spread(of("read"), asksOfAKind.read)];
  // Most changes can be made once and need data of their own.
  return cheap.length > 0 ? cheap : of("change").slice(0, 1);
};

/** The first and what lies evenly after it. */
const spread = <T>(items: readonly T[], count: number): T[] =>
  items.filter(
    (_, index) => Math.floor((index * count) / items.length) > Math.floor(((index - 1) * count) / items.length),
  );

/** What the other organization had before a round, and has after it. */
type Fingerprint = ReadonlyMap<string, string>;

/**
 * Tries all: in rounds in which no two are about one statement. A predicate less finds more rows and never fewer, so one
 * hides nothing that another gives away, but where a statement is not sent any more, and that is counted for each. After
 * a round that did anything wrong each of its mutations is tried alone, and only that counts: two at once may ask for
 * what is not there, and fail.
 */
export async function runAll(bench: Bench, list: readonly Mutation[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let before = await bench.fingerprint();
  for (const round of roundsOf(list)) {
    const [together, after] = await runRound(bench, round, before);
    before = after;
    if (together.every(isHarmless)) {
      outcomes.push(...together);
      continue;
    }
    const alone: Outcome[] = [];
    for (const mutation of round) {
      const [found, then] = await runRound({ ...bench, patienceMs: alonePatienceMs }, [mutation], before);
      alone.push(...found);
      before = then;
    }
    outcomes.push(...alone.map((one, n) => ({ ...one, sent: one.sent + (together[n]?.sent ?? 0) })));
  }
  return outcomes;
}

/** Whatever was sent with others counts already, and a round has dozens. */
const alonePatienceMs = 5_000;

const isHarmless = ({ problems, changedForeign }: Outcome): boolean =>
  problems.length === 0 && changedForeign.length === 0;

/** What comes of each in its round, whatever it is. */
export async function runTogether(bench: Bench, list: readonly Mutation[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const round of roundsOf(list)) outcomes.push(...(await runRound(bench, round))[0]);
  return outcomes;
}

function roundsOf(list: readonly Mutation[]): Mutation[][] {
  const rounds: Mutation[][] = [];
  const tried = new Map<string, number>();
  for (const mutation of list) {
    const round = tried.get(statementKey(mutation)) ?? 0;
    tried.set(statementKey(mutation), round + 1);
    rounds[round] = [...(rounds[round] ?? []), mutation];
  }
  return rounds;
}

/** What came of each mutation of a round, and what the other organization has now. */
async function runRound(
  bench: Bench,
  round: readonly Mutation[],
  before?: Fingerprint,
): Promise<readonly [Outcome[], Fingerprint]> {
  const { statements, traces } = bench;
  // Questions need the product as it is to prepare themselves.
  const questions = [...new Set(round.flatMap((mutation) => mutation.questions))];
  const asks = new Map(await inParallel(questions, async (question) => [question, await question.prepare()] as const));
  const problemsOf = new Map<Question, string[]>(questions.map((question) => [question, []]));
  const askAll = async (list: Iterable<Question>, pauseMs: number): Promise<void> => {
    for (const question of list) {
      await delay(pauseMs);
      const problems = await attempt(asks.get(question) as () => Promise<string[]>);
      problemsOf.get(question)?.push(...problems.map((problem) => `${question.title}: ${problem}`));
    }
  };
  const foundForeign = new Set<string>();
  const changes = new Set(round.map(statementKey));
  statements.listen((found) => {
    const key = statementKey(found);
    if (changes.has(key) && traces.some((trace) => found.rows.includes(trace))) foundForeign.add(key);
  });
  const rewritten = statements.rewrite(round);
  const unsent = (): Mutation[] => round.filter((_, n) => rewritten[n]?.sent === 0);
  await askAll(questions, 0);
  // Answers of the templates service hold for a moment, in which it is not asked again.
  await askAll(new Set(unsent().flatMap((mutation) => mutation.questions.filter(isAskedAgain))), answerMs);
  const later = await sendLater(bench, unsent);
  statements.rewrite([]);
  statements.listen(() => undefined);
  const after = await bench.fingerprint();
  const changedForeign = [...after].filter(([table, digest]) => before?.get(table) !== digest).map(([table]) => table);
  const outcomes = round.map((mutation, n): Outcome => {
    const { sent = 0, refused = [] } = rewritten[n] ?? {};
    const problems = [...mutation.questions.flatMap((question) => problemsOf.get(question) ?? []), ...later];
    return {
      ...{ mutation, sent, refused, problems, changedForeign },
      foundForeign: foundForeign.has(statementKey(mutation)),
    };
  });
  return [outcomes, after];
}

const answerMs = 30;

/** What was deleted is not there a second time. */
const isAskedAgain = ({ kind, title }: Question): boolean => kind !== "change" || !ending.test(title);

/** Consumers of events, and what is done once for each text, come after everything was created. */
async function sendLater(
  { create, isRare, patienceMs = 60_000 }: Bench,
  unsent: () => readonly Mutation[],
): Promise<string[]> {
  if (create === undefined || unsent().length === 0) return [];
  const problems = await attempt(create);
  await until(() => unsent().every(({ title }) => isRare?.(title) === true), patienceMs).catch(() => undefined);
  return problems;
}

const attempt = (ask: () => Promise<string[]>): Promise<string[]> => ask().catch((error: unknown) => [String(error)]);

/**
 * A digest of every row of an organization, but for what is written without it: anchoring its log, sending its events,
 * noting that its credentials were used, how often, and whose turn it is to have documents rendered or events sent.
 */
export async function fingerprintOf(superuser: Pool, organizationId: string): Promise<Bench["fingerprint"]> {
  const { rows } = await superuser.query<{ name: string }>(
    `select a.attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'organization_id' and c.relkind = 'r' and c.relname not in ('anchor', 'outbox', 'turn', 'queue', 'request_day') order by 1`,
  );
  const digests = rows.map(
    ({ name }) => `select '${name}' as name, md5(coalesce(string_agg(r, ',' order by r), '')) as digest from (
       select (to_jsonb(t) - array['anchored_size', 'last_used_at'])::text as r from ${name} t where organization_id = $1) rows`,
  );
  const sql = digests.join(" union all ");
  return async () => {
    const found = await superuser.query<{ name: string; digest: string }>(sql, [organizationId]);
    return new Map(found.rows.map((row) => [row.name, row.digest]));
  };
}
