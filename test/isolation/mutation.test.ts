import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { findStatements, type Mutation, mutationsOf, type Outcome, runAll, runTogether } from "./mutation-run.ts";
import { startTwoOrganizations, type TwoOrganizations } from "./two-organizations.ts";

/**
 * Pools whose roles look across organizations; whoever asks them looks once more at whose each row is. Those of
 * docgen-claimer, sign-claimer, webhooks-claimer and webhooks-sender do so too, but at what is due or being done: nothing
 * of the first organization, so they find none.
 */
const spanning: Readonly<Record<string, string>> = {
  "click-recorder": "One statement serves a batch of acceptances of many organizations.",
  "templates-resolver": "One statement resolves the templates of such a batch.",
  "webhooks-fan-out": "One statement finds the receivers of a batch of events of many organizations.",
};

const afterStart =
  "By the worker of campaigns, up to a second after one is started or deleted, which no answer waits for. The id of the campaign, which it names too, is no other organization's.";

/** Not sent whenever it is asked for, and why. */
const sentRarely: Readonly<Record<string, string>> = {
  "select terms_hash as hash, terms as text from click.template_terms":
    "Once in the life of a process: what it reads never changes and is remembered.",
  "click: update click.campaign set name =": afterStart,
  'click: select subject_index as "subjectIndex" from click.campaign_person where organization_id = $1 and campaign_id = $2 and state':
    afterStart,
  "click: with n as ( select * from unnest($3::bytea[], $4::text[], $5::uuid[]": afterStart,
  'click: select s.subject_index as "subjectIndex", a.organization_id':
    "Also by the worker of campaigns, beside requests that do not send it themselves.",
  "click: select mark from": afterStart,
  "update sign.view set session_expires_at = greatest(":
    "Once a minute at most, for a session that is used just then. The hash of its token, which it names too, is no other organization's.",
  "update docgen.document d set claimed_until = clock_timestamp()":
    "Every ten seconds, for what is being rendered just then. A claim, which it names too, is no other organization's.",
  "webhooks-claimer: update webhooks.delivery d set claimed_until":
    "Every two seconds, for what is being delivered just then. A claim, which it names too, is no other organization's.",
};

const isRare = (title: string): boolean => Object.keys(sentRarely).some((text) => title.includes(text));

let product: TwoOrganizations;
let mutations: Mutation[];
let outcomes: Outcome[];

beforeAll(async () => {
  product = await startTwoOrganizations();
  const asked = await findStatements(product, product.questions);
  mutations = asked.flatMap(mutationsOf);
  outcomes = await runAll({ ...product, isRare }, mutations);
}, 600_000);
afterAll(async () => {
  await product?.stop();
});

const titlesOf = (list: readonly Outcome[]): string[] => list.map(({ mutation }) => mutation.title);

describe("the product with one predicate less", () => {
  test("every statement that names an organization was tried, and sent by the product itself", () => {
    expect(mutations.length).toBeGreaterThan(220);
    expect(mutations.filter(({ pool }) => pool === "sign").length).toBeGreaterThan(40);
    expect(mutations.filter(({ pool }) => pool === "webhooks").length).toBeGreaterThan(30);
    const unsent = titlesOf(outcomes.filter(({ sent }) => sent === 0));
    expect(unsent.filter((title) => !isRare(title))).toEqual([]);
  });

  test("each of them is one that Postgres understands", () => {
    expect(
      outcomes.flatMap(({ refused, mutation }) => (refused.length > 0 ? [[mutation.title, refused]] : [])),
    ).toEqual([]);
  });

  test("still tells an organization nothing of another one", () => {
    expect(
      outcomes.flatMap(({ problems, mutation }) => (problems.length > 0 ? [[mutation.title, problems]] : [])),
    ).toEqual([]);
  });

  test("still changes nothing of another organization", () => {
    const changed = outcomes.filter(({ changedForeign }) => changedForeign.length > 0);
    expect(changed.map(({ mutation, changedForeign }) => [mutation.title, changedForeign])).toEqual([]);
  });

  test("finds rows of another organization as no role but those that look across them", () => {
    const found = outcomes.filter(({ foundForeign }) => foundForeign);
    expect(titlesOf(found.filter(({ mutation }) => !(mutation.pool in spanning)))).toEqual([]);
    expect([...new Set(found.map(({ mutation }) => mutation.pool))].sort()).toEqual(Object.keys(spanning).sort());
  });
});

describe("without row-level security", () => {
  // Statements that write are left out: without the lock they could spoil what the others look for.
  const writes = /\b(insert|update|delete)\b/i;

  test("the same finds what is another organization's, so that it would be seen above", async () => {
    const { rows } = await product.superuser.query<{ name: string }>(
      "select oid::regclass::text as name from pg_class where relkind = 'r' and relrowsecurity",
    );
    for (const { name } of rows) await product.superuser.query(`alter table ${name} disable row level security`);
    const reading = mutations
      .filter(({ shape }) => !writes.test(shape))
      .map((mutation) => ({ ...mutation, questions: mutation.sentBy.filter(({ safe }) => safe) }))
      .filter(({ questions }) => questions.length > 0);
    const { statements, traces, fingerprint } = product;
    const results = await runTogether({ statements, traces, fingerprint }, reading);
    const pools = new Set(results.filter(({ foundForeign }) => foundForeign).map(({ mutation }) => mutation.pool));
    const seen = results.filter(({ foundForeign, problems }) => foundForeign || problems.length > 0);
    expect([...pools]).toEqual(expect.arrayContaining(["auth", "click", "sign", "templates", "webhooks"]));
    // Each is tried with one predicate less, not with all: another one in the statement may still hold.
    expect(seen.length).toBeGreaterThan(30);
    expect(results.filter(({ problems }) => problems.length > 0).length).toBeGreaterThan(20);
  }, 180_000);
});
