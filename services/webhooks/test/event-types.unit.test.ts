import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import { connectEventsOf, eventSources, eventTypes, isEventType, publicTypeOf } from "../domain/event-types.ts";
import { testEventSubject } from "../domain/event-types-others.ts";

const contract = readFileSync(join(import.meta.dirname, "../../../proto/assent/events/v1/events.proto"), "utf8");

/** The subjects stand as comments right above the payloads. */
const subjectsOfPayloads = [...contract.matchAll(/\/\/ (assent\.[a-z.]+)\n\s+\w+ \w+ = \d+;/g)].map(
  ([, subject]) => subject,
);

describe("the types of events", () => {
  test("are those of all payloads, and a test", () => {
    const payloads = EventSchema.oneofs.find(({ name }) => name === "payload")?.fields ?? [];
    expect(subjectsOfPayloads).toHaveLength(payloads.length);
    const subjects = eventSources.map(({ subject }) => subject).filter((subject) => subject !== testEventSubject);
    expect([...subjects].sort()).toEqual([...subjectsOfPayloads].sort());
    expect(new Set(subjects).size).toBe(subjects.length);
  });

  test("follow from the subjects", () => {
    for (const { subject, type } of eventSources) {
      const [, service = "", ...rest] = subject.split(".");
      const isOfClick = service === "click" || service === "templates";
      if (service === "audit") expect(type).toBe(subject);
      else expect(type).toBe(isOfClick ? `click.${rest.join(".")}` : rest.join("."));
      expect(publicTypeOf(subject)).toBe(type);
      expect(isEventType(type)).toBe(true);
    }
    expect(publicTypeOf("assent.auth.credential.revoked")).toBeUndefined();
    expect(["assent.audit.*", "assent.audit.all", "assent.*", "*", "constructor"].map(isEventType)).toEqual([
      ...[true, false, false, false, false],
    ]);
  });

  test("stand once in the list, and what two services tell of is described for both", () => {
    const types = eventTypes.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    expect(new Set(types)).toEqual(new Set(eventSources.map(({ type }) => type)));
    const completed = eventTypes.find(({ type }) => type === "document.completed");
    for (const { type, description } of eventSources) {
      if (type === completed?.type) expect(completed.description).toContain(description);
    }
  });

  test.each([
    ["assent.sign.agreement.expired", "envelope-voided"],
    ["assent.sign.agreement.completed", "envelope-completed"],
    ["assent.sign.agreement.purged", "envelope-purge"],
    ["assent.sign.recipient.left", "recipient-finish-later"],
    ["assent.sign.recipient.undelivered", "recipient-autoresponded"],
    ["assent.sign.recipient.locked", "recipient-authenticationfailed"],
    ["assent.sign.template.modified", "template-modified"],
    ["assent.sign.agreement.modified", ""],
    ["assent.sign.document.completed", ""],
    ["assent.click.acceptance.recorded", "click-agreed or click-declined"],
    ["assent.click.session.declined", ""],
  ])("%s is %s in the compatible interface", (subject, name) => {
    expect(connectEventsOf(subject).join(" or ")).toBe(name);
  });
});
