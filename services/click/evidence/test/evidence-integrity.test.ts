import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrgId } from "#platform/ids.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { describeWithOpenssl } from "../../../../test/verify/support/openssl.ts";
import { statusesOf } from "../../../../test/verify/support/verifier.ts";
import { insertTimestamp } from "../../log/anchor-store.ts";
import { leafHashOf } from "../../log/leaf.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";
import { type Bundle, evidenceActions, failuresOf } from "./evidence-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { bundleOf, bundleText, integrate, anchor, verify, keyFile, openedText, rotateReceiptKey } = evidenceActions(
  () => click,
);

/** A session that was accepted and is not completed yet. */
async function startSession(template: FakeTemplate = addTemplate()) {
  const { id: sessionId } = await create(template);
  await accept(template, { sessionId });
  return { template, orgId: orgOf(template), sessionId };
}

const sizesOf = ({ integrity }: Bundle): (number | null)[] =>
  integrity.records.map(({ log }: Bundle) => log.treeSize ?? null);

/** Throws unless every proof of the bundle leads to the signed root of its checkpoint. */
async function checkProofs(orgId: OrgId, { integrity }: Bundle): Promise<void> {
  const { logKeys } = await keyFile(orgId);
  for (const { leafData, log } of integrity.records) {
    const tree = parseCheckpoint(verifyNote(log.checkpoint, logKeys)?.text ?? "");
    const leaf = leafHashOf(Buffer.from(leafData, "base64"));
    const path = log.auditPath.map((one: string) => Buffer.from(one, "base64"));
    const { leafIndex, treeSize, origin } = log;
    if (tree?.origin !== origin || tree?.size !== treeSize) throw new Error("it is the checkpoint of another tree");
    if (!verifyInclusion(leafIndex, treeSize, leaf, path, tree?.root ?? leaf))
      throw new Error("the path leads elsewhere");
  }
}

describe("the proofs of a bundle", () => {
  test("are promised until a checkpoint covers the record", async () => {
    const { orgId, sessionId } = await startSession();
    const { receipts, integrity, statement } = await bundleOf(orgId, sessionId);
    const { integrateBy, logId, origin, leafIndex, leafHash } = receipts[0].log;
    expect(integrity.log).toEqual({ logId, origin, leafIndex, status: "PENDING", integrateBy });
    expect(integrity).toMatchObject({ leafHash, receiptJws: receipts[0].signature.jws, anchor: { status: "PENDING" } });
    expect(statement.limitations.at(-1)).toContain(integrateBy);
  });

  test("are against the newest checkpoint while none is anchored, and against the anchored one from then on", async () => {
    const { template, orgId, sessionId } = await startSession();
    await integrate(orgId);
    await acceptTemplate(template);
    await integrate(orgId);
    const published = await bundleOf(orgId, sessionId);
    expect(sizesOf(published)).toEqual([2]);
    expect(published.integrity.anchor).toEqual({ status: "PENDING" });
    await checkProofs(orgId, published);
    await anchor();
    await acceptTemplate(template);
    await integrate(orgId);
    const anchored = await bundleOf(orgId, sessionId);
    expect(sizesOf(anchored)).toEqual([2]);
    expect(anchored.integrity.anchor).toMatchObject({ status: "ANCHORED", timestampToken: null, cosignatures: [] });
    expect(anchored.integrity.log.checkpoint).toBe(published.integrity.log.checkpoint);
    await checkProofs(orgId, anchored);
  });

  test("are against one checkpoint for all records of a session, as soon as one covers them", async () => {
    const { template, orgId, sessionId } = await startSession();
    await acceptTemplate(template);
    await integrate(orgId);
    await anchor();
    await complete(template, sessionId);
    // The acceptance stays proven while the completion is only promised.
    const promised = await bundleOf(orgId, sessionId);
    expect(sizesOf(promised)).toEqual([2, null]);
    expect(promised.integrity.anchor.status).toBe("ANCHORED");
    expect(failuresOf(await verify(orgId, promised))).toEqual([]);
    await integrate(orgId);
    const published = await bundleOf(orgId, sessionId);
    expect(sizesOf(published)).toEqual([3, 3]);
    expect(published.integrity.anchor).toEqual({ status: "PENDING" });
    await anchor();
    const anchored = await bundleOf(orgId, sessionId);
    expect(sizesOf(anchored)).toEqual([3, 3]);
    expect(anchored.integrity.anchor.status).toBe("ANCHORED");
    await checkProofs(orgId, anchored);
  });

  test("are no anchor of what the bundle is about when only an earlier record is anchored", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { orgId, sessionId } = await startSession(template);
    await integrate(orgId);
    await anchor();
    await accept(template, { sessionId });
    const bundle = await bundleOf(orgId, sessionId);
    expect(sizesOf(bundle)).toEqual([1, null]);
    expect(bundle.integrity).toMatchObject({ log: { status: "PENDING" }, anchor: { status: "PENDING" } });
    expect(bundle.integrity.anchor.checkpoint).toBeUndefined();
    expect(failuresOf(await verify(orgId, bundle))).toEqual([]);
  });

  test("of a leaf that somebody changed in the database do not hold", async () => {
    const { orgId, sessionId } = await startSession();
    await integrate(orgId);
    await click.superuser.query(
      `update click.log_leaf set leaf = convert_to(replace(convert_from(leaf, 'UTF8'), '"rev":1', '"rev":2'), 'UTF8')
       where organization_id = $1`,
      [orgId],
    );
    const result = await verify(orgId, await bundleText(orgId, sessionId));
    for (const check of ["SIGNATURE", "LEAF", "INCLUSION"]) expect(statusesOf(result, check)).toContain("FAIL");
  });

  test("fit the state of the session that the bundle shows, whatever happens at the same time", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { orgId, sessionId } = await startSession(template);
    const changes = (async () => {
      for (let n = 0; n < 5; n += 1) await accept(template, { sessionId });
      await complete(template, sessionId);
    })();
    let isOver = false;
    void changes.finally(() => {
      isOver = true;
    });
    const bundles: string[] = [];
    while (!isOver) bundles.push(await bundleText(orgId, sessionId));
    await changes;
    bundles.push(await bundleText(orgId, sessionId));
    for (const bundle of bundles) expect(failuresOf(await verify(orgId, bundle))).toEqual([]);
    expect(JSON.parse(bundles.at(-1) ?? "").integrity.records).toHaveLength(7);
  });
});

describeWithOpenssl("the time stamp of a bundle", (makeAuthority) => {
  test("is waited for where an authority stamps, and then proves the time", async () => {
    const authority = makeAuthority();
    const { orgId, sessionId } = await startSession();
    await integrate(orgId);
    await anchor();
    const journey = { orgId, sessionId };
    const waiting = JSON.parse(await openedText(journey)).integrity.anchor;
    expect(waiting).toMatchObject({ status: "PENDING", timestampToken: null, tsaName: null });
    const token = authority.stamp(waiting.checkpoint);
    const stamp = { anchorSize: waiting.treeSize, token, tsaName: "O=Test, CN=tsa", stampedAt: new Date() };
    await insertTimestamp(click.superuser, stamp, new Date());
    const text = await openedText(journey);
    const { integrity, statement } = JSON.parse(text);
    expect(integrity.anchor).toEqual({
      ...waiting,
      status: "ANCHORED",
      timestampToken: token.toString("base64"),
      tsaName: "O=Test, CN=tsa",
    });
    expect(statement.proves.at(-1)).toContain("O=Test, CN=tsa");
    const result = await verify(orgId, text, { tsaCertificates: [authority.root] });
    expect(failuresOf(result)).toEqual([]);
    expect(["TIMESTAMP", "TIMESTAMP_TRUST"].flatMap((check) => statusesOf(result, check))).toEqual(["PASS", "PASS"]);
  });
});

describe("the signature of a bundle", () => {
  test("is over all of it, and for itself alone", async () => {
    const { orgId, sessionId } = await startSession();
    const bundle = await bundleOf(orgId, sessionId);
    expect(Object.keys(bundle).at(-1)).toBe("bundleSignature");
    const payload = JSON.parse(Buffer.from(bundle.bundleSignature.jws.split(".")[1], "base64url").toString());
    expect(payload).toEqual({
      bundleId: bundle.bundleId,
      iss: "https://assent.localhost",
      org: orgId,
      generatedAt: bundle.generatedAt,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect((await bundleOf(orgId, sessionId)).bundleId).not.toBe(bundle.bundleId);
    const changed = { ...bundle, delivery: [{ channel: "EMAIL" }] };
    expect(statusesOf(await verify(orgId, changed), "BUNDLE_SIGNATURE")).toEqual(["FAIL"]);
    // Written again, with its members in another order.
    const turned = Object.fromEntries(Object.entries(bundle).reverse());
    expect(failuresOf(await verify(orgId, JSON.stringify(turned, null, 4)))).toEqual([]);
  });

  test("holds after the receipt key was replaced, and all keys come with the bundle", async () => {
    const { orgId, sessionId } = await startSession();
    const before = await bundleOf(orgId, sessionId);
    await rotateReceiptKey();
    click.clock.advance(40);
    const after = await bundleOf(orgId, sessionId);
    expect(after.bundleSignature.kid).not.toBe(before.bundleSignature.kid);
    expect(after.integrity.keys.map(({ kid }: Bundle) => kid)).toEqual([
      before.bundleSignature.kid,
      after.bundleSignature.kid,
    ]);
    const { keys, logKeys } = await keyFile(orgId);
    expect(keys).toEqual(expect.arrayContaining(after.integrity.keys));
    expect([...after.integrity.logKeys].sort()).toEqual([...logKeys].sort());
    expect(failuresOf(await verify(orgId, after))).toEqual([]);
  });
});

describe("the anchor of a bundle", () => {
  test("is a leaf of the anchor log over the very note of the log's checkpoint", async () => {
    const { orgId, sessionId } = await startSession();
    await integrate(orgId);
    await anchor();
    const { anchor: proof, log, logKeys } = (await bundleOf(orgId, sessionId)).integrity;
    const tree = parseCheckpoint(verifyNote(proof.checkpoint, logKeys)?.text ?? "");
    const leaf = leafHashOf(hash("sha256", log.checkpoint, "buffer"));
    const path = proof.auditPath.map((one: string) => Buffer.from(one, "base64"));
    expect(tree?.origin).toBe("assent.localhost/click/log/anchor");
    expect(verifyInclusion(proof.anchorIndex, proof.treeSize, leaf, path, tree?.root ?? leaf)).toBe(true);
  });
});
