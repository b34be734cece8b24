import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalJson } from "#platform/canonical-json.ts";
import { type Organization, startTemplates, type TemplatesHarness } from "./harness.ts";
import { checkInvariants } from "./lifecycle-invariants.ts";
import { applyToModel, type Operation, visible, type World } from "./lifecycle-model.ts";
import { type Names, observe, perform, settle, withNew } from "./lifecycle-system.ts";

/** Set MODEL_SEED to the seed of the test's name to run the same operations again. */
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));

let harness: TemplatesHarness;
let other: (orgId: string) => Organization;
beforeAll(async () => {
  harness = await startTemplates();
  other = (await harness.another()).organization;
});
afterAll(() => harness.stop());

const template = fc.nat({ max: 2 });
const version = fc.nat({ max: 2 });
const locale = fc.constantFrom("en", "de", "fr");
const text = fc.constantFrom("<p>One</p>", "<p>Two</p>");
const kind = <const K extends string>(name: K) => fc.constant(name);
const templates = fc.array(template, { minLength: 1, maxLength: 4 });

const minutes = fc.integer({ min: 1, max: 3 });

/** What somebody does. */
const act: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: kind("createTemplate") }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("createVersion"), template, locale, text }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("updateVersion"), template, version, locale, text }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("publish"), template, version, major: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("saveDraft"), template, version, text }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("discardDraft"), template, version }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("unpublish"), template, version }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("archiveVersion"), template, version }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("deploy"), template, version: fc.option(version) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("undeploy"), template }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("restore"), template }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("remove"), template }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("bulkArchive"), templates }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("bulkDuplicate"), templates }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: kind("schedule"), template, version, inMinutes: minutes, major: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind("cancelSchedule"), template, version }) },
);
const wait = fc.record({ kind: kind("wait"), minutes });
const operation = fc.oneof({ weight: 8, arbitrary: act }, { weight: 1, arbitrary: wait });

const start: readonly Operation[] = [
  { kind: "createTemplate" },
  { kind: "createTemplate" },
  { kind: "createVersion", template: 0, locale: "en", text: "<p>One</p>" },
  { kind: "createVersion", template: 1, locale: "en", text: "<p>One</p>" },
  { kind: "publish", template: 1, version: 0, major: true },
];

interface State {
  readonly world: World;
  readonly names: Names;
  /** When the time of the world began. */
  readonly since: Date;
}

/** Carries out operations one by one, each of which must do what the model does. */
async function follow(organization: Organization, state: State, operations: readonly Operation[]): Promise<State> {
  let { world, names } = state;
  const { since } = state;
  for (const step of operations) {
    const answer = await perform(organization, names, step, harness.clock);
    const expected = applyToModel(world, step);
    expect([step, answer.outcome]).toEqual([step, expected.outcome]);
    [world, names] = [expected.world, withNew(names, answer)];
  }
  expect(await observe(organization, names, since)).toEqual(visible(world));
  return { world, names, since };
}

/**
 * Carries out two operations at once over two processes, perhaps after a time for which something was scheduled that
 * nobody has looked at since. What comes of it must be what one after the other gives.
 */
async function followPair(
  organization: Organization,
  state: State,
  [waiting, ...pair]: readonly [Operation, Operation, Operation],
): Promise<State> {
  const { names, since } = state;
  await perform(organization, names, waiting, harness.clock);
  const begun = applyToModel(state.world, waiting).world;
  // Neither may name what the other makes.
  const [first, second] = [settle(names, pair[0]), settle(names, pair[1])];
  const [a, b] = await Promise.all([
    perform(organization, names, first, harness.clock),
    perform(other(organization.orgId), names, second, harness.clock),
  ]);
  const orders = [
    [
      { step: first, answer: a },
      { step: second, answer: b },
    ],
    [
      { step: second, answer: b },
      { step: first, answer: a },
    ],
  ];
  const explanations = [];
  for (const order of orders) {
    let world = begun;
    const expected = order.map(({ step }) => {
      const applied = applyToModel(world, step);
      world = applied.world;
      return applied.outcome;
    });
    const named = order.reduce((known, { answer }) => withNew(known, answer), names);
    const wanted = canonicalJson([expected, visible(world)]);
    const found = canonicalJson([order.map(({ answer }) => answer.outcome), await observe(organization, named, since)]);
    if (wanted === found) return { world, names: named, since };
    explanations.push({ order: order.map(({ step }) => step), wanted, found });
  }
  throw new Error(`no order explains what happened: ${JSON.stringify(explanations, null, 1)}`);
}

const empty = (): State => ({
  world: { templates: [], minute: 0 },
  names: { templates: [] },
  since: harness.clock.now(),
});

describe(`the life of templates and versions (MODEL_SEED=${seed})`, () => {
  test("follows the model through any sequence of operations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const organization = harness.organization();
        const { names } = await follow(organization, empty(), [...start, ...operations]);
        await checkInvariants(harness, organization, names);
      }),
      { seed, numRuns: 25 },
    );
  }, 120_000);

  test("two operations at once do what one after the other does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { maxLength: 6 }),
        fc.array(fc.tuple(fc.record({ kind: kind("wait"), minutes: fc.nat({ max: 2 }) }), act, act), {
          minLength: 1,
          maxLength: 8,
        }),
        async (operations, pairs) => {
          const organization = harness.organization();
          let state = await follow(organization, empty(), [...start, ...operations]);
          for (const pair of pairs) state = await followPair(organization, state, pair);
          await checkInvariants(harness, organization, state.names);
        },
      ),
      { seed, numRuns: 30 },
    );
  }, 180_000);
});
