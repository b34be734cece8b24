import type { AgreementStatus, RecipientRole, RecipientStatus } from "../agreement.ts";

/** What can be done to an agreement; people are named by their place. */
export type Step =
  | { readonly kind: "send" | "void" | "remind" | "resume" }
  | { readonly kind: "open" | "finish" | "decline"; readonly person: number }
  /** Corrections: somebody else in their place, nobody, another order, or one person more. */
  | { readonly kind: "replace"; readonly person: number }
  | { readonly kind: "remove"; readonly person: number }
  | { readonly kind: "reorder"; readonly person: number; readonly order: number }
  | { readonly kind: "add"; readonly added: Person };

export interface Person {
  readonly role: RecipientRole;
  readonly order: number;
}

/** How far an agreement is, told by what people have done and by nothing else. */
export interface Reference {
  /** Those who were removed keep their places. */
  readonly people: Person[];
  readonly removed: Set<number>;
  /** The highest order that has begun; 0 before the agreement is sent. */
  reached: number;
  status: AgreementStatus;
  readonly opened: Set<number>;
  readonly done: Set<number>;
  declined: number | undefined;
  /** What has been asked of the sealing. */
  completions: number;
  /** Whether it was sent for later; nobody is asked while it waits for that. */
  scheduled: boolean;
  /** The orders before which it pauses. */
  readonly pauses: Set<number>;
  waitsFor: "schedule" | number | undefined;
}

export const newReference = (
  people: readonly Person[],
  { scheduled = false, pauses = [] }: { readonly scheduled?: boolean; readonly pauses?: readonly number[] } = {},
): Reference => ({
  ...{ scheduled, pauses: new Set(pauses), waitsFor: undefined },
  people: [...people],
  removed: new Set(),
  reached: 0,
  status: "created",
  opened: new Set(),
  done: new Set(),
  declined: undefined,
  completions: 0,
});

/** Does a step; the code of the error when it is refused. */
export function take(reference: Reference, step: Step): string {
  switch (step.kind) {
    case "send":
      return send(reference);
    case "void":
      if (!isOpen(reference)) return "INVALID_ENVELOPE_STATUS";
      reference.status = "voided";
      return "ok";
    case "remind":
      return isOpen(reference) ? "ok" : "INVALID_ENVELOPE_STATUS";
    case "resume":
      return resume(reference);
    case "open":
      return open(reference, step.person);
    case "replace":
    case "remove":
    case "reorder":
      return correct(reference, step);
    case "add":
      return add(reference, step.added);
    default:
      return act(reference, step.kind, step.person);
  }
}

/** What a recipient's status has to be. */
export function expectedStatus(reference: Reference, person: number): RecipientStatus {
  if (reference.declined === person) return "declined";
  if (hasFinished(reference, person)) return "completed";
  if (!hasBegun(reference, person)) return "created";
  return reference.opened.has(person) ? "delivered" : "sent";
}

const isOpen = ({ status }: Reference): boolean => status === "sent" || status === "delivered";

const acts = ({ role }: Person): boolean => role !== "carbon-copy";

const isWanted = ({ people, done, removed }: Reference, index: number): boolean => {
  const person = people[index];
  return person !== undefined && acts(person) && !done.has(index) && !removed.has(index);
};

/** Begins what nobody waits for any more, up to the next pause. */
function advance(reference: Reference): void {
  const { people, reached, pauses, removed } = reference;
  if (reference.waitsFor === "schedule") return;
  const isLeft = (index: number) => !removed.has(index) && !hasFinished(reference, index);
  const waiting = people.flatMap(({ order }, index) => (isLeft(index) ? [order] : []));
  if (waiting.some((order) => order <= reached)) return;
  if (waiting.length > 0) {
    const next = Math.min(...waiting);
    const pause = Math.min(...[...pauses].filter((order) => order <= next));
    if (pause <= next) {
      reference.waitsFor = pause;
      return;
    }
    reference.reached = next;
    advance(reference);
    return;
  }
  reference.reached = Number.POSITIVE_INFINITY;
  reference.status = "completing";
  reference.completions += 1;
}

const hasBegun = ({ people, reached }: Reference, person: number): boolean =>
  reached >= (people[person]?.order ?? Number.POSITIVE_INFINITY);

const hasFinished = (reference: Reference, person: number): boolean =>
  reference.done.has(person) || (hasBegun(reference, person) && reference.people[person]?.role === "carbon-copy");

/** Once everybody whose turn it is has opened it. */
function deliver(reference: Reference): void {
  const { people, opened } = reference;
  const acting = [...people.keys()].filter((index) => isWanted(reference, index) && hasBegun(reference, index));
  if (reference.status === "sent" && acting.length > 0 && acting.every((index) => opened.has(index))) {
    reference.status = "delivered";
  }
}

function correct(
  reference: Reference,
  step: Extract<Step, { readonly kind: "replace" | "remove" | "reorder" }>,
): string {
  if (!isOpen(reference)) return "INVALID_ENVELOPE_STATUS";
  const { person } = step;
  if (hasFinished(reference, person)) return "RECIPIENT_ALREADY_SIGNED";
  const { people, opened, removed } = reference;
  if (step.kind === "remove") {
    if (!people.some((one, index) => index !== person && acts(one) && !removed.has(index)))
      return "RECIPIENTS_REQUIRED";
    removed.add(person);
  } else if (step.kind === "replace") opened.delete(person);
  else {
    if (step.order > reference.reached) opened.delete(person);
    people[person] = { role: people[person]?.role ?? "signer", order: step.order };
  }
  advance(reference);
  deliver(reference);
  return "ok";
}

function add(reference: Reference, added: Person): string {
  if (!isOpen(reference)) return "INVALID_ENVELOPE_STATUS";
  reference.people.push(added);
  advance(reference);
  deliver(reference);
  return "ok";
}

function send(reference: Reference): string {
  if (reference.status !== "created") {
    return ["declined", "voided"].includes(reference.status) ? "INVALID_ENVELOPE_STATUS" : "ENVELOPE_ALREADY_SENT";
  }
  if (!reference.people.some(acts)) return "RECIPIENTS_REQUIRED";
  reference.status = "sent";
  if (reference.scheduled) reference.waitsFor = "schedule";
  advance(reference);
  return "ok";
}

function resume(reference: Reference): string {
  const { waitsFor } = reference;
  if (!isOpen(reference) || waitsFor === undefined) return "INVALID_ENVELOPE_STATUS";
  if (waitsFor !== "schedule") reference.pauses.delete(waitsFor);
  reference.waitsFor = undefined;
  advance(reference);
  return "ok";
}

function open(reference: Reference, person: number): string {
  if (reference.status === "completing") return "ok";
  if (!isOpen(reference)) return "INVALID_ENVELOPE_STATUS";
  if (!hasBegun(reference, person)) return "RECIPIENT_NOT_IN_SEQUENCE";
  const { people, opened } = reference;
  if (hasFinished(reference, person)) return "ok";
  opened.add(person);
  deliver(reference);
  if (people[person]?.role === "certified-delivery") finish(reference, person);
  return "ok";
}

function act(reference: Reference, kind: "finish" | "decline", person: number): string {
  if (expectedStatus(reference, person) === "completed") {
    const hasLooked = kind === "finish" && reference.people[person]?.role === "certified-delivery";
    return hasLooked ? "ok" : "RECIPIENT_ALREADY_SIGNED";
  }
  if (!isOpen(reference)) return "INVALID_ENVELOPE_STATUS";
  if (!hasBegun(reference, person)) return "RECIPIENT_NOT_IN_SEQUENCE";
  if (kind === "decline") {
    reference.declined = person;
    reference.status = "declined";
    return "ok";
  }
  if (!reference.opened.has(person)) return "DOCUMENTS_NOT_OPENED";
  finish(reference, person);
  return "ok";
}

function finish(reference: Reference, person: number): void {
  if (reference.done.has(person)) return;
  reference.done.add(person);
  advance(reference);
}
