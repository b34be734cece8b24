import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { dumpBackup, dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { consentActions, consentTemplate, decide } from "../../consent/test/consent-actions.ts";
import { leafHashOf } from "../../log/leaf.ts";
import { publishTree, verifierKeyOf } from "../../log/test/log-actions.ts";
import { verifyLeafJws } from "../../log/test/signed-leaves.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { settled, startWorkers } from "../../stats/test/stats-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import { erasureActions } from "./erasure-actions.ts";

let click: ClickHarness;
let stopWorkers: () => Promise<void>;
beforeAll(async () => {
  click = await startClick();
  // The tree is built by the test, with a key of its own.
  const workers = click.service.workers.filter(({ name }) => name !== "integrator click");
  stopWorkers = await startWorkers({ ...click, service: { ...click.service, workers } });
});
afterAll(async () => {
  await stopWorkers();
  await click.close();
});

const { addTemplate, create, complete } = clientActions(() => click);
const { update } = consentActions(() => click);
const { renderSession } = renderActions(() => click);
const { erase, receiptOf } = erasureActions(() => click);

/** Everything that can be told about a person, and that nobody else has: whose it is shows before its last letters. */
const personOf = (name: string) => ({
  userRef: `${name}.customer@people.example`,
  key: `signup of ${name} 1042`,
  email: `${name}.private@mail.example`,
  ip: name === "zoe" ? "198.51.100.77" : "192.0.2.55",
  /** As much of an address as a CONSENT template lets us keep. */
  network: name === "zoe" ? "198.51.100." : "192.0.2.",
  ownIp: name === "zoe" ? "233.252.0.188" : "240.7.7.99",
  userAgent: `BrowserOf${name}/133.0`,
  pageUrl: `https://shop.example/account/${name}-secret-page`,
  referrer: `https://search.example/?q=${name}+looks+around`,
  pageTitle: `The page of ${name} alone`,
  timezone: `Europe/${name}polis`,
  typedName: `${name} Quentin Sigismund`,
  merged: `${name} of 7 Long Lane, Smallville`,
  returnUrl: `https://shop.example/back/${name}-returns`,
  reference: `passport-of-${name}-77`,
  reason: `because ${name} has moved away`,
  actor: `clerk-who-knows-${name}`,
  target: `#link-that-${name}-opened`,
});
type Person = ReturnType<typeof personOf>;

const contextOf = ({ ip, userAgent, pageUrl, referrer, pageTitle, timezone }: Person) => {
  return { ip, userAgent, pageUrl, referrer, pageTitle, timezone };
};

function addTemplates() {
  const generated = addTemplate({
    type: TemplateType.GENERATED,
    versions: [],
    policyFlags: { requireTypedName: true, allowDecline: true, sendCopyToUser: true },
  });
  click.templates.addVersion(generated, { content: "<p>Between us and {{party}}.</p>" });
  const consent = click.templates.add(
    orgOf(generated),
    consentTemplate([{ key: "news", expiresAfterDays: 30 }, "ads"]),
  );
  const once = click.templates.add(orgOf(generated), { policyFlags: { oneAcceptancePerRevision: true } });
  return { generated, consent, once };
}
type Templates = ReturnType<typeof addTemplates>;

/** Leaves everything about a person that there is to be left. */
async function leaveTraces({ generated, consent, once }: Templates, person: Person): Promise<string[]> {
  const orgId = orgOf(generated);
  const { userRef, email, returnUrl, merged, typedName, reference, reason, key, actor, target } = person;
  const context = contextOf(person);
  const common = { userRef, context, metadata: { email } };
  const session = { ...common, returnUrl, data: { party: merged } };
  const verified = [{ method: "EMAIL_OTP", verifiedAt: new Date().toISOString(), reference }];
  const accepted = await create(generated, session);
  await renderSession(generated, accepted.id, { token: accepted.renderToken });
  const events = [{ type: "LINK_OPENED", target }];
  await click.client.appendSessionEvents({ sessionId: accepted.id, events }, as(orgId));
  const presentation = { buttonText: `Yes, says ${typedName}`, checkboxInitiallyChecked: false };
  const body = { sessionId: accepted.id, typedName, copyTo: email, presentation, verification: verified, ...common };
  const first = await acceptOne(click.client, { orgId, key, body });
  await complete(generated, accepted.id, { reason });
  const declined = await create(generated, session);
  const acceptance = { typedName, context };
  const observed = { ip: person.ownIp, userAgent: person.userAgent };
  await complete(generated, declined.id, { outcome: SessionOutcome.DECLINED, reason, acceptance, observed });
  await create(generated, session);
  const { templateId } = generated;
  const direct = { templateId, ...common, typedName, data: { party: merged } };
  const second = await acceptOne(click.client, { orgId, key: `${key} b`, body: direct });
  const consents = { templateId: consent.templateId, ...common, ...decide({ news: true, ads: false }) };
  const third = await acceptOne(click.client, { orgId, key: `${key} c`, body: consents });
  const onceBody = { templateId: once.templateId, ...common };
  const fourth = await acceptOne(click.client, { orgId, key: `${key} d`, body: onceBody });
  const told = { userRef, reason, actorType: "ADMIN", actorId: actor, context, observed, metadata: { email } };
  const changed = await update(orgId, { news: "WITHDRAW" }, { ...told, idempotencyKey: `${key} e` });
  await settled(click, orgId);
  return [...[first, second, third, fourth].map(({ receipt }) => receipt.receiptId), changedId(changed.receipts)];
}

const changedId = ([receipt]: readonly Readonly<Record<string, unknown>>[]): string => String(receipt?.receiptId);

/** The receipt, and whether its leaf is signed and in the log that is published now. */
async function proofOf(template: FakeTemplate, receiptId: string) {
  const orgId = orgOf(template);
  const receipt = await receiptOf(orgId, receiptId);
  const leaf = await verifyLeafJws(click, receipt.signature.jws);
  const proof = await click.client.getInclusionProof({ leaf: { case: "receiptId", value: receiptId } }, as(orgId));
  const checkpoint = parseCheckpoint(verifyNote(proof.checkpoint, [verifierKeyOf(orgId)])?.text ?? "");
  const path = proof.auditPath.map((hash) => Buffer.from(hash));
  const root = checkpoint?.root ?? Buffer.alloc(0);
  const isIn = verifyInclusion(Number(proof.leafIndex), Number(proof.treeSize), leafHashOf(leaf), path, root);
  return { receipt, isIn };
}

const valuesOf = (person: Person): string[] => Object.values(person);

describe("after the erasure of a user", () => {
  let templates: Templates;
  const [zoe, bob] = [personOf("zoe"), personOf("bob")];
  let ofZoe: string[];
  let ofBob: string[];
  let before: unknown[];
  let indexOfZoe: string;

  beforeAll(async () => {
    templates = addTemplates();
    const orgId = orgOf(templates.generated);
    ofZoe = await leaveTraces(templates, zoe);
    ofBob = await leaveTraces(templates, bob);
    before = await Promise.all(ofBob.map((id) => receiptOf(orgId, id)));
    indexOfZoe = createSubjectVault([click.masterKey], () => click.masterKey)
      .subjectIndex(orgId, zoe.userRef)
      .toString("hex");
    expect(await dumpTables(click.superuser)).toContain(indexOfZoe);
    const { erased } = await erase(orgId, zoe.userRef);
    expect([erased.receipts, erased.sessions, erased.consentChanges].map((ids) => ids.length)).toEqual([5, 3, 1]);
  });

  test("no table tells anything about the user, in whatever form", async () => {
    const dump = await dumpTables(click.superuser);
    expect(findIn(dump, valuesOf(zoe))).toEqual([]);
    // Before it is erased, that is so because it is sealed; the others are sealed as well.
    expect(findIn(dump, valuesOf(bob))).toEqual([]);
    expect(dump).not.toContain(indexOfZoe);
    // The dump is complete: what is no secret is in it.
    expect(findIn(dump, ["click.erasure", ...ofZoe, ...ofBob])).toHaveLength(1 + ofZoe.length + ofBob.length);
  });

  test("neither does a backup", () => {
    const dump = dumpBackup(click.database.superuserUrl);
    if (dump === undefined) return;
    expect(findIn(dump, [...valuesOf(zoe), indexOfZoe])).toEqual([]);
    expect(findIn(dump, ofZoe)).toEqual(ofZoe);
  });

  test("there is no key to anything that was sealed", async () => {
    const orgId = orgOf(templates.generated);
    const keys = await rows(click, `select from click.subject_key where organization_id = $1 and record_id = any($2)`, [
      orgId,
      ofZoe,
    ]);
    expect(keys).toEqual([]);
    const sealed = await rows<{ n: number }>(
      click,
      `select (select count(*) from click.acceptance a where organization_id = $1 and receipt_id = any($2)
          and (sealed is not null or subject_index is not null or once_hash is not null or erased_at is null))
        + (select count(*) from click.session s where organization_id = $1 and erased_at is not null
          and (sealed is not null or sealed_reason is not null or subject_index is not null or page_facts is not null
            or render_hash is not null or status in ('PENDING', 'PRESENTED')))
        + (select count(*) from click.session_event e join click.session s on s.id = e.session_id
          where s.erased_at is not null)::int as n`,
      [orgId, ofZoe],
    );
    expect(sealed).toEqual([{ n: "0" }]);
  });

  test("the receipts of others are the same, and all of them are still proven", async () => {
    await publishTree(click, orgOf(templates.generated));
    const proofs = await Promise.all(ofBob.map((id) => proofOf(templates.generated, id)));
    expect(proofs.map(({ receipt }) => receipt)).toEqual(before);
    const erased = await Promise.all(ofZoe.map((id) => proofOf(templates.generated, id)));
    expect(erased.map(({ receipt }) => [receipt.erased, receipt.userRef])).toEqual(ofZoe.map(() => [true, null]));
    expect([...proofs, ...erased].every(({ isIn }) => isIn)).toBe(true);
  });

  test("the evidence of the others is whole, and that of the user can still be asked for", async () => {
    const orgId = orgOf(templates.generated);
    const bundle = async (sessionId: string) =>
      JSON.parse((await click.client.getEvidenceBundle({ sessionId }, as(orgId))).bundleJson);
    const sessions = await rows<{ id: string; erased: boolean }>(
      click,
      "select id, erased_at is not null as erased from click.session where organization_id = $1",
      [orgId],
    );
    for (const { id, erased } of sessions) {
      const text = JSON.stringify(await bundle(id));
      expect(findIn(text, valuesOf(zoe))).toEqual([]);
      expect([id, findIn(text, [bob.userRef])]).toEqual([id, erased ? [] : [bob.userRef]]);
    }
  });
});
