import type { Agreement } from "#api/agreements.ts";
import { useTexts } from "../../texts/texts.tsx";
import { allOf, nameOf } from "../sending/recipients.ts";
import type { RecipientInput } from "../sending/types.ts";
import { type Correction, correctionOf, fieldChanges, removedFrom } from "./correction.ts";

const who = ["name", "email", "hostName", "hostEmail"] as const;

/** What a correction changes, in sentences; none when it changes nothing. */
export function useCorrectionWords(agreement: Agreement, wanted: Correction): readonly string[] {
  const texts = useTexts("agreements");
  const before = correctionOf(agreement);
  const known = new Map(allOf(agreement.recipients).map((one) => [one.recipientId, one]));
  const called = (one: RecipientInput): string => [nameOf(one), one.email || one.hostEmail].filter(Boolean).join(", ");
  const ofPerson = (one: RecipientInput): string[] => {
    const former = known.get(one.recipientId);
    if (former === undefined) return [texts.correctAdds(called(one))];
    const isOther = who.some((name) => (former[name] ?? "") !== (one[name] ?? ""));
    return [
      ...(isOther ? [texts.correctReplaces(called(former), called(one))] : []),
      ...(former.routingOrder === one.routingOrder ? [] : [texts.correctMoves(nameOf(one), one.routingOrder)]),
      ...(former.locale === one.locale ? [] : [texts.correctSpeaks(nameOf(one))]),
    ];
  };
  const nameById = (id: string): string => {
    const person = wanted.people.find(({ recipientId }) => recipientId === id);
    return person === undefined ? "?" : nameOf(person);
  };
  const isSame = (name: "reminders" | "expiration"): boolean =>
    JSON.stringify(before[name]) === JSON.stringify(wanted[name]);
  const { reminders, expiration } = wanted;
  return [
    ...removedFrom(agreement, wanted).map((one) => texts.correctRemoves(called(one))),
    ...wanted.people.flatMap(ofPerson),
    ...fieldChanges(agreement, wanted).map(({ recipientId, add, change, remove }) =>
      texts.correctChangesFields(nameById(recipientId), add.length, change.length, remove.length),
    ),
    ...(before.subject === wanted.subject.trim() ? [] : [texts.correctSaysSubject(wanted.subject.trim())]),
    ...(before.message === wanted.message.trim() ? [] : [texts.correctSaysMessage]),
    ...(isSame("reminders")
      ? []
      : [reminders.enabled ? texts.correctReminds(reminders.delayDays) : texts.correctRemindsNot]),
    ...(isSame("expiration")
      ? []
      : [expiration.enabled ? texts.correctEnds(expiration.afterDays) : texts.correctEndsNot]),
  ];
}
