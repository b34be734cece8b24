import { randomUUID } from "node:crypto";
import type { BusEvent, Mark } from "./bus.ts";

/** The header of a message that says how far its service is published. */
export const markHeader = "Assent-Published";

/** Everything that a service tells of itself alone; what it tells of administrative acts is told by others too. */
export const subjectsOf = (service: string): string => `assent.${service}.>`;

const markVerb = ".relay.marked";

/** A message that carries a mark only. Consumers take it for done. */
export const isMarkSubject = (subject: string): boolean => subject.endsWith(markVerb);

export const writeMark = ({ epoch, position, eventId }: Mark): string => `${epoch} ${position} ${eventId}`;

/** Undefined when there is none, or one that cannot be read. */
export function readMark(service: string, text: string | undefined): Mark | undefined {
  // Numbers that can be counted on: nobody else's text may make an epoch or a position of another kind. The client cuts off
  // the space before an event that is not told.
  const [, epoch, position, eventId = ""] = /^((?!\d{10})\S{1,64}) (\d{1,15})(?: (\S*))?$/.exec(text ?? "") ?? [];
  if (epoch === undefined) return undefined;
  return { service, epoch, position: Number(position), eventId };
}

/**
 * The events, and a message of its own when none of them could be found by the service's subjects. The release before
 * takes it for an event of no organization that nobody asked for.
 */
export function withMark(events: readonly BusEvent[], mark: Mark | undefined): readonly BusEvent[] {
  if (mark === undefined) return events;
  const prefix = `assent.${mark.service}.`;
  if (events.some(({ subject }) => subject.startsWith(prefix))) return events;
  const id = randomUUID();
  const subject = `assent.${mark.service}${markVerb}`;
  const organizationId = "00000000-0000-0000-0000-000000000000";
  const data = JSON.stringify({ id, subject, organizationId });
  return [...events, { id, subject, data }];
}

/** The id of the event that a message carries. */
export const eventIdOf = (messageId: string): string => messageId.split(".", 1)[0] ?? "";

/** True when the subject is covered by the pattern: `*` stands for one token, a final `>` for one or more. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const expected = pattern.split(".");
  const tokens = subject.split(".");
  for (const [index, token] of expected.entries()) {
    if (token === ">") return tokens.length > index;
    if (tokens[index] === undefined || (token !== "*" && token !== tokens[index])) return false;
  }
  return tokens.length === expected.length;
}

/** One pattern that covers all of these: the pattern itself, or what they begin with and `>`. */
export function coveringPattern(patterns: readonly string[]): string {
  const [first = ">", ...others] = patterns;
  if (others.every((pattern) => pattern === first)) return first;
  // `>` needs a token of its own, so no pattern may be used up by what is shared.
  const shortest = Math.min(...patterns.map((pattern) => pattern.split(".").length));
  const shared: string[] = [];
  for (const token of first.split(".").slice(0, shortest - 1)) {
    const index = shared.length;
    if (token === ">" || others.some((pattern) => pattern.split(".")[index] !== token)) break;
    shared.push(token);
  }
  return [...shared, ">"].join(".");
}
