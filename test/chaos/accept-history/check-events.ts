import type { Violation } from "./history.ts";
import type { DeliveredEvent, Observation } from "./observation.ts";

const recorded = "assent.click.acceptance.recorded";
const consentPrefix = "assent.click.consent.";

/** Every record was announced to consumers with exactly one event id, and nothing was that is no record. */
export function checkEvents({ records, consents, outbox, delivered }: Observation): Violation[] {
  const acceptances = records.filter(({ decision }) => decision !== "CONSENT").map(({ recordId }) => recordId);
  const changes = consents.map(({ eventId }) => eventId);
  const written = new Set(outbox);
  const arrived = new Set(delivered.map((event) => event.id));
  return [
    ...announced(
      "acceptance",
      acceptances,
      delivered.filter((event) => event.subject === recorded),
    ),
    ...announced(
      "change of consent",
      changes,
      delivered.filter((event) => event.subject.startsWith(consentPrefix)),
    ),
    ...outbox.filter((id) => !arrived.has(id)).map((id) => ({ rule: "no event is lost", detail: `${id} never came` })),
    ...delivered
      .filter((event) => event.subject.startsWith("assent.click.") && !written.has(event.id))
      .map(({ id, subject }) => ({
        rule: "no event without its record",
        detail: `${subject} ${id} was never written`,
      })),
  ];
}

function announced(what: string, ids: readonly string[], events: readonly DeliveredEvent[]): Violation[] {
  const counts = new Map<string, number>();
  for (const { aggregateId } of events) counts.set(aggregateId, (counts.get(aggregateId) ?? 0) + 1);
  const known = new Set(ids);
  return [
    ...ids
      .filter((id) => counts.get(id) !== 1)
      .map((id) => ({ rule: "one event for each record", detail: `${what} ${id} has ${counts.get(id) ?? 0}` })),
    ...[...counts.keys()]
      .filter((id) => !known.has(id))
      .map((id) => ({ rule: "no event without its record", detail: `${what} ${id} is not stored` })),
  ];
}
