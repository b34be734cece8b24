import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { fromConnectError } from "#platform/errors.ts";
import { orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, type ClickInstance, rows, startClick } from "../../test/harness.ts";
import { sweepNow } from "../../test/sweeping.ts";
import { consentActions } from "./consent-actions.ts";
import { brokenHistories, strayConsents } from "./consent-checks.ts";
import {
  applyChange,
  type ConsentModel,
  emptyModel,
  expiresAfterHours,
  type ModelChange,
  type ModelStep,
  modelPurposes,
  shown,
  steps,
} from "./consent-model.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addConsent, read, update, acceptConsent } = consentActions(() => click);

const addTemplate = (): FakeTemplate =>
  addConsent(
    modelPurposes.map((key) => ({ key, expiresAfterDays: (expiresAfterHours[key] ?? 0) / 24 })),
    { policyFlags: { allowDecline: true } },
  );

async function perform(template: FakeTemplate, change: ModelChange, instance: ClickInstance): Promise<string> {
  try {
    if (change.kind === "accept") await acceptConsent(template, change.decisions, {}, instance);
    else if (change.kind === "decline") await acceptConsent(template, {}, { decision: "DECLINE" }, instance);
    else await update(orgOf(template), change.decisions, { withdrawAll: change.withdrawAll }, instance);
    return "ok";
  } catch (error) {
    return fromConnectError(error)?.code ?? String(error);
  }
}

const readShown = async (template: FakeTemplate, at?: Date) => {
  const moment = at === undefined ? {} : { at: timestampFromDate(at) };
  const state = await read(orgOf(template), { includeHistory: true, ...moment });
  const isExpiry = ({ type }: { type: string }) => type === "EXPIRED";
  return {
    revision: Number(state.revision),
    consents: state.consents.map(({ purpose, status, valid }) => ({ purpose, status, valid })),
    recorded: state.history.filter((entry) => !isExpiry(entry)).map(({ type, purpose }) => `${type} ${purpose}`),
    expired: state.history
      .filter(isExpiry)
      .map(({ purpose }) => purpose)
      .sort(),
  };
};

/** Performs the step and says how the model may look afterwards: one way, or one for each order of what came at once. */
async function take(template: FakeTemplate, step: ModelStep, model: ConsentModel): Promise<ConsentModel[]> {
  if (step.kind === "wait") {
    click.clock.advance(step.hours * 3600);
    return [{ ...model, hour: model.hour + step.hours }];
  }
  if (step.kind === "sweep") {
    await sweepNow(click);
    return [model];
  }
  const changes = step.kind === "both" ? step.changes : [step];
  const outcomes = await Promise.all(
    changes.map((change, index) => perform(template, change, index === 0 ? click : other)),
  );
  const orders =
    changes.length === 1
      ? [[0]]
      : [
          [0, 1],
          [1, 0],
        ];
  return orders.flatMap((order) => {
    let next = model;
    const isPossible = order.every((index) => {
      const applied = applyChange(next, changes[index] as ModelChange);
      next = applied.model;
      return applied.outcome === outcomes[index];
    });
    return isPossible ? [next] : [];
  });
}

describe("consent", () => {
  test("follows the model through any sequence of changes, two at once among them, now and at any time in the past", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const template = addTemplate();
        let model = emptyModel;
        const past: { readonly at: Date; readonly expected: ReturnType<typeof shown> }[] = [];
        for (const step of sequence) {
          const possible = await take(template, step, model);
          const actual = await readShown(template);
          const match = possible.find((one) => JSON.stringify(shown(one)) === JSON.stringify(actual));
          expect(match === undefined ? { actual, possible: possible.map(shown) } : actual).toEqual(actual);
          model = match ?? model;
          past.push({ at: click.clock.now(), expected: shown(model) });
          // What comes next comes at another time.
          click.clock.advance(1);
        }
        for (const { at, expected } of past) expect(await readShown(template, at)).toEqual(expected);
        await sweepNow(click);
        expect(await expiredEvents(template)).toEqual(shown(model).expired);
      }),
      { numRuns: 40 },
    );
    expect(await strayConsents(click)).toEqual([]);
    expect(await brokenHistories(click)).toEqual([]);
  }, 120_000);
});

const expiredEvents = async (template: FakeTemplate) => {
  const found = await rows<{ purpose: string }>(
    click,
    `select data::json #>> '{consentExpired,purpose}' as purpose from click.outbox
     where organization_id = $1 and subject = 'assent.click.consent.expired'`,
    [template.organizationId],
  );
  return found.map(({ purpose }) => purpose).sort();
};
