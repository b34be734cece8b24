import { describe, expect, test } from "@jest/globals";
import { canonicalJson } from "#platform/canonical-json.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import type { ConsentEvent } from "../consent.ts";
import { consentLeaf, type UpdateFacts } from "../consent-receipt.ts";

const log = { issuer: "https://assent.localhost", organizationId: "org" };

const event: ConsentEvent = {
  revision: 7,
  eventId: "event",
  purpose: "news",
  type: "GRANTED",
  recordedAt: new Date("2026-11-20T12:00:00.000Z"),
  occurredAt: new Date("2026-11-19T12:00:00.000Z"),
  source: "SUPPORT",
  method: "PHONE",
  actorType: "ADMIN",
  text: { templateId: "template", versionId: "version", revision: 3, locale: "en", contentHash: "sha256:0" },
  legalBasis: "CONSENT",
  jurisdiction: "EU",
  grantedAt: new Date("2026-11-20T12:00:00.000Z"),
  expiresAt: new Date("2027-11-20T12:00:00.000Z"),
  receiptId: "receipt",
};

const everything: UpdateFacts = {
  userRef: "zoe@customer.example",
  source: "SUPPORT",
  method: "PHONE",
  actor: { type: "ADMIN", id: "agent-7" },
  reason: "asked by phone",
  occurredAt: event.occurredAt,
  idempotencyKey: "ticket-1042",
  context: { ip: "198.51.100.0", userAgent: undefined },
  observed: { ip: "203.0.113.0", userAgent: "backend/1", clientId: "cl_1", requestId: "req-1" },
  metadata: { ticket: "1042" },
};

const little: UpdateFacts = {
  ...everything,
  reason: null,
  idempotencyKey: null,
  context: { ip: undefined },
  metadata: {},
};

const valuesOf = (disclosures: readonly string[]) => disclosures.map((one) => parseDisclosure(one));

describe("the leaf of a change of consent", () => {
  test("says what changed and commits to the rest", () => {
    const { payload, disclosures } = consentLeaf(log, event, everything);
    expect(payload).toEqual({
      v: 1,
      kind: "click.consent.granted",
      iss: "https://assent.localhost",
      org: "org",
      rid: "receipt",
      eid: "event",
      purpose: "news",
      tpl: "template",
      ver: "version",
      rev: 3,
      locale: "en",
      contentHash: "sha256:0",
      legalBasis: "CONSENT",
      jurisdiction: "EU",
      consentRevision: 7,
      recordedAt: "2026-11-20T12:00:00.000Z",
      occurredAt: "2026-11-19T12:00:00.000Z",
      grantedAt: "2026-11-20T12:00:00.000Z",
      expiresAt: "2027-11-20T12:00:00.000Z",
      source: "SUPPORT",
      method: "PHONE",
      _sd: expect.any(Array),
      _sd_alg: "sha-256",
    });
    expect(valuesOf(disclosures)).toEqual([
      { name: "userRef", value: "zoe@customer.example" },
      { name: "idempotencyKey", value: "ticket-1042" },
      { name: "actor", value: { type: "ADMIN", id: "agent-7" } },
      { name: "reason", value: "asked by phone" },
      { name: "context", value: { ip: "198.51.100.0" } },
      { name: "observed", value: everything.observed },
      { name: "metadata", value: { ticket: "1042" } },
    ]);
    expect(payload._sd).toEqual(expect.arrayContaining(disclosures.map(digestOf)));
  });

  test("does not tell how much it commits to", () => {
    for (const facts of [everything, little]) expect(consentLeaf(log, event, facts).payload._sd).toHaveLength(10);
    expect(valuesOf(consentLeaf(log, event, little).disclosures).map((one) => one?.name)).toEqual([
      "userRef",
      "actor",
      "observed",
    ]);
  });

  test("holds nothing personal", () => {
    const leaf = canonicalJson(consentLeaf(log, event, everything).payload);
    for (const value of ["zoe", "1042", "agent-7", "asked", "198.51", "203.0", "backend", "cl_1", "req-1"]) {
      expect(leaf).not.toContain(value);
    }
  });

  test.each([
    ["GRANTED", "click.consent.granted"],
    ["RENEWED", "click.consent.renewed"],
    ["DENIED", "click.consent.denied"],
    ["WITHDRAWN", "click.consent.withdrawn"],
  ] as const)("of %s has the kind %s, and nulls for what is not known", (type, kind) => {
    const bare: ConsentEvent = {
      ...event,
      type,
      occurredAt: null,
      method: null,
      text: null,
      legalBasis: null,
      jurisdiction: null,
      grantedAt: null,
      expiresAt: null,
    };
    const unknown = { tpl: null, ver: null, rev: null, locale: null, contentHash: null, legalBasis: null };
    expect(consentLeaf(log, bare, little).payload).toMatchObject({
      kind,
      ...unknown,
      jurisdiction: null,
      occurredAt: null,
      grantedAt: null,
      expiresAt: null,
      method: null,
    });
  });

  test("only commits to a purpose and a method that may be anything, for a leaf is never erased", () => {
    const odd = { ...event, purpose: "zoe@customer.example", method: "told Zoe's mother" };
    const { payload, disclosures } = consentLeaf(log, odd, little);
    expect([payload.purpose, payload.method]).toEqual([null, null]);
    expect(JSON.stringify(payload)).not.toContain("zoe");
    expect(valuesOf(disclosures)).toEqual(
      expect.arrayContaining([
        { name: "purpose", value: odd.purpose },
        { name: "method", value: odd.method },
      ]),
    );
  });
});
