import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { openSession, openSessionFacts, sealAcceptance, sealCompletion, sealSession } from "../../vault/seals.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import type { SessionFactsRow } from "../session-store.ts";

const vault = createSubjectVault([randomBytes(32)], () => randomBytes(32));
const organizationId = newId();
const person = {
  userRef: "ada@example.org",
  metadata: { order: "7" },
  returnUrl: "https://shop.example/back",
  context: { ip: "203.0.113.9" },
  data: { fullName: "Ada Lovelace" },
};

function sealedRow() {
  const id = newId();
  const seed = newSeed();
  return { id, seed, sealed: sealSession(vault, { organizationId, recordId: id }, seed, person), sealedReason: null };
}

const open = (row: Parameters<typeof openSession>[2], opensRestricted?: boolean) =>
  openSession(vault, organizationId, row, opensRestricted);

describe("a sealed session", () => {
  test("opens to what was sealed, and the row shows nothing of it", () => {
    const row = sealedRow();
    expect(open(row)).toMatchObject({ person, erased: false, restricted: false, closing: { reason: null } });
    for (const value of ["ada", "order", "shop.example", "203.0.113.9", "Lovelace"]) {
      expect(row.sealed.toString("latin1")).not.toContain(value);
    }
  });

  test("without its seed nobody is left", () => {
    const { person: left, ...state } = open({ ...sealedRow(), seed: null });
    expect(left).toEqual({ userRef: null, metadata: {}, returnUrl: null, context: null, data: null });
    expect(state).toMatchObject({ seed: null, erased: true, restricted: false });
  });

  test("a restricted one opens only for who may see it", () => {
    const row = sealedRow();
    const seed = vault.wrapSeed({ organizationId, recordId: row.id }, row.seed);
    expect(open({ ...row, seed })).toMatchObject({ person: { userRef: null }, erased: false, restricted: true });
    expect(open({ ...row, seed }, true)).toMatchObject({ person, seed: row.seed, erased: false, restricted: true });
  });

  test("another master key, another organization, another session and a changed byte are errors", () => {
    const row = sealedRow();
    expect(() =>
      openSession(
        createSubjectVault([randomBytes(32)], () => randomBytes(32)),
        organizationId,
        row,
      ),
    ).toThrow();
    expect(() => openSession(vault, newId(), row)).toThrow();
    expect(() => open({ ...row, id: newId() })).toThrow();
    const sealed = Buffer.from(row.sealed);
    sealed[40] = (sealed[40] ?? 0) ^ 1;
    expect(() => open({ ...row, sealed })).toThrow();
    expect(() => open({ ...row, seed: newSeed() })).toThrow();
  });
});

const evidence = { claimed: false, checks: [], shown: null };

const input = (id: string) => ({
  issuer: "https://assent.example",
  organizationId,
  sessionId: id,
  outcome: "DECLINED" as const,
  text: {
    templateId: newId(),
    versionId: newId(),
    revision: 3,
    label: "1.2",
    locale: "de-DE",
    contentHash: `sha256:${"0".repeat(64)}`,
  },
  termsHash: Buffer.alloc(32, 1),
  createdAt: new Date("2026-01-02T03:04:05.006Z"),
  completedAt: new Date("2026-01-02T03:05:05.006Z"),
  receiptIds: [newId()],
  person: { ...person, reason: "too long" },
});

describe("the leaf of a completion", () => {
  test("says what happened and commits to the rest", () => {
    const { id, seed, sealed } = sealedRow();
    const given = input(id);
    const { leaf, sealedReason } = sealCompletion(vault, seed, given);
    const { _sd, ...payload } = leaf.payload as unknown as { _sd: string[] } & Record<string, unknown>;
    const { text } = given;
    expect(leaf.recordId).toBe(id);
    expect(payload).toEqual({
      v: 1,
      kind: "click.session.completed",
      iss: "https://assent.example",
      org: organizationId,
      sid: id,
      outcome: "DECLINED",
      tpl: text.templateId,
      ver: text.versionId,
      rev: 3,
      label: "1.2",
      locale: "de-DE",
      contentHash: text.contentHash,
      termsHash: `sha256:${"01".repeat(32)}`,
      createdAt: "2026-01-02T03:04:05.006Z",
      completedAt: "2026-01-02T03:05:05.006Z",
      receipts: given.receiptIds,
      _sd_alg: "sha-256",
    });
    const { closing } = open({ id, seed, sealed, sealedReason });
    expect(closing.reason).toBe("too long");
    expect(closing.disclosures.map(parseDisclosure)).toEqual([
      { name: "userRef", value: person.userRef },
      { name: "reason", value: "too long" },
      { name: "metadata", value: person.metadata },
      { name: "context", value: person.context },
    ]);
    expect(closing.disclosures.map(digestOf).sort()).toEqual(_sd);
  });

  test("does not tell how much it commits to", () => {
    const { id, seed } = sealedRow();
    const nothing = { userRef: null, reason: null, metadata: {}, context: null };
    const { leaf } = sealCompletion(vault, seed, { ...input(id), person: nothing });
    expect((leaf.payload as unknown as { _sd: string[] })._sd).toHaveLength(4);
  });

  test("of an erased session commits to nothing, and nothing is added to the row", () => {
    const given = input(newId());
    const { leaf, sealedReason } = sealCompletion(vault, null, given);
    expect((leaf.payload as unknown as { _sd: string[] })._sd).toHaveLength(4);
    expect(sealedReason).toBeNull();
  });
});

describe("a session as acceptances need it", () => {
  const factsRow = (changes: Partial<SessionFactsRow>): SessionFactsRow => {
    const { id, seed, sealed } = sealedRow();
    const { text, termsHash, createdAt } = input(id);
    return {
      ...text,
      id,
      organizationId,
      subjectIndex: vault.subjectIndex(organizationId, person.userRef),
      termsHash,
      createdAt,
      sealed,
      seed,
      status: "PENDING",
      outcome: null,
      expiresAt: createdAt,
      displayedSince: createdAt,
      pageFacts: null,
      presentedAt: null,
      renderHash: null,
      wordsHash: null,
      deploymentId: null,
      deploymentHash: null,
      userReceiptId: null,
      userSealed: null,
      userSeed: null,
      ...changes,
    };
  };

  test("has its user, and nothing sealed", () => {
    const row = factsRow({});
    const facts = openSessionFacts(vault, row);
    const { userRef, metadata, context } = person;
    expect(facts).toMatchObject({ id: row.id, seed: row.seed, erased: false, userRef, metadata, context });
    expect(Object.keys(facts)).not.toContain("sealed");
  });

  test("that was made for nobody knows its user from its acceptance", () => {
    const { id, seed } = sealedRow();
    const sealed = sealSession(vault, { organizationId, recordId: id }, seed, { ...person, userRef: null });
    expect(openSessionFacts(vault, factsRow({ id, seed, sealed })).userRef).toBeNull();
    const userReceiptId = newId();
    const userSeed = newSeed();
    const record = { organizationId, recordId: userReceiptId };
    const content = { receipt: '{"userRef":"grace"}', disclosures: [], evidence };
    const userSealed = sealAcceptance(vault, record, userSeed, content);
    const accepted = { id, seed, sealed, userReceiptId, userSealed };
    expect(openSessionFacts(vault, factsRow({ ...accepted, userSeed })).userRef).toBe("grace");
    expect(openSessionFacts(vault, factsRow({ ...accepted, userSeed: null })).userRef).toBeNull();
    expect(openSessionFacts(vault, factsRow({ ...accepted, userSeed, seed: null })).userRef).toBeNull();
  });

  test("is nobody's after erasure", () => {
    const facts = openSessionFacts(vault, factsRow({ seed: null }));
    expect(facts).toMatchObject({ userRef: null, metadata: {}, context: null, seed: null, erased: true });
  });
});
