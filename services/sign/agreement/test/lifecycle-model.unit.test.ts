import { randomInt } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DomainError } from "#platform/errors.ts";
import { noMatches } from "../../create/place-tabs.ts";
import { type Corrections, correctAgreement } from "../../edit/corrections.ts";
import { voidAgreement } from "../../send/end-agreement.ts";
import { openAgreement } from "../../send/open.ts";
import { sendAgreement } from "../../send/send.ts";
import { remindAgreement } from "../../send/send-agreement.ts";
import { declineAgreement, giveConsent } from "../../signing/ceremony.ts";
import { finishAgreement } from "../../signing/finish.ts";
import { resumePaused } from "../../workflow/resume.ts";
import type { Agreement } from "../agreement.ts";
import { type Change, noChange, thenChange } from "../change.ts";
import { agreementTransitions, recipientTransitions } from "../transitions.ts";
import { workflowOf } from "../workflow.ts";
import { expectedStatus, newReference, type Person, type Reference, type Step, take } from "./lifecycle-reference.ts";
import { recipientOf, sampleContext, sampleDraft, sampleId, sampleRecipient, signedWith } from "./lifecycle-samples.ts";

/** Set MODEL_SEED to the seed of the test's name to run the same steps again. */
const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));

const context = sampleContext();

interface System {
  agreement: Agreement;
  /** The recipientIds by the places of the reference, where those who were removed keep theirs. */
  readonly ids: string[];
  readonly completions: string[];
  readonly signed: string[];
}

const nothing: Corrections = {
  ...{ reason: "", texts: {}, notification: {}, removeRecipientIds: [], recipients: [], tabs: [] },
};

/** What a correction says; a new person gets an id that nobody had. */
function correctionOf(step: Step, ids: readonly string[]): Corrections | undefined {
  const recipientId = "person" in step ? (ids[step.person] ?? "") : String(ids.length + 1);
  const person = { name: "Somebody else", email: `${sampleId()}@example.com`, tabs: [] };
  switch (step.kind) {
    case "remove":
      return { ...nothing, removeRecipientIds: [recipientId] };
    case "replace":
      return { ...nothing, recipients: [{ recipientId, ...person }] };
    case "reorder":
      return { ...nothing, recipients: [{ recipientId, routingOrder: step.order, tabs: [] }] };
    case "add":
      return {
        ...nothing,
        recipients: [{ recipientId, ...person, role: step.added.role, routingOrder: step.added.order }],
      };
    default:
      return undefined;
  }
}

function decide(agreement: Agreement, step: Step, ids: readonly string[]): Change {
  const correction = correctionOf(step, ids);
  if (correction !== undefined) return correctAgreement(agreement, correction, noMatches, context).change;
  switch (step.kind) {
    case "send":
      return sendAgreement(agreement, noMatches, context);
    case "void":
      return voidAgreement(agreement, { reason: "Mistake" }, context);
    case "remind":
      return remindAgreement(agreement, context);
    case "resume":
      return resumePaused(agreement, context);
    case "open":
    case "finish":
    case "decline":
      return act(agreement, step.kind, recipientOf(agreement, ids[step.person] ?? "").id);
    default:
      throw new Error(`${step.kind} is a correction`);
  }
}

function act(agreement: Agreement, kind: "open" | "finish" | "decline", id: string): Change {
  if (kind === "open") return openAgreement(agreement, id, context);
  if (kind === "decline") return declineAgreement(agreement, id, { reason: "No" }, context);
  const isAsked = agreement.recipients.some((one) => one.id === id && one.role !== "certified-delivery");
  const shown = { sha256: Buffer.alloc(32), locale: "en" };
  const consented = isAsked ? giveConsent(agreement, id, shown, context) : noChange(agreement);
  return thenChange(consented, (next) => finishAgreement(next, id, signedWith(), context));
}

/** The code of the error when the step is refused, which changes nothing. */
function perform(system: System, step: Step): string {
  const before = system.agreement;
  try {
    const change = decide(before, step, system.ids);
    if (step.kind === "add") system.ids.push(String(system.ids.length + 1));
    checkTransitions(before, change.agreement);
    system.agreement = change.agreement;
    for (const { kind, key } of change.jobs) if (kind === "completion") system.completions.push(key);
    for (const { kind, ...event } of change.events) {
      if (kind === "recipient.completed" && "recipientId" in event) system.signed.push(event.recipientId);
    }
    return "ok";
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** Several transitions may be made at once, so what counts is whether a way leads there. */
function checkTransitions(before: Agreement, after: Agreement): void {
  expect(reachable(agreementTransitions, before.status)).toContain(after.status);
  for (const recipient of after.recipients) {
    const earlier = before.recipients.find(({ id }) => id === recipient.id);
    expect(reachable(recipientTransitions, earlier?.status ?? "created")).toContain(recipient.status);
  }
}

function reachable<S extends string>(table: { readonly [From in S]: readonly S[] }, from: S): readonly S[] {
  const found = new Set([from]);
  for (const one of found) for (const to of table[one]) found.add(to);
  return [...found];
}

const command = (step: Step): fc.Command<Reference, System> => ({
  check: ({ people, removed }) => !("person" in step) || (step.person < people.length && !removed.has(step.person)),
  run(reference, system) {
    expect(perform(system, step)).toBe(take(reference, step));
    const { agreement } = system;
    expect(agreement.status).toBe(reference.status);
    expect(waitOf(agreement)).toBe(reference.waitsFor);
    const left = reference.people.flatMap((_, index) => (reference.removed.has(index) ? [] : [index]));
    expect(left.map((index) => recipientOf(agreement, system.ids[index] ?? "").status)).toEqual(
      left.map((index) => expectedStatus(reference, index)),
    );
    expect(agreement.recipients).toHaveLength(left.length);
    expect(system.completions).toHaveLength(reference.completions);
    expect(new Set(system.signed).size).toBe(system.signed.length);
  },
  toString: () => JSON.stringify(step),
});

/** What an agreement waits for besides people, as the reference says it. */
function waitOf(agreement: Agreement): Reference["waitsFor"] {
  const { reason, beforeRoutingOrder } = agreement.workflow?.paused ?? {};
  return reason === "scheduled" ? "schedule" : beforeRoutingOrder;
}

const person: fc.Arbitrary<Person> = fc.record({
  role: fc.constantFrom("signer", "signer", "approver", "carbon-copy", "certified-delivery"),
  order: fc.integer({ min: 1, max: 3 }),
});

const place = fc.nat({ max: 4 });
const steps: fc.Arbitrary<fc.Command<Reference, System>>[] = [
  fc.constant(command({ kind: "send" })),
  fc.constant(command({ kind: "remind" })),
  place.map((who) => command({ kind: "open", person: who })),
  place.map((who) => command({ kind: "finish", person: who })),
  place.map((who) => command({ kind: "finish", person: who })),
];
const endings: fc.Arbitrary<fc.Command<Reference, System>>[] = [
  fc.constant(command({ kind: "void" })),
  place.map((who) => command({ kind: "decline", person: who })),
];

const resumption = fc.constant(command({ kind: "resume" }));
const atOnce: Plan = { scheduled: false, pauses: [] };
const waiting: fc.Arbitrary<Plan> = fc.record({
  scheduled: fc.boolean(),
  pauses: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
});

const corrections: fc.Arbitrary<fc.Command<Reference, System>>[] = [
  place.map((who) => command({ kind: "replace", person: who })),
  place.map((who) => command({ kind: "remove", person: who })),
  fc
    .tuple(place, fc.integer({ min: 1, max: 4 }))
    .map(([who, order]) => command({ kind: "reorder", person: who, order })),
  person.map((added) => command({ kind: "add", added })),
];

interface Plan {
  readonly scheduled: boolean;
  readonly pauses: readonly number[];
}

const draftOf = (people: readonly Person[], { scheduled, pauses }: Plan): Agreement =>
  sampleDraft(
    people.map(({ role, order }, index) => sampleRecipient(String(index + 1), { role, routingOrder: order })),
    {
      workflow: workflowOf(
        scheduled ? { at: null, delaySeconds: 3_600 } : null,
        pauses.map((beforeRoutingOrder) => ({ beforeRoutingOrder, at: null, delaySeconds: null })),
      ),
    },
  );

/** No pause is behind everybody, which would be refused. */
const planFor = (people: readonly Person[], { scheduled, pauses }: Plan): Plan => ({
  scheduled,
  pauses: pauses.filter((pause) => people.some(({ order }) => order >= pause)),
});

const systemOf = (agreement: Agreement): System => ({
  ...{ agreement, completions: [], signed: [], ids: agreement.recipients.map(({ recipientId }) => recipientId) },
});

describe("agreements do what the reference does", () => {
  test.each<[string, typeof steps, string[], fc.Arbitrary<Plan>?]>([
    ["when everybody goes on", steps, ["completing"]],
    ["when they are corrected", [...steps, ...corrections], ["completing"]],
    ["when somebody ends them", [...steps, ...endings], ["completing", "declined", "voided"]],
    ["when they wait and go on", [...steps, resumption], ["completing"], waiting],
    ["when they wait and are corrected", [...steps, resumption, ...corrections], ["completing"], waiting],
    ["when they wait and somebody ends them", [...steps, resumption, ...endings], ["declined", "voided"], waiting],
    ["when they are corrected and ended", [...steps, ...corrections, ...endings], ["declined", "voided"]],
  ])(`%s (seed ${seed})`, (_when, arbitraries, ends, plans = fc.constant(atOnce)) => {
    const reached = new Set<string>();
    const people = fc.array(person, { minLength: 1, maxLength: 5 });
    const commands = fc.commands(arbitraries, { maxCommands: 40, size: "max" });
    const property = fc.property(people, plans, commands, (who, planned, sequence) => {
      const plan = planFor(who, planned);
      const start = { model: newReference(who, plan), real: systemOf(draftOf(who, plan)) };
      // Most sequences would spend their first steps on drafts.
      fc.modelRun(() => start, [command({ kind: "send" }), ...sequence]);
      reached.add(start.real.agreement.status);
    });
    fc.assert(property, { seed, numRuns: 300 });
    expect([...reached]).toEqual(expect.arrayContaining(ends));
  });
});
