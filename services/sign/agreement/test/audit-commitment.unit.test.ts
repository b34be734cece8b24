import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { canonicalJson } from "#platform/canonical-json.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import type { JsonObject } from "../agreement.ts";
import { type AuditEvent, chain, emptyAudit, isChainIntact, publicPart } from "../audit-chain.ts";
import { commit, erasedValue, shownBy } from "../audit-commitment.ts";
import type { Actor, AuditEntry, Disclosed } from "../change.ts";

const agreementId = "0197f3a0-0000-7000-8000-000000000001";
const sender: Actor = { source: "api", id: "cl_1", name: "Acme", email: "", ip: "192.0.2.1", userAgent: "curl/8" };
const ann: Actor = {
  source: "signer",
  id: "ann-guid",
  name: "Ann",
  email: "ann@example.com",
  ip: "192.0.2.7",
  userAgent: "B",
};
const system: Actor = { source: "system", id: "", name: "", email: "", ip: "", userAgent: "" };
const named = (guid: string, name: string) => ({
  recipientGuid: guid,
  recipientId: `id of ${name}`,
  name,
  email: `${name}@x.example`,
  role: "signer",
});

const entries: readonly AuditEntry[] = [
  { action: "agreement.created", actor: sender, details: { files: [{ documentId: "1", sha256: "ab" }] } },
  {
    action: "agreement.reminded",
    actor: sender,
    details: { recipients: [named("ann-guid", "ann"), named("bob-guid", "bob")] },
  },
  {
    action: "recipient.declined",
    actor: ann,
    details: { ...named("ann-guid", "ann"), reason: "I will not, says Ann" },
  },
  { action: "agreement.voided", actor: sender, details: { reason: "Ann was wrong", "a/b~c": { deep: ["x", "y"] } } },
  { action: "agreement.logged", actor: system, details: { sequence: 4, leafIndex: 7, leaf: "{}" } },
  { action: "agreement.sent", actor: sender },
];

const subjectOf = (guid = "own"): string => `subject of ${guid}`;
const chained = (given: readonly AuditEntry[] = entries, head = emptyAudit) =>
  chain(
    given.map((entry) => ({ ...entry, committed: commit(entry, subjectOf) })),
    { agreementId, head, occurredAt: new Date("2026-11-02T10:00:00.000Z"), agreementStatus: "sent" },
  );

const disclosedOf = ({ committed }: AuditEvent): ReadonlyMap<string, Disclosed> => committed?.disclosed ?? new Map();
/** The event as it would be read with these disclosures. */
const withDisclosed = (event: AuditEvent, disclosed: ReadonlyMap<string, Disclosed>): AuditEvent => {
  if (event.committed === undefined) throw new Error("of format 2");
  const committed = { ...event.committed, disclosed };
  const { source, id } = event.actor;
  return { ...event, ...shownBy({ source, id: source === "signer" ? id : "" }, committed), committed };
};

describe("an event of format 2", () => {
  const { events, head } = chained();
  const isIntact = (given: readonly AuditEvent[]) => isChainIntact(agreementId, given, head);

  test("shows what happened, and holds nothing of people in what its hash is made over", () => {
    expect(isIntact(events)).toBe(true);
    for (const [index, event] of events.entries()) {
      expect(event).toMatchObject({ actor: entries[index]?.actor, details: entries[index]?.details ?? null });
      const text = JSON.stringify(publicPart(agreementId, event));
      for (const value of [
        "cl_1",
        "Acme",
        "192.0.2",
        "curl",
        "Ann",
        "ann@",
        "bob@",
        "id of bob",
        "I will not",
        "wrong",
      ]) {
        expect(text).not.toContain(value);
      }
    }
    expect(publicPart(agreementId, events[0] as AuditEvent)).toMatchObject({
      ...{ v: 2, agreementId, sequence: 1, action: "agreement.created", source: "api", _sd_alg: "sha-256" },
      details: { files: [{ documentId: "1", sha256: "ab" }] },
    });
  });

  test("can be checked by hand: the hash is of the public part, and each disclosure has its digest there", () => {
    let previousHash = "0".repeat(64);
    for (const event of events) {
      const told = JSON.parse(JSON.stringify(publicPart(agreementId, event)));
      expect(told.previousHash).toBe(previousHash);
      previousHash = createHash("sha256").update(canonicalJson(told)).digest("hex");
      expect(event.hash.toString("hex")).toBe(previousHash);
      for (const disclosure of [...disclosedOf(event).values()].flat()) {
        expect(told._sd).toContain(createHash("sha256").update(disclosure).digest("base64url"));
      }
    }
  });

  test("tells by the number of its digests nothing of how many values there are, and sorts them", () => {
    for (const { committed } of events) {
      // The reminder names two people.
      expect(committed?.digests).toHaveLength(committed?.subjects.length === 3 ? 24 : 12);
      expect(committed?.digests).toEqual([...(committed?.digests ?? [])].sort());
    }
    const many = Array.from({ length: 20 }, (_, n) => named(`guid-${n}`, `person${n}`));
    const [event] = chained([{ action: "agreement.reminded", actor: sender, details: { recipients: many } }]).events;
    expect((event?.committed?.digests.length ?? 0) % 12).toBe(0);
  });

  test("is another one each time, so that no value can be guessed", () => {
    const again = chained().events;
    const all = [...events, ...again].flatMap(({ committed }) => committed?.digests ?? []);
    expect(new Set(all).size).toBe(all.length);
  });

  test("shows every tampering with what is told", () => {
    const changes: readonly Partial<AuditEvent>[] = [
      { occurredAt: new Date(0) },
      { action: "agreement.deleted" },
      { agreementStatus: "voided" },
      { previousHash: randomBytes(32) },
      { hash: randomBytes(32) },
      { details: { reason: "another" } },
      ...(["id", "name", "email", "ip", "userAgent"] as const).flatMap((name) =>
        events.slice(2, 3).map(({ actor }) => ({ actor: { ...actor, [name]: "another" } })),
      ),
    ];
    for (const change of changes)
      expect(isIntact(events.with(2, { ...events[2], ...change } as AuditEvent))).toBe(false);
    const [, second] = events;
    if (second?.committed === undefined) throw new Error("of format 2");
    const { committed } = second;
    for (const changed of [
      { subjects: committed.subjects.slice(1) },
      { digests: committed.digests.slice(1) },
      { digests: committed.digests.with(3, digestOf("x")) },
      { details: { recipients: [] } },
    ]) {
      expect(isIntact(events.with(1, { ...second, committed: { ...committed, ...changed } }))).toBe(false);
    }
  });

  test("shows one flipped bit of any disclosure, one that is left out, and one that is put in its place", () => {
    for (const [index, event] of events.entries()) {
      for (const [subject, list] of disclosedOf(event)) {
        if (typeof list === "string") throw new Error("all is known");
        const isIntactWith = (changed: Disclosed) =>
          isIntact(events.with(index, withDisclosed(event, new Map(disclosedOf(event)).set(subject, changed))));
        expect(isIntactWith(list)).toBe(true);
        for (const [place, disclosure] of list.entries()) {
          const bytes = Buffer.from(disclosure, "base64url");
          for (const [at, byte] of bytes.entries()) {
            const flipped = Buffer.from(bytes);
            flipped.writeUInt8(byte ^ (1 << (at % 8)), at);
            expect([at, isIntactWith(list.with(place, flipped.toString("base64url")))]).toEqual([at, false]);
          }
          expect(isIntactWith(list.toSpliced(place, 1))).toBe(false);
          const { name } = parseDisclosure(disclosure) ?? {};
          const forged = Buffer.from(JSON.stringify(["salt", name, "Mallory"])).toString("base64url");
          expect(isIntactWith(list.with(place, forged))).toBe(false);
        }
        expect(isIntactWith("missing")).toBe(false);
        const without = new Map(disclosedOf(event));
        without.delete(subject);
        expect(isIntact(events.with(index, withDisclosed(event, without)))).toBe(false);
      }
    }
  });

  test("whose key was erased shows that, says the same of everybody else, and still proves once the trail states it", () => {
    const statement: AuditEntry = {
      ...{ action: "agreement.erased", actor: sender },
      details: { erasureId: agreementId, ground: "GDPR_17", keys: ["subject of ann-guid"] },
    };
    const { events: told, head: last } = chained([...entries, statement]);
    const isIntact = (given: readonly AuditEvent[]) => isChainIntact(agreementId, given, last);
    const erased = told.map((event) => {
      const known = disclosedOf(event);
      return known.has("subject of ann-guid")
        ? withDisclosed(event, new Map(known).set("subject of ann-guid", "erased"))
        : event;
    });
    expect(isIntact(erased)).toBe(true);
    // Nobody says so of Bob.
    const bob = withDisclosed(
      told[1] as AuditEvent,
      new Map(disclosedOf(told[1] as AuditEvent)).set("subject of bob-guid", "erased"),
    );
    expect(isIntact(told.with(1, bob))).toBe(false);
    const gone = { recipientId: erasedValue, name: erasedValue, email: erasedValue };
    expect(erased[1]?.details).toEqual({
      recipients: [{ recipientGuid: "ann-guid", role: "signer", ...gone }, named("bob-guid", "bob")],
    });
    expect(erased[2]).toMatchObject({
      actor: { source: "signer", id: "ann-guid", name: erasedValue, email: erasedValue, ip: erasedValue },
      details: { recipientGuid: "ann-guid", role: "signer", ...gone },
    });
    expect(JSON.stringify(erased)).not.toMatch(/ann@|192\.0\.2\.7|I will not/);
    expect(erased[0]?.actor).toEqual(sender);
    expect(isIntact(erased.with(2, { ...erased[2], details: { reason: "x" } } as AuditEvent))).toBe(false);
  });
});

test("a trail that began in format 1 goes on in format 2, in one chain", () => {
  // As it was hashed before: everything in clear.
  const first: JsonObject = {
    ...{ agreementId, sequence: 1, occurredAt: "2026-11-01T09:00:00.000Z", action: "agreement.created", source: "api" },
    actor: { id: "cl_1", name: "Acme", email: "", ip: "192.0.2.1", userAgent: "curl/8" },
    ...{ details: { files: [] }, agreementStatus: "created", previousHash: "0".repeat(64) },
  };
  const hash = createHash("sha256").update(canonicalJson(first)).digest();
  const old: AuditEvent = {
    ...{ sequence: 1, occurredAt: new Date("2026-11-01T09:00:00.000Z"), action: "agreement.created", actor: sender },
    ...{ details: { files: [] }, agreementStatus: "created", previousHash: Buffer.alloc(32), hash },
  };
  const { events, head } = chained(entries, { count: 1, hash });
  const all = [old, ...events];
  expect(isChainIntact(agreementId, all, head)).toBe(true);
  expect(events[0]?.sequence).toBe(2);
  expect(events[0]?.previousHash).toEqual(hash);
  const changed = { ...old, actor: { ...sender, name: "Mallory" } };
  expect(isChainIntact(agreementId, [changed, ...events], head)).toBe(false);
  expect(isChainIntact(agreementId, events, head)).toBe(false);
});
