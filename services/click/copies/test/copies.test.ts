import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { type Mail, MailNotTakenError, MailRefusedError } from "#platform/mail/mail.ts";
import { writePdfText } from "#platform/pdf-text.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { erasureActions } from "../../erasure/test/erasure-actions.ts";
import { evidenceActions, failuresOf } from "../../evidence/test/evidence-actions.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, type ClickInstance, newOrg, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());
beforeEach(() => {
  click.post.mails.length = 0;
  click.post.before = () => undefined;
});

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { bundleOf, integrate, verify } = evidenceActions(() => click);
const { erase } = erasureActions(() => click);
const { renderSession } = renderActions(() => click);

const copied = (changes: Partial<FakeTemplate> = {}): FakeTemplate =>
  addTemplate({ ...changes, policyFlags: { sendCopyToUser: true, ...changes.policyFlags } });

interface CopyRow {
  readonly status: string;
  readonly attempts: number;
}
const copiesOf = (orgId: OrgId): Promise<CopyRow[]> =>
  rows<CopyRow>(click, "select status, attempts from click.copy where organization_id = $1 order by created_at", [
    orgId,
  ]);

/** Lets these processes send what is due by the clock. */
async function deliver(...processes: readonly ClickInstance[]): Promise<void> {
  const all = (processes.length > 0 ? processes : [click]).flatMap(({ service }) => service.workers);
  const workers = all.filter(({ name }) => name === "click-copies");
  for (const worker of workers) await worker.start();
  await until(async () => {
    const due =
      "select from click.copy where status = 'WAITING' and run_at <= $1 and (claimed_until is null or claimed_until <= $1)";
    return (await rows(click, due, [click.clock.now()])).length === 0;
  });
  for (const worker of workers) await worker.stop();
}

/** A template whose text is a file. */
function filed(changes: Partial<FakeTemplate> = {}) {
  const pdf = Buffer.from("%PDF-1.7 as far as this service is concerned");
  const pages = [{ width: 612, height: 792, text: ["Terms", "Be <kind>."] }];
  const content = writePdfText({ hash: sha256Label(pdf), size: pdf.length, pages });
  const template = addTemplate({ ...changes, versions: [] });
  click.templates.addVersion(template, { content, format: ContentFormat.PDF, pdf });
  return { template, pdf, content };
}

const attached = (mail: Mail | undefined, name: string): Buffer =>
  Buffer.from(mail?.attachments?.find(({ fileName }) => fileName === name)?.content ?? []);

describe("a text that is a PDF", () => {
  test("is shown with its file, which the session's token opens, and is evidence with it", async () => {
    const { template, pdf, content } = filed();
    const session = await create(template, { userRef: "user-1" });
    const rendering = await renderSession(template, session.id, { token: session.renderToken });
    expect(rendering).toMatchObject({
      contentHash: sha256Label(content),
      html: "<section>\n<p>Terms</p>\n<p>Be &lt;kind&gt;.</p>\n</section>\n",
      pdf: { hash: sha256Label(pdf), size: pdf.length, pages: [{ width: 612, height: 792 }] },
    });
    const ask = (sessionId: string, token?: string, org = orgOf(template)) =>
      click.client.getSessionPdf({ sessionId, ...(token === undefined ? {} : { token }) }, as(org));
    const shown = await ask(session.id, session.renderToken);
    expect([shown.hash, Buffer.from(shown.content)]).toEqual([sha256Label(pdf), pdf]);
    const other = await create(template, { userRef: "user-2" });
    await expectDomainError(ask(other.id, session.renderToken), "INVALID_TOKEN");
    await expectDomainError(ask(session.id, undefined, newOrg()), "CLICK_SESSION_NOT_FOUND");
    await expectDomainError(ask("x"), "CLICK_SESSION_NOT_FOUND");
    const written = addTemplate();
    const usual = await create(written, { userRef: "user-1" });
    await expectDomainError(ask(usual.id, undefined, orgOf(written)), "CLICK_RENDER_NOT_FOUND");

    const receipt = await accept(template, { sessionId: session.id, renderToken: session.renderToken });
    expect(receipt).toBeDefined();
    await complete(template, session.id);
    await integrate(orgOf(template));
    const bundle = await bundleOf(orgOf(template), session.id);
    expect(bundle.agreement).toMatchObject({
      content,
      contentType: "application/vnd.assent.pdf-text+json",
      pdf: { hash: sha256Label(pdf), size: pdf.length, pages: 1, content: pdf.toString("base64") },
    });
    expect(bundle.presentation.rendering.words.pdf).toMatchObject({ hash: sha256Label(pdf) });
    expect(failuresOf(await verify(orgOf(template), bundle))).toEqual([]);
  });

  test("is kept with its file when nobody rendered it", async () => {
    const { template, pdf } = filed();
    const { receipt } = await acceptTemplate(template);
    expect((await bundleOf(orgOf(template), receipt.sessionId)).agreement).toMatchObject({
      rendered: null,
      pdf: { content: pdf.toString("base64") },
    });
  });

  test("is not shown with another file than it names", async () => {
    const { template, content } = filed();
    const other = addTemplate({ versions: [] });
    click.templates.addVersion(other, { content, format: ContentFormat.PDF, pdf: Buffer.from("another") });
    await expect(create(other, { userRef: "user-1" })).rejects.toThrow();
    expect((await create(template, { userRef: "user-1" })).contentHash).toBe(sha256Label(content));
  });

  test("proves with its file what somebody has accepted who was erased, and whose template is gone", async () => {
    const { template, pdf, content } = filed();
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann" });
    await renderSession(template, session.id, { token: session.renderToken });
    await accept(template, { sessionId: session.id, renderToken: session.renderToken });
    const erased = await erase(orgId, "ann");
    expect(erased.erased.sessions).toEqual([session.id]);
    click.templates.remove(template);
    await integrate(orgId);
    const bundle = await bundleOf(orgId, session.id);
    expect(bundle.agreement).toMatchObject({
      ...{ content, contentHash: sha256Label(content) },
      pdf: { hash: sha256Label(pdf), content: pdf.toString("base64") },
    });
    expect(JSON.stringify(bundle)).not.toContain('"ann"');
    expect(failuresOf(await verify(orgId, bundle))).toEqual([]);
  });

  test("is its own copy", async () => {
    const { template, pdf } = filed({ policyFlags: { sendCopyToUser: true } });
    const body = { templateId: template.templateId, userRef: "user-1", copyTo: "ann@mail.example" };
    const { receipt } = await acceptOne(click.client, { orgId: orgOf(template), key: "file", body });
    await deliver();
    const [mail, ...more] = click.post.mails;
    expect(more).toEqual([]);
    expect(attached(mail, "copy.pdf")).toEqual(pdf);
    expect((await bundleOf(orgOf(template), receipt.sessionId)).delivery).toMatchObject([
      { status: "SENT", documentHash: sha256Label(pdf) },
    ]);
  });
});

describe("sendCopyToUser", () => {
  test("mails the text and the receipt once, and the evidence tells of it", async () => {
    const template = copied();
    click.templates.revise(template, "<h1>Terms</h1><p>All of it.</p>");
    const orgId = orgOf(template);
    const body = { templateId: template.templateId, userRef: "user-1", copyTo: "ann@mail.example" };
    const { receipt } = await acceptOne(click.client, { orgId, key: "once", body });
    expect((await bundleOf(orgId, receipt.sessionId)).delivery).toMatchObject([{ status: "WAITING", at: null }]);
    await deliver();
    expect((await acceptOne(click.client, { orgId, key: "once", body })).replayed).toBe(true);
    await deliver();
    const [mail, ...more] = click.post.mails;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      to: { address: "ann@mail.example" },
      messageId: `<${receipt.receiptId}.copy@assent.localhost>`,
    });
    const pdf = attached(mail, "copy.pdf");
    expect(pdf.toString()).toContain("All of it.");
    expect(pdf.toString()).toContain(receipt.receiptId);
    expect(JSON.parse(attached(mail, "receipt.json").toString())).toEqual(receipt);
    await integrate(orgId);
    const bundle = await bundleOf(orgId, receipt.sessionId);
    expect(bundle.delivery).toEqual([
      {
        ...{ channel: "EMAIL", receiptId: receipt.receiptId, to: "a…@mail.example", status: "SENT", attempts: 1 },
        ...{ requestedAt: receipt.acceptedAt, at: expect.any(String), messageId: mail?.messageId },
        documentHash: sha256Label(pdf),
      },
    ]);
    expect(failuresOf(await verify(orgId, bundle))).toEqual([]);
    const forged = { ...bundle, delivery: [{ ...bundle.delivery[0], to: "b…@mail.example" }] };
    expect(failuresOf(await verify(orgId, forged))).toContainEqual(expect.stringMatching(/^DISCLOSURES /));
    expect((await bundleOf(orgId, receipt.sessionId, { undisclosed: true })).delivery).toMatchObject([{ to: null }]);
  });

  test("takes the address with the acceptance of a session, in whichever way, and the values that were shown", async () => {
    const template = copied({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(template, { content: "<p>Between us and {{party}}.</p>", locale: "de" });
    const first = await create(template, { userRef: "u", data: { party: "Bo" } });
    await accept(template, { sessionId: first.id, copyTo: "bo@mail.example" });
    const second = await create(template, { userRef: "u", data: { party: "Cy" } });
    await complete(template, second.id, { acceptance: { copyTo: "cy@mail.example" } });
    await deliver();
    const sent = click.post.mails.map((mail) => [mail.to.address, mail.subject, attached(mail, "copy.pdf").toString()]);
    expect(sent.toSorted()).toEqual([
      ["bo@mail.example", expect.stringMatching(/^Ihre Kopie: /), expect.stringContaining("Between us and Bo.")],
      ["cy@mail.example", expect.stringMatching(/^Ihre Kopie: /), expect.stringContaining("Between us and Cy.")],
    ]);
  });

  test("without the flag, an address or an acceptance nothing is mailed, and no address is kept", async () => {
    const copyTo = "nobody@mail.example";
    const template = copied({ policyFlags: { allowDecline: true } });
    const without = await acceptTemplate(addTemplate(), { copyTo });
    const declined = await acceptTemplate(template, { decision: "DECLINE", copyTo });
    await acceptTemplate(template, { userRef: "user-2" });
    for (const orgId of [without, declined].map(({ receipt }) => receipt.organizationId as OrgId)) {
      expect(await copiesOf(orgId)).toEqual([]);
    }
    const bundle = await bundleOf(orgOf(template), declined.receipt.sessionId);
    expect(bundle.delivery).toEqual([]);
    expect(Buffer.from(JSON.stringify(bundle.integrity.disclosures)).toString()).not.toContain(copyTo);
  });

  test("an address that is none is refused", async () => {
    await expect(acceptTemplate(copied(), { copyTo: "ann@mail.example\r\nBcc: b@mail.example" })).rejects.toMatchObject(
      {
        code: "CLICK_VALIDATION_FAILED",
        details: [{ field: "copyTo", code: "FORMAT" }],
      },
    );
  });
});

describe("a copy", () => {
  test("waits while the mail server is away, and comes once when it is back", async () => {
    const template = copied();
    let isAway = true;
    click.post.before = () => {
      if (isAway) throw new MailNotTakenError("connection refused");
    };
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    for (let n = 0; n < 3; n += 1) {
      await deliver();
      click.clock.advance(60);
    }
    expect(await copiesOf(orgOf(template))).toEqual([{ status: "WAITING", attempts: 3 }]);
    isAway = false;
    await deliver();
    await deliver();
    expect(click.post.mails).toHaveLength(1);
    expect(await copiesOf(orgOf(template))).toEqual([{ status: "SENT", attempts: 4 }]);
  });

  test("is sent by one of many processes", async () => {
    const others = await Promise.all([click.startAnother(), click.startAnother()]);
    const template = copied();
    const to = Array.from({ length: 20 }, (_, n) => `person-${n}@mail.example`);
    await Promise.all(to.map((copyTo, n) => acceptTemplate(template, { userRef: `user-${n}`, copyTo })));
    await deliver(click, ...others);
    expect(click.post.mails.map((mail) => mail.to.address).toSorted()).toEqual(to.toSorted());
    expect(new Set(click.post.mails.map(({ messageId }) => messageId)).size).toBe(20);
  });

  test("of a process that dies is sent by another one when its lease is over, and not before", async () => {
    const template = copied();
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    const claim =
      "update click.copy set claim = gen_random_uuid(), claimed_until = $2, attempts = 1 where organization_id = $1";
    const over = new Date(click.clock.now().getTime() + 180_000);
    await rows(click, claim, [orgOf(template), over]);
    await deliver();
    expect(click.post.mails).toEqual([]);
    click.clock.advance(181);
    await deliver();
    expect(click.post.mails).toHaveLength(1);
    expect(await copiesOf(orgOf(template))).toEqual([{ status: "SENT", attempts: 2 }]);
  });

  test("of a process that died of the last attempt is given up", async () => {
    const template = copied();
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    await rows(click, "update click.copy set attempts = 84 where organization_id = $1", [orgOf(template)]);
    await deliver();
    expect(click.post.mails).toEqual([]);
    expect(await copiesOf(orgOf(template))).toEqual([{ status: "FAILED", attempts: 84 }]);
  });

  test("opens no other acceptance of its session", async () => {
    const template = copied({ policyFlags: { singleUseSession: false } });
    const { id } = await create(template);
    const first = await accept(template, { sessionId: id, copyTo: "first@mail.example" });
    await deliver();
    await rows(click, "update click.acceptance set sealed = 'broken' where receipt_id = $1", [first.receipt.receiptId]);
    const { receipt } = await accept(template, { sessionId: id, copyTo: "second@mail.example" });
    await deliver();
    expect(click.post.mails.map(({ to }) => to.address)).toEqual(["first@mail.example", "second@mail.example"]);
    expect(JSON.parse(attached(click.post.mails[1], "receipt.json").toString())).toEqual(receipt);
  });

  test("that is taken by the mail server comes once, though the database is away meanwhile", async () => {
    const template = copied();
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    click.post.before = async () => {
      await rows(click, "revoke update (status) on click.copy from assent_click", []);
    };
    const delivered = deliver();
    await until(async () => click.post.mails.length > 0);
    await setTimeout(500);
    expect(await copiesOf(orgOf(template))).toEqual([{ status: "WAITING", attempts: 1 }]);
    await rows(click, "grant update (status) on click.copy to assent_click", []);
    await delivered;
    await until(async () => (await copiesOf(orgOf(template)))[0]?.status === "SENT");
    click.clock.advance(600);
    await deliver();
    expect(click.post.mails).toHaveLength(1);
  });

  test("of one organization does not wait for the backlog of another", async () => {
    const template = copied();
    for (let n = 0; n < 8; n += 1) {
      await acceptTemplate(template, { userRef: `user-${n}`, copyTo: `many-${n}@mail.example` });
    }
    click.clock.advance(1);
    await acceptTemplate(copied(), { copyTo: "alone@mail.example" });
    const asked: string[] = [];
    // All that are sent at once are under way; when the first one ends, the other still is.
    click.post.before = async ({ to }) => {
      const place = asked.push(to.address);
      await until(async () => asked.length >= (place <= 2 ? place + 1 : 0));
    };
    await deliver();
    expect(asked.slice(0, 3)).toContain("alone@mail.example");
    expect(asked).toHaveLength(9);
  });

  test("to a mailbox that nobody knows, or without a mail server for three days, ends and says so", async () => {
    click.post.before = () => {
      throw new MailRefusedError("no such mailbox");
    };
    const template = copied();
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    await deliver();
    expect(await copiesOf(orgOf(template))).toEqual([{ status: "REFUSED", attempts: 1 }]);
    const mute = await click.startAnother(undefined, undefined, { hasMail: false });
    await acceptTemplate(template, { userRef: "user-2", copyTo: "bo@mail.example" });
    const sweep = async (): Promise<void> => {
      const worker = mute.service.workers.find(({ name }) => name === "click-copies");
      await worker?.start();
      await setTimeout(500);
      await worker?.stop();
    };
    await sweep();
    expect((await copiesOf(orgOf(template))).map(({ status }) => status)).toEqual(["REFUSED", "WAITING"]);
    click.clock.advance(3 * 24 * 3_600);
    await deliver(mute);
    expect((await copiesOf(orgOf(template))).map(({ status }) => status)).toEqual(["REFUSED", "FAILED"]);
  });

  test("is given up after three days", async () => {
    click.post.before = () => {
      throw new Error("come back later");
    };
    const template = copied();
    const { receipt } = await acceptTemplate(template, { copyTo: "ann@mail.example" });
    await rows(click, "update click.copy set attempts = 83 where organization_id = $1", [orgOf(template)]);
    await deliver();
    const { delivery } = await bundleOf(orgOf(template), receipt.sessionId);
    expect(delivery).toMatchObject([{ status: "FAILED", attempts: 84, messageId: null, documentHash: null }]);
  });

  test("of a text that cannot be printed has the text as it is", async () => {
    const template = copied();
    click.templates.revise(template, "<p>Too long.</p>");
    const { receipt } = await acceptTemplate(template, { copyTo: "ann@mail.example" });
    click.renderer.before.render = () => {
      throw toConnectError(new DomainError("GEN_RENDER_FAILED"));
    };
    await deliver();
    click.renderer.before.render = () => undefined;
    expect(attached(click.post.mails[0], "content.html").toString()).toBe("<p>Too long.</p>");
    const { delivery } = await bundleOf(orgOf(template), receipt.sessionId);
    expect(delivery).toMatchObject([{ status: "SENT", documentHash: null }]);
  });

  test("that waits is not sent to a person who was erased or is restricted", async () => {
    const template = copied();
    const kept = click.templates.add(orgOf(template), { policyFlags: { sendCopyToUser: true, retentionDays: 30 } });
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    const { receipt } = await acceptTemplate(kept, { copyTo: "ann@mail.example" });
    await erase(orgOf(template), "user-1");
    await deliver();
    expect(click.post.mails).toEqual([]);
    expect((await copiesOf(orgOf(template))).map(({ status }) => status)).toEqual(["CANCELLED", "CANCELLED"]);
    const { delivery } = await bundleOf(orgOf(template), receipt.sessionId);
    expect(delivery).toMatchObject([{ to: null, status: "CANCELLED" }]);
  });

  test("that is being printed is not sent once the erasure of the person was answered", async () => {
    const template = copied();
    click.templates.revise(template, "<p>Printed meanwhile.</p>");
    await acceptTemplate(template, { copyTo: "ann@mail.example" });
    click.renderer.before.render = async () => {
      await erase(orgOf(template), "user-1");
    };
    await deliver();
    click.renderer.before.render = () => undefined;
    expect(click.post.mails).toEqual([]);
    expect((await copiesOf(orgOf(template))).map(({ status }) => status)).toEqual(["CANCELLED"]);
  });
});
