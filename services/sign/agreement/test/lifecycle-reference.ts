import type { AgreementStatus, RecipientRole, RecipientStatus } from "../agreement.ts";

/** What can be done to an agreement; people are named by their place. */
export type Step =
  | { readonly kind: "send" | "void" | "remind" }
  | { readonly kind: "open" | "finish" | "decline"; readonly person: number };

export interface Person {
  readonly role: RecipientRole;
  readonly order: number;
}

/** How far an agreement is, told by what people have done and by nothing else. */
export interface Reference {
  readonly people: readonly Person[];
  status: AgreementStatus;
  readonly opened: Set<number>;
  readonly done: Set<number>;
  declined: number | undefined;
  /** What has been asked of the sealing. */
  completions: number;
}

export const newReference = (people: readonly Person[]): Reference => ({
  people,
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
    case "open":
      return open(reference, step.person);
    default:
      return act(reference, step.kind, step.person);
  }
}

/** What a recipient's status has to be. */
export function expectedStatus(reference: Reference, person: number): RecipientStatus {
  if (reference.declined === person) return "declined";
  if (!hasBegun(reference, person)) return "created";
  if (reference.people[person]?.role === "carbon-copy" || reference.done.has(person)) return "completed";
  return reference.opened.has(person) ? "delivered" : "sent";
}

const isOpen = ({ status }: Reference): boolean => status === "sent" || status === "delivered";

const acts = ({ role }: Person): boolean => role !== "carbon-copy";

/** The lowest order in which somebody still has to act; past all orders when nobody has. */
const currentOrder = ({ people, done }: Reference): number =>
  Math.min(...people.filter((person, index) => acts(person) && !done.has(index)).map(({ order }) => order));

const hasBegun = (reference: Reference, person: number): boolean =>
  reference.status !== "created" && (reference.people[person]?.order ?? 0) <= currentOrder(reference);

function send(reference: Reference): string {
  if (reference.status !== "created") {
    return ["declined", "voided"].includes(reference.status) ? "INVALID_ENVELOPE_STATUS" : "ENVELOPE_ALREADY_SENT";
  }
  if (!reference.people.some(acts)) return "RECIPIENTS_REQUIRED";
  reference.status = "sent";
  return "ok";
}

function open(reference: Reference, person: number): string {
  if (reference.status === "completing") return "ok";
  if (!isOpen(reference)) return "INVALID_ENVELOPE_STATUS";
  if (!hasBegun(reference, person)) return "RECIPIENT_NOT_IN_SEQUENCE";
  const { people, opened, done } = reference;
  if (people[person]?.role === "carbon-copy" || done.has(person)) return "ok";
  const order = currentOrder(reference);
  opened.add(person);
  if (people.every((one, index) => !acts(one) || one.order !== order || opened.has(index)))
    reference.status = "delivered";
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
  const { people, done } = reference;
  if (done.has(person)) return;
  done.add(person);
  if (people.some((one, index) => acts(one) && !done.has(index))) return;
  reference.status = "completing";
  reference.completions += 1;
}
