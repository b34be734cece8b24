import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type { Receipt } from "#api/receipts.ts";
import { newId } from "#platform/ids.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import type { Terms } from "../../terms/terms.ts";
import { openAcceptance, openReceipt, sealAcceptance } from "../../vault/seals.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import { type AcceptanceLeaf, answerReceipt, withheldReceipt } from "../receipt.ts";

const organizationId = newId();
const logged = {
  issuer: "https://agreements.example.com:8443/",
  organizationId,
  recordedAt: new Date("2026-11-20T17:00:00.123Z"),
  leafIndex: 7,
  epoch: null,
  leafHash: Buffer.alloc(32, 0xab),
  kid: "kid",
  jws: "header.payload.signature",
};

describe("answerReceipt", () => {
  test("adds what the log says to the text, and changes nothing in it", () => {
    const recorded = '{"receiptId":"r","odd":"}\\"\\u2028","n":1.0}';
    const answer = answerReceipt(recorded, logged);
    expect(answer.startsWith('{"receiptId":"r","odd":"}\\"\\u2028","n":1.0,"erased":')).toBe(true);
    expect(JSON.parse(answer)).toEqual({
      receiptId: "r",
      odd: '}"\u2028',
      n: 1,
      erased: false,
      restricted: false,
      log: {
        logId: organizationId,
        origin: `agreements.example.com:8443/click/log/${organizationId}`,
        leafIndex: 7,
        leafHash: `sha256:${"ab".repeat(32)}`,
        integrateBy: "2026-11-20T17:01:00.123Z",
      },
      signature: { alg: "EdDSA", kid: "kid", jws: "header.payload.signature" },
    });
  });

  test("tells what has become of the record", () => {
    const state = (given: { erased: boolean; restricted: boolean }) =>
      JSON.parse(answerReceipt('{"a":1}', logged, given)) as Receipt;
    expect(state({ erased: true, restricted: false })).toMatchObject({ erased: true, restricted: false });
    expect(state({ erased: false, restricted: true })).toMatchObject({ erased: false, restricted: true });
  });
});

describe("withheldReceipt", () => {
  test("has nothing of the person", () => {
    const leaf = { kind: "click.decline", rid: "r", sid: "s", renderHash: null, policyHash: "sha256:p" };
    const terms = { slug: "terms", name: "Terms", type: "GENERATED" };
    const receipt = withheldReceipt(leaf as AcceptanceLeaf, terms as Terms);
    expect(receipt).toMatchObject({
      receiptId: "r",
      decision: "DECLINE",
      userRef: null,
      idempotencyKey: null,
      purposes: [],
      verification: [],
      renderHash: null,
      templateSlug: "terms",
      policy: { hash: "sha256:p", satisfied: true },
      evidenceUrl: "/v1/click/evidence/s",
    });
  });
});

describe("what is sealed of an acceptance", () => {
  const vault = createSubjectVault([randomBytes(32)], () => randomBytes(32));
  const record = { organizationId, recordId: newId() };

  test.each([
    ["plain", "ann"],
    ["a text that looks like the end of the receipt", ',"disclosures":["x"],"evidence":{}}'],
    ["quotation marks and backslashes", '\\","disclosures":[\\\\","disclosures":\\'],
    ["no ASCII", "Ünïcödé \u2028 \ud83d\ude00 \ud800"],
  ])("gives the receipt back to the byte: %s", (_, userRef) => {
    const receipt = JSON.stringify({ userRef, renderHash: null, idempotencyKey: userRef });
    const evidence = { claimed: false, checks: [], shown: null };
    const disclosures = [Buffer.from(JSON.stringify(["salt", "observed", { ip: userRef }])).toString("base64url")];
    const seed = newSeed();
    const sealed = sealAcceptance(vault, record, seed, { receipt, disclosures, evidence });
    expect(openReceipt(vault, record, seed, sealed)).toBe(receipt);
    const opened = openAcceptance(vault, record, seed, sealed);
    expect(opened.receipt).toEqual(JSON.parse(receipt));
    expect(opened.disclosures).toEqual(disclosures);
    expect(opened.evidence.observed).toEqual({ ip: JSON.parse(JSON.stringify(userRef)) });
  });

  test("opens under its own name only", () => {
    const content = { receipt: "{}", disclosures: [], evidence: { claimed: false, checks: [], shown: null } };
    const seed = newSeed();
    const sealed = sealAcceptance(vault, record, seed, content);
    expect(() => openReceipt(vault, { ...record, recordId: newId() }, seed, sealed)).toThrow();
    expect(() => openReceipt(vault, record, newSeed(), sealed)).toThrow();
  });
});
