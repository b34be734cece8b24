import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compactVerify, importJWK } from "jose";
import type { Receipt } from "#api/receipts.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { acceptOne, as, type ClickHarness, rows, startClick, testIssuer } from "../../test/harness.ts";
import { acceptanceLeafOf, openedAcceptance, storedAcceptance, storedText } from "../../test/stored-acceptances.ts";
import { leavesOf } from "./signed-leaves.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);

/** What a person may be known by. */
const personal = {
  userRef: "ann@customer.example",
  context: {
    ip: "198.51.100.7",
    userAgent: "Netscape/4.8 (Amiga)",
    pageUrl: "https://shop.example/cart?who=ann",
    pageTitle: "Cart of Ann",
    referrer: "https://mail.example/inbox",
    acceptLanguage: "de-CH",
  },
  typedName: "Ann Example",
  verification: [{ method: "EMAIL_OTP", reference: "mail to ann" }],
  metadata: { order: "order of ann" },
  presentation: { surface: "WEB", noticeText: "Dear Ann", scrolledToEnd: true },
};
const secrets = [
  ...Object.values(personal.context),
  ...["ann@customer", "Ann Example", "mail to ann", "order of ann", "Dear Ann", "key of ann", "203.0.113.77"],
  ...["backend/1.2.3"],
];

async function verifiedPayload({ signature }: Receipt): Promise<Buffer> {
  const [key] = await rows<{ x: string }>(
    click,
    "select encode(public_key, 'hex') as x from click.signing_key where purpose = 'receipt' and kid = $1",
    [signature.kid],
  );
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key?.x ?? "", "hex").toString("base64url") };
  const { payload, protectedHeader } = await compactVerify(signature.jws, await importJWK(jwk, "EdDSA"));
  expect(protectedHeader).toEqual({ alg: "EdDSA", kid: signature.kid, typ: "click-receipt+jws" });
  return Buffer.from(payload);
}

describe("the leaf of an acceptance", () => {
  test("is what the receipt's signature is over, and where the receipt says", async () => {
    const template = addTemplate();
    await acceptTemplate(template);
    const { receipt } = await acceptTemplate(template, personal);
    const { leaf, leafHash } = await storedAcceptance(click, receipt.receiptId);
    expect(await verifiedPayload(receipt)).toEqual(leaf);
    expect(createHash("sha256").update(Buffer.of(0)).update(leaf).digest()).toEqual(leafHash);
    expect(receipt).toMatchObject({ erased: false, restricted: false, signature: { alg: "EdDSA" } });
    expect(receipt.log).toEqual({
      logId: orgOf(template),
      origin: `${new URL(testIssuer).host}/click/log/${orgOf(template)}`,
      leafIndex: 1,
      leafHash: `sha256:${leafHash.toString("hex")}`,
      integrateBy: new Date(Date.parse(receipt.acceptedAt) + 60_000).toISOString(),
    });
  });

  test("says what the receipt and the stored terms say", async () => {
    const template = addTemplate({ policyFlags: { reacceptIntervalDays: 30 } });
    const { receipt } = await acceptTemplate(template, { ...personal, acceptedAt: "2026-01-02T03:04:05Z" });
    const [terms] = await rows<{ terms: string }>(
      click,
      "select t.terms from click.template_terms t join click.acceptance a using (organization_id, terms_hash) where a.receipt_id = $1",
      [receipt.receiptId],
    );
    const { _sd, ...leaf } = await acceptanceLeafOf(click, receipt.receiptId);
    expect(leaf).toEqual({
      v: 1,
      kind: "click.acceptance",
      iss: testIssuer,
      org: receipt.organizationId,
      rid: receipt.receiptId,
      sid: receipt.receiptId,
      tpl: receipt.templateId,
      ver: receipt.versionId,
      rev: 1,
      label: "1.0",
      locale: "en",
      contentHash: receipt.contentHash,
      renderHash: null,
      wordsHash: null,
      deployment: null,
      deploymentHash: null,
      termsHash: sha256Label(terms?.terms ?? ""),
      policyHash: receipt.policy.hash,
      act: "API",
      assertedBy: "BACKEND",
      acceptedAt: receipt.acceptedAt,
      clientAcceptedAt: "2026-01-02T03:04:05.000Z",
      renderedAt: null,
      expiresAt: null,
      reacceptBy: receipt.reacceptBy,
      superseded: false,
      _sd_alg: "sha-256",
    });
    expect(_sd).toHaveLength(17);
  });

  test("is canonical and has nothing of the person, nor has anything else that is stored", async () => {
    const template = addTemplate();
    const { receipt } = await acceptOne(click.client, {
      orgId: orgOf(template),
      key: "key of ann",
      body: { templateId: template.templateId, ...personal },
    });
    const { leaf } = await storedAcceptance(click, receipt.receiptId);
    const text = leaf.toString("utf8");
    expect(text).toBe(canonicalJson(JSON.parse(text)));
    const stored = await storedText(click, receipt.receiptId);
    expect(stored).toContain(receipt.receiptId);
    for (const secret of secrets) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString("hex"));
    }
    for (const secret of secrets) {
      expect(JSON.stringify(await openedAcceptance(click, receipt.receiptId))).toContain(secret);
    }
  });

  test("commits to what was said, which the sealed disclosures prove", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template, personal);
    const { _sd } = await acceptanceLeafOf(click, receipt.receiptId);
    const { disclosures, evidence } = await openedAcceptance(click, receipt.receiptId);
    for (const disclosure of disclosures) expect(_sd).toContain(digestOf(disclosure));
    const values = Object.fromEntries(disclosures.map((one) => Object.values(parseDisclosure(one) ?? {})));
    const { pageTitle, acceptLanguage, ...claimed } = personal.context;
    expect(values).toEqual({
      userRef: personal.userRef,
      idempotencyKey: receipt.idempotencyKey,
      ...claimed,
      referrer: personal.context.referrer,
      context: { pageTitle, acceptLanguage },
      observed: { ip: "203.0.113.77", userAgent: "backend/1.2.3", clientId: "cl_test", requestId: "req-1" },
      verification: personal.verification,
      typedName: personal.typedName,
      metadata: personal.metadata,
      presentation: personal.presentation,
    });
    expect(evidence).toMatchObject({ claimed: personal.context, typedName: "Ann Example", metadata: values.metadata });
  });

  test("of a GENERATED text does not tell its hash, which is disclosed", async () => {
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(template, { content: "<p>Dear {{name}}</p>" });
    const { receipt } = await acceptTemplate(template, { data: { name: "Ann" } });
    const renderHash = sha256Label("<p>Dear Ann</p>");
    expect(receipt.renderHash).toBe(renderHash);
    expect(await acceptanceLeafOf(click, receipt.receiptId)).toMatchObject({ renderHash: null });
    const stored = await storedText(click, receipt.receiptId);
    expect(stored).not.toContain(renderHash.slice("sha256:".length));
    const { disclosures, evidence } = await openedAcceptance(click, receipt.receiptId);
    const disclosed = disclosures.map((one) => parseDisclosure(one));
    expect(disclosed).toContainEqual({ name: "renderHash", value: renderHash });
    expect(disclosed).toContainEqual({ name: "mergeData", value: { name: "Ann" } });
    expect(evidence.shown).toMatchObject({ renderHash, data: { name: "Ann" } });
  });

  test("of a session's GENERATED text commits to the values that the session was created with", async () => {
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(template, { content: "<p>Dear {{name}}</p>" });
    const { id } = await create(template, { userRef: "ann", data: { name: "Ann" } });
    const { receipt } = await accept(template, { sessionId: id });
    expect(await acceptanceLeafOf(click, receipt.receiptId)).toMatchObject({ renderHash: null });
    const { disclosures } = await openedAcceptance(click, receipt.receiptId);
    const disclosed = disclosures.map((one) => parseDisclosure(one));
    expect(disclosed).toContainEqual({ name: "renderHash", value: sha256Label("<p>Dear Ann</p>") });
    expect(disclosed).toContainEqual({ name: "mergeData", value: { name: "Ann" } });
    expect(await storedText(click, receipt.receiptId)).not.toContain("Ann");
  });

  test("of a decline has a kind of its own, and consents are disclosed", async () => {
    const template = addTemplate({
      type: TemplateType.CONSENT,
      typeConfig: { purposes: [{ key: "ads", name: "ads" }] },
      policyFlags: { allowDecline: true, requireCheckbox: false },
    });
    const { receipt } = await acceptTemplate(template, { decision: "DECLINE" });
    expect(await acceptanceLeafOf(click, receipt.receiptId)).toMatchObject({ kind: "click.decline" });
    const { disclosures } = await openedAcceptance(click, receipt.receiptId);
    const consents = [{ purpose: "ads", granted: false }];
    expect(disclosures.map((one) => parseDisclosure(one))).toContainEqual({ name: "consents", value: consents });
  });
});

describe("an acceptance that completes its session", () => {
  test("has its own leaf first and that of the completion next to it", async () => {
    const template = addTemplate();
    const { id } = await create(template, { userRef: "ann", metadata: { a: "1" } });
    const { session, receipts } = await complete(template, id, {
      reason: "it was time",
      acceptance: { userRef: "ann" },
    });
    expect(session.receiptIds).toHaveLength(1);
    const leaves = await leavesOf(click, orgOf(template));
    expect(leaves.map(({ kind, leafIndex }) => [kind, leafIndex])).toEqual([
      ["click.acceptance", 0],
      ["click.session.completed", 1],
    ]);
    expect(receipts[0]?.log.leafIndex).toBe(0);
    expect(JSON.parse(String(leaves[1]?.leaf))).toMatchObject({ sid: id, receipts: session.receiptIds });
  });

  test("adds nothing to the log when the session is closed already", async () => {
    const template = addTemplate();
    const { id } = await create(template, { userRef: "ann" });
    await accept(template, { sessionId: id });
    await expect(accept(template, { sessionId: id })).rejects.toThrow();
    await complete(template, id);
    await complete(template, id);
    const kinds = (await leavesOf(click, orgOf(template))).map(({ kind }) => kind);
    expect(kinds).toEqual(["click.acceptance", "click.session.completed"]);
  });
});

describe("a receipt", () => {
  test("is the same to the byte in every answer, from every process", async () => {
    const template = addTemplate();
    const item = { orgId: orgOf(template), key: "same", body: { templateId: template.templateId, ...personal } };
    const { receipt, receiptJson } = await acceptOne(click.client, item);
    const other = await click.startAnother();
    for (const { client } of [click, other]) {
      const replay = await acceptOne(client, item);
      expect(replay).toMatchObject({ replayed: true, receiptJson });
      const read = await client.getReceipt({ receiptId: receipt.receiptId }, as(item.orgId));
      expect(read.receiptJson).toBe(receiptJson);
      const { receiptsJson } = await client.listAcceptances({ userRef: personal.userRef }, as(item.orgId));
      expect(receiptsJson).toEqual([receiptJson]);
    }
  });
});
