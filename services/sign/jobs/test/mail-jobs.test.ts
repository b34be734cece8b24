import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  concatTransformationMatrix,
  drawObject,
  PDFDocument,
  PDFName,
  popGraphicsState,
  pushGraphicsState,
} from "pdf-lib";
import { onePixel } from "#api/kinds.ts";
import { NoticeDelivery } from "#gen/assent/auth/v1/notices_pb.ts";
import { AgreementStatus, RecipientRole, TabSchema, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { BrandImageKind } from "#gen/assent/sign/v1/brands_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { testCaller } from "#platform/testing/service-harness.ts";
import { until } from "#platform/testing/until.ts";
import { readAndConsent } from "../../../../test/support/read-and-consent.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { nextDigest } from "../../notices/notices.ts";
import { type Organization, startSign } from "../../test/harness.ts";
import { type MailSystem, mailConfig, person, startMailSystem, visitor } from "../../test/mail-system.ts";

const dayMs = 86_400_000;

let system: MailSystem;
let organization: Organization;
let round = 0;
/** Of this test alone. */
const address = (name: string): string => `${name}-${round}@example.com`;

beforeAll(async () => {
  system = await startMailSystem();
});
beforeEach(() => {
  round += 1;
  organization = system.organization();
});
afterAll(() => system.stop());

const statusOf = (agreementId: string): Promise<AgreementStatus | undefined> =>
  system.statusOf(organization, agreementId);
const sign = (sessionToken: string): Promise<void> => system.sign(sessionToken);

describe("the mails of an agreement", () => {
  test("ask each in turn, in the recipient's language, with a link that signs, and tell of the end", async () => {
    const { id } = await system.send(organization, {
      emailBlurb: "As discussed.",
      recipients: [
        person("1", address("ann"), { locale: "de" }),
        person("2", address("bob"), { clientUserId: "2" }),
        person("3", address("cid"), { routingOrder: 2, role: RecipientRole.CARBON_COPY }),
        person("4", address("dan"), { routingOrder: 3 }),
      ],
    });
    const [invitation] = await system.mailsTo(address("ann"), 1);
    expect(invitation).toMatchObject({ subject: "Bitte unterschreiben: NDA" });
    expect(invitation?.text).toContain("As discussed.");
    expect(invitation?.messageId).toMatch(/^<[0-9a-f-]{36}@sign\.example\.com>$/);

    // As often as somebody likes; each time a session of its own.
    const [first, second] = [await system.open(invitation), await system.open(invitation)];
    const seen = await system.signing.getCeremony({ sessionToken: first });
    expect([seen.agreement?.id, seen.returnUrl]).toEqual([id, ""]);
    await sign(second);
    expect(system.server.mails.filter(({ to }) => to !== address("ann"))).toEqual([]);

    const view = await organization.createRecipientView({
      ...{ agreementId: id, recipientId: "2", returnUrl: "https://app.example/back" },
    });
    await sign((await system.signing.openView({ token: view.token, visitor })).sessionToken);
    const [copy] = await system.mailsTo(address("cid"), 1);
    expect(copy?.subject).toBe("To read: NDA");
    await system.open(copy);
    await sign(await system.open((await system.mailsTo(address("dan"), 1))[0]));

    await until(async () => (await statusOf(id)) === AgreementStatus.COMPLETED, 30_000);
    for (const [name, count] of [
      ["ann", 2],
      ["bob", 1],
      ["cid", 2],
      ["dan", 2],
    ] as const) {
      const mails = await system.mailsTo(address(name), count);
      expect(mails.at(-1)?.subject).toBe(name === "ann" ? "Abgeschlossen: NDA" : "Completed: NDA");
      await system.open(mails.at(-1));
    }
    await system.settle();
    expect((await system.actionsOf(id)).filter((action) => action === "recipient.mailed")).toHaveLength(7);

    // The link of the invitation reads the finished documents as well, but not for ever.
    await system.open(invitation);
    system.clock.advance(31 * dayMs);
    await expectDomainError(system.open(invitation), "VIEW_URL_EXPIRED");
  });

  test("remind those whose turn it is, and tell those who were asked that it was withdrawn", async () => {
    const { id } = await system.send(organization, {
      recipients: [person("1", address("ann")), person("2", address("bob"), { routingOrder: 2 })],
    });
    const [invitation] = await system.mailsTo(address("ann"), 1);
    await system.settle();
    await organization.remindAgreement({ agreementId: id });
    const [, reminder] = await system.mailsTo(address("ann"), 2);
    expect(reminder?.subject).toBe("Reminder: please sign NDA");
    const session = await system.open(reminder);
    await organization.voidAgreement({ agreementId: id, reason: "Wrong price" });
    const [, , voided] = await system.mailsTo(address("ann"), 3);
    expect(voided).toMatchObject({ subject: "Withdrawn: NDA", token: "" });
    expect(voided?.text).toContain("Reason: Wrong price");
    for (const attempt of [
      system.open(invitation),
      system.open(reminder),
      system.signing.getCeremony({ sessionToken: session }),
    ]) {
      await expectDomainError(attempt, "VIEW_URL_EXPIRED");
    }
    await system.settle();
    expect(system.server.mails.filter(({ to }) => to === address("bob"))).toEqual([]);
  });

  test("tell the others who declined and why, and ask the host of who signs in person", async () => {
    const host = { hostName: "Hal Host", hostEmail: address("hal") };
    const { id } = await system.send(organization, {
      recipients: [
        person("1", address("ann")),
        { recipientId: "2", role: RecipientRole.IN_PERSON_SIGNER, name: "Ben Guest", ...host },
        person("3", address("eve"), { clientUserId: "3" }),
      ],
    });
    const [asked] = await system.mailsTo(address("hal"), 1);
    expect(asked?.text).toContain("Hello Hal Host,");
    expect(asked?.text).toContain("let Ben Guest sign");
    const sessionToken = await system.open((await system.mailsTo(address("ann"), 1))[0]);
    await system.signing.declineSigning({ sessionToken, reason: "Too dear", visitor });
    const [, declined] = await system.mailsTo(address("hal"), 2);
    expect(declined?.subject).toBe("Declined: NDA");
    for (const part of ["Person 1 declined", "Too dear"]) expect(declined?.text).toContain(part);
    await system.settle();
    expect(await statusOf(id)).toBe(AgreementStatus.DECLINED);
    expect(await system.mailsTo(address("ann"), 1)).toHaveLength(1);
    expect(system.server.mails.filter(({ to }) => to === address("eve"))).toEqual([]);
  });

  test("are not sent when they have become untrue", async () => {
    await system.server.down();
    const { id } = await system.send(organization, { recipients: [person("1", address("ann"))] });
    // An attempt that is being made while the agreement is voided may still reach the server.
    await until(async () => {
      const sql = "select 1 from sign.job where agreement_id = $1 and attempts > 0 and claim is null";
      return (await system.superuser.query(sql, [id])).rowCount === 1;
    });
    await organization.voidAgreement({ agreementId: id, reason: "Mistake" });
    await system.server.up();
    await until(async () => {
      system.clock.advance(60 * 60_000);
      return system.server.mails.some(({ to }) => to === address("ann"));
    });
    await system.settle();
    expect((await system.mailsTo(address("ann"), 1)).map(({ subject }) => subject)).toEqual(["Withdrawn: NDA"]);
  });

  test("have the brand that holds when they are sent: its sender, its logo, its words", async () => {
    const text = { locale: "de", mail: "invitation", subject: "Post: {subject}", intro: "Willkommen, {name}." };
    const settings = { name: "Acme", isDefault: true, senderName: "Acme Legal", replyTo: address("legal") };
    const { brand } = await organization.createBrand({ settings: { ...settings, texts: [text] } });
    const content = Uint8Array.from(Buffer.from(onePixel, "base64"));
    await organization.putBrandImage({ brandId: brand?.id ?? "", kind: BrandImageKind.LOGO, content });
    await system.send(organization, { recipients: [person("1", address("ann"), { locale: "de-CH" })] });
    const [mail] = await system.mailsTo(address("ann"), 1);
    expect(mail?.subject).toBe("Post: NDA");
    for (const part of [
      "From: Acme Legal <",
      `Reply-To: Acme Legal <${address("legal")}>`,
      "Willkommen, ",
      "cid:logo@assent",
    ]) {
      expect(mail?.text).toContain(part);
    }
    await system.settle();
  });
});

describe("the mail that tells of the completion", () => {
  test.each([
    [
      "comes with the sealed files where the brand says so",
      undefined,
      "The sealed documents and the certificate are attached.",
    ],
    ["says that they are too large for it, and has the link", 11, "The files are too large to attach."],
  ])("%s", async (_name, megabytes, said) => {
    await organization.createBrand({ settings: { name: "Acme", isDefault: true, attachFiles: true } });
    const value = megabytes === undefined ? undefined : await largePdf(megabytes);
    const documents = value && [
      { ...{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf" }, source: { case: "content" as const, value } },
    ];
    const recipients = [person("1", address("ann"))];
    const { id } = await system.send(organization, { recipients, ...(documents && { documents }) });
    await sign(await system.open((await system.mailsTo(address("ann"), 1))[0]));
    await until(async () => (await statusOf(id)) === AgreementStatus.COMPLETED, 60_000);
    const [invitation, completed] = await system.mailsTo(address("ann"), 2);
    expect(completed?.text).toContain(said);
    const attached = [...(completed?.text ?? "").matchAll(/filename=(\S+)/g)].map(([, name]) => name);
    expect(attached).toEqual(megabytes === undefined ? ["NDA.pdf", "certificate.pdf"] : []);
    expect(invitation?.text).not.toContain("attach");
    await system.open(completed);
    await system.settle();
  });
});

describe("a document that is not shown to a recipient", () => {
  const file = (documentId: string, name: string) => ({
    ...{ documentId, name, fileExtension: "pdf" },
    source: { case: "content" as const, value: smallestPdf },
  });
  const hides = (...documentIds: string[]) => ({ excludedDocuments: { documentIds } });

  test("is neither on the page nor in a mail, a file or the certificate, whoever sends it", async () => {
    await organization.createBrand({ settings: { name: "Acme", isDefault: true, attachFiles: true } });
    const { id } = await system.send(organization, {
      documents: [file("1", "Offer.pdf"), file("2", "Salary.pdf")],
      recipients: [
        person("1", address("ann"), hides("2")),
        person("2", address("ben")),
        // A copy for the sender's own people hides as well.
        person("3", address("cid"), { ...hides("2"), role: RecipientRole.CARBON_COPY, routingOrder: 2 }),
      ],
    });
    const [invitation] = await system.mailsTo(address("ann"), 1);
    expect(invitation?.text).toContain("Offer.pdf");
    const sessionToken = await system.open(invitation);
    const { agreement } = await system.signing.getCeremony({ sessionToken, visitor });
    expect(agreement?.documents.map(({ name }) => name)).toEqual(["Offer.pdf"]);
    expect(agreement?.recipients.map(({ excludedDocuments }) => excludedDocuments)).toEqual([[], [], []]);
    const get = (documentId: string, token = sessionToken) =>
      system.signing.getCeremonyDocument({ sessionToken: token, documentId, visitor });
    await expectDomainError(get("2"), "DOCUMENT_NOT_FOUND");
    await sign(sessionToken);
    await sign(await system.open((await system.mailsTo(address("ben"), 1))[0]));
    await until(async () => (await statusOf(id)) === AgreementStatus.COMPLETED, 60_000);
    await system.mailsTo(address("cid"), 1);
    const completed = (await system.mailsTo(address("ann"), 2))[1];
    const after = await system.open(completed);
    expect((await system.signing.getCeremony({ sessionToken: after, visitor })).hasCertificate).toBe(false);
    for (const hidden of ["2", "certificate"]) await expectDomainError(get(hidden, after), "DOCUMENT_NOT_FOUND");
    await get("1", after);
    const toHidden = system.server.mails.filter(({ to }) => [address("ann"), address("cid")].includes(to));
    expect(toHidden.filter(({ text }) => /Salary|certificate\.pdf/.test(text))).toEqual([]);
    const seesAll = await system.open((await system.mailsTo(address("ben"), 2))[1]);
    expect((await system.signing.getCeremony({ sessionToken: seesAll, visitor })).hasCertificate).toBe(true);
    await get("certificate", seesAll);
    await system.settle();
  });

  test.each([
    ["recipients[0].excludedDocuments[0]", hides("3")],
    ["recipients[0].excludedDocuments", hides("1", "2")],
    [
      "recipients[0].tabs[0].documentId",
      { ...hides("2"), tabs: [create(TabSchema, { type: TabType.SIGNATURE, documentId: "2", page: 1 })] },
    ],
  ])("%s is refused where it cannot be", async (field, given) => {
    const sent = system.send(organization, {
      documents: [file("1", "Offer.pdf"), file("2", "Salary.pdf")],
      recipients: [person("1", address("ann"), given)],
    });
    const { details } = await expectDomainError(sent, "VALIDATION_FAILED");
    expect(details).toEqual([expect.objectContaining({ field })]);
  });
});

/** With a picture that nothing makes smaller. */
async function largePdf(megabytes: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const [width, height] = [1_024, Math.ceil((megabytes * 1_048_576) / 3_072)];
  const look = { Type: "XObject", Subtype: "Image", Width: width, Height: height };
  const noise = createHash("shake256", { outputLength: width * height * 3 })
    .update("noise")
    .digest();
  const picture = document.context.stream(noise, { ...look, ColorSpace: "DeviceRGB", BitsPerComponent: 8 });
  const page = document.addPage([400, 300]);
  page.node.setXObject(PDFName.of("Noise"), document.context.register(picture));
  page.pushOperators(pushGraphicsState(), concatTransformationMatrix(100, 0, 0, 100, 50, 50));
  page.pushOperators(drawObject("Noise"), popGraphicsState());
  return document.save();
}

describe("a mail server", () => {
  test("that is away holds nothing up: the agreement goes on, and its mails come when it is back", async () => {
    await system.server.down();
    const { id } = await system.send(organization, {
      recipients: [person("1", address("ann"), { clientUserId: "1" }), person("2", address("bob"))],
    });
    const view = await organization.createRecipientView({
      ...{ agreementId: id, recipientId: "1", returnUrl: "https://app.example/back" },
    });
    await sign((await system.signing.openView({ token: view.token, visitor })).sessionToken);
    for (let tries = 1; tries < 4; tries += 1) {
      await until(async () => {
        system.clock.advance(5_000);
        const { rows } = await system.superuser.query(
          "select attempts from sign.job where agreement_id = $1 and kind = 'mail'",
          [id],
        );
        return rows[0]?.attempts > tries;
      });
    }
    // At most that of the attempt which is being made: what nobody was sent is no link.
    const links = "select 1 from sign.view where agreement_id = $1 and is_reusable";
    expect((await system.superuser.query(links, [id])).rowCount).toBeLessThanOrEqual(1);
    await system.server.up();
    await until(() => {
      system.clock.advance(60 * 60_000);
      return system.server.mails.some(({ to }) => to === address("bob"));
    });
    await sign(await system.open((await system.mailsTo(address("bob"), 1))[0]));
    await until(async () => (await statusOf(id)) === AgreementStatus.COMPLETED, 30_000);
    expect((await system.mailsTo(address("bob"), 2))[1]?.subject).toBe("Completed: NDA");
  });

  test("that knows no such mailbox is not asked again, and one that is away for days is given up", async () => {
    system.server.unknown.add(address("ann"));
    const { id } = await system.send(organization, { recipients: [person("1", address("ann"))] });
    await until(async () => (await system.actionsOf(id)).includes("recipient.mail-failed"));
    await system.settle();
    expect(await statusOf(id)).toBe(AgreementStatus.SENT);
    const target = { id: { case: "agreementId" as const, value: id } };
    const unreached = (await organization.getAgreement({ target })).agreement?.recipients[0];
    expect(unreached?.deliveryFailedReason).toMatch(/^the mail server refuses the mail \(550/);
    expect(unreached?.deliveryFailedAt).toBeDefined();
    const told =
      "select 1 from sign.outbox where subject = 'assent.sign.recipient.undelivered' and data like '%' || $1 || '%'";
    expect((await system.superuser.query(told, [id])).rowCount).toBe(1);
    // A second mail that cannot be sent is in the trail, and no news.
    await organization.remindAgreement({ agreementId: id });
    await until(
      async () => (await system.actionsOf(id)).filter((action) => action === "recipient.mail-failed").length === 2,
    );
    expect((await system.superuser.query(told, [id])).rowCount).toBe(1);

    await system.server.down();
    const away = await system.send(organization, { recipients: [person("1", address("bob"))] });
    await until(async () => {
      const sql = "update sign.job set attempts = 83 where agreement_id = $1 and kind = 'mail' and claim is null";
      system.clock.advance(60 * 60_000);
      await system.superuser.query(sql, [away.id]);
      return (await system.actionsOf(away.id)).includes("recipient.mail-failed");
    });
    await system.server.up();
    await system.settle();
    expect(system.server.mails.filter(({ to }) => to === address("bob"))).toEqual([]);
  });

  test("that was away too long is recorded as soon as that can be, and later mails find nothing in their way", async () => {
    await system.server.down();
    const { superuser } = system;
    const refusal = "check (action <> 'recipient.mail-failed') not valid";
    await superuser.query(`alter table sign.audit_event add constraint no_record ${refusal}`);
    const { id } = await system.send(organization, { recipients: [person("1", address("ann"))] });
    const mailJobs = async () => {
      const sql = "select attempts, failed_at from sign.job where agreement_id = $1 and kind = 'mail'";
      return (await superuser.query<{ attempts: number; failed_at: Date | null }>(sql, [id])).rows;
    };
    await superuser.query("update sign.job set attempts = 200 where agreement_id = $1 and kind = 'mail'", [id]);
    await until(async () => {
      system.clock.advance(60 * 60_000);
      return (await mailJobs()).some(({ attempts }) => attempts > 202);
    });
    expect(await mailJobs()).toMatchObject([{ failed_at: null }]);
    await superuser.query("alter table sign.audit_event drop constraint no_record");
    await until(async () => {
      system.clock.advance(60 * 60_000);
      return (await mailJobs()).length === 0;
    });
    expect(await system.actionsOf(id)).toContain("recipient.mail-failed");
    expect((await superuser.query("select 1 from sign.view where agreement_id = $1", [id])).rowCount).toBe(0);
    await system.server.up();
    await organization.remindAgreement({ agreementId: id });
    await sign(await system.open((await system.mailsTo(address("ann"), 1))[0]));
  });

  test("gets every mail once though two processes send", async () => {
    const other = await system.another({ config: mailConfig(system.server) });
    await other.startWorkers();
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        system.send(organization, { recipients: [person("1", address(`p${index}`))] }),
      ),
    );
    await system.settle();
    await other.stop();
    const sent = system.server.mails.filter(({ to }) => to.endsWith(`-${round}@example.com`));
    expect(sent.map(({ to }) => to).sort()).toEqual(Array.from({ length: 12 }, (_, n) => address(`p${n}`)).sort());
  });
});

describe("the sender of an agreement", () => {
  const userId = "0198f3a1-7c00-7000-8000-0000000000aa";
  const all = {
    ...{ viewed: true, signed: true, declined: true, completed: true, expiring: true, expired: true },
    undelivered: true,
  };
  const reader = (settings: object, more: object = {}) => ({
    ...{
      userId,
      name: "Sue Sender",
      email: address("sue"),
      locale: "en",
      timeZone: "Europe/Berlin",
      stopToken: "stop-me",
    },
    settings: { delivery: NoticeDelivery.IMMEDIATE, ...settings },
    ...more,
  });
  /** Who sends is the caller of the tests. */
  const tell = (...readers: ReturnType<typeof reader>[]): void => {
    system.auth.setReaders(testCaller.clientId, readers);
    system.auth.setReaders(`user:${userId}`, readers);
  };
  const subjects = async (count: number) =>
    (await system.mailsTo(address("sue"), count)).map(({ subject }) => subject).sort();

  test("is told of what they want to know, once, with a way to end it", async () => {
    tell(reader(all));
    const recipients = [person("1", address("ann")), person("2", address("bob"), { role: RecipientRole.CARBON_COPY })];
    const { id } = await system.send(organization, { emailSubject: "Please sign: NDA", recipients });
    await sign(await system.open((await system.mailsTo(address("ann"), 1))[0]));
    await until(async () => (await statusOf(id)) === AgreementStatus.COMPLETED, 30_000);
    expect(await subjects(3)).toEqual(["Completed: NDA", "Opened: NDA", "Signed: NDA"]);
    await system.settle();
    const [mail] = await system.mailsTo(address("sue"), 3);
    expect(mail?.text).toContain("List-Unsubscribe: <https://sign.example.com/notices/stop/stop-me>");
    expect(mail?.text).toContain(`https://sign.example.com/dashboard/agreements/${id}`);
    // Recipients cannot turn off being asked.
    expect((await system.mailsTo(address("ann"), 1))[0]?.text).not.toContain("List-Unsubscribe");
    expect((await system.superuser.query("select 1 from sign.notice")).rowCount).toBe(0);
  });

  test("is told why somebody declined, and that a mail came back", async () => {
    tell(reader({ declined: true, undelivered: true }));
    system.server.unknown.add(address("gone"));
    await system.send(organization, { recipients: [person("1", address("ann")), person("2", address("gone"))] });
    const sessionToken = await system.open((await system.mailsTo(address("ann"), 1))[0]);
    expect(await subjects(1)).toEqual(["Email bounced: NDA"]);
    await system.signing.declineSigning({ sessionToken, reason: "Too dear", visitor });
    const [returned, declined] = await system.mailsTo(address("sue"), 2);
    for (const part of ["Person 2", "550", "enter another address"]) expect(returned?.text).toContain(part);
    for (const part of ["Person 1 declined", "Reason: Too dear"]) expect(declined?.text).toContain(part);
  });

  /** Sends an agreement for each name and has it read. */
  const haveRead = (names: readonly string[]) =>
    Promise.all(
      names.map(async (name) => {
        await system.send(organization, { emailSubject: `for ${name}.`, recipients: [person("1", address(name))] });
        const sessionToken = await system.open((await system.mailsTo(address(name), 1))[0]);
        await readAndConsent(system.signing, sessionToken, visitor);
      }),
    );
  const waiting = async () => (await system.superuser.query("select 1 from sign.notice")).rowCount ?? 0;
  const digestsDue = async () => {
    const { rows } = await system.superuser.query<{ run_at: Date }>(
      "select run_at from sign.job where kind = 'notice-mail'",
    );
    return rows.map(({ run_at }) => run_at);
  };
  const toSue = () => system.server.mails.filter(({ to }) => to === address("sue"));

  test("gets one mail a day, at eight by their clocks, and all news once, whoever sends it and whenever they come", async () => {
    tell(reader({ delivery: NoticeDelivery.DAILY, viewed: true }));
    const other = await system.another({ config: mailConfig(system.server) });
    await other.startWorkers();
    const [before, meanwhile] = [
      ["ann", "bob", "cid"],
      ["dan", "eve", "fay", "gil"],
    ] as const;
    await haveRead(before);
    await until(async () => (await waiting()) === before.length);
    await system.settle();
    expect(toSue()).toEqual([]);
    const [due] = await digestsDue();
    expect(await digestsDue()).toEqual([nextDigest("Europe/Berlin", system.clock.now())]);
    system.clock.advance((due?.getTime() ?? 0) - system.clock.now().getTime());
    await Promise.all([haveRead(meanwhile), system.mailsTo(address("sue"), 1)]);
    await until(async () => {
      await system.settle();
      const told = toSue().reduce((sum, { text }) => sum + (text.match(/opened “for/g) ?? []).length, 0);
      // News that came too late for the first summary are in the next.
      if (told < 7) system.clock.advance(dayMs);
      return told >= 7;
    }, 30_000);
    await system.settle();
    await other.stop();
    const digests = toSue();
    for (const name of [...before, ...meanwhile]) {
      expect(digests.filter(({ text }) => text.includes(`opened “for ${name}.”`))).toHaveLength(1);
    }
    expect(new Set(digests.map(({ messageId }) => messageId)).size).toBe(digests.length);
    expect([await waiting(), await digestsDue()]).toEqual([0, []]);
  });

  test("hears nothing once they were erased or want it no more", async () => {
    tell(reader({ delivery: NoticeDelivery.DAILY, viewed: true }));
    await haveRead(["ann"]);
    await until(async () => (await waiting()) === 1);
    tell();
    system.clock.advance(dayMs);
    await until(async () => (await waiting()) === 0);
    await system.settle();
    expect(toSue()).toEqual([]);
    tell(reader({ delivery: NoticeDelivery.DAILY, viewed: true }));
    await haveRead(["cid"]);
    await until(async () => (await waiting()) === 1);
    // Still told of what they send themselves, but no more of what applications do.
    system.auth.setReaders(testCaller.clientId, []);
    system.clock.advance(dayMs);
    await until(async () => (await waiting()) === 0);
    await system.settle();
    expect(toSue()).toEqual([]);
    tell(reader({ viewed: false, completed: true }));
    await haveRead(["bob"]);
    await system.settle();
    expect([toSue(), await digestsDue()]).toEqual([[], []]);
  });
});

describe("a mail that comes back after it was taken", () => {
  const tokenOf = (mail: { readonly text: string } | undefined): string =>
    /^X-Assent-Report:\s+([\w-]{80})\r?$/m.exec(mail?.text ?? "")?.[1] ?? "";
  const markOf = async (agreementId: string, place = 0) => {
    const target = { id: { case: "agreementId" as const, value: agreementId } };
    return (await organization.getAgreement({ target })).agreement?.recipients[place]?.deliveryFailedReason;
  };
  const failures = async (id: string) =>
    (await system.actionsOf(id)).filter((action) => action === "recipient.mail-failed").length;
  const eventsOf = async (id: string) => {
    const sql =
      "select 1 from sign.outbox where subject = 'assent.sign.recipient.undelivered' and data like '%' || $1 || '%'";
    return (await system.superuser.query(sql, [id])).rowCount;
  };
  const report = (token: string, status = "5.1.1") => organization.reportUndelivered({ token, status });

  test("marks its recipient and tells the sender, once, however often and at once it is reported", async () => {
    const userId = "0198f3a1-7c00-7000-8000-0000000000ab";
    const sue = {
      ...{ userId, name: "Sue Sender", email: address("sue"), locale: "en", timeZone: "Europe/Berlin" },
      ...{ stopToken: "stop-me", settings: { delivery: NoticeDelivery.IMMEDIATE, undelivered: true } },
    };
    for (const asked of [testCaller.clientId, `user:${userId}`]) system.auth.setReaders(asked, [sue]);
    const recipients = [person("1", address("ann")), person("2", address("bob"))];
    const { id } = await system.send(organization, { recipients });
    const [mail] = await system.mailsTo(address("bob"), 1);
    await system.mailsTo(address("ann"), 1);
    await system.settle();
    expect(mail?.text).toMatch(/^X-PM-Metadata-assent:\s+[\w-]{80}\r?$/im);
    await Promise.all([1, 2, 3].map(() => report(tokenOf(mail))));
    await report(tokenOf(mail), "");
    expect([await markOf(id, 0), await markOf(id, 1)]).toEqual(["", "the mail came back (5.1.1)"]);
    expect([await failures(id), await eventsOf(id)]).toEqual([1, 1]);
    const [notice] = await system.mailsTo(address("sue"), 1);
    expect(notice?.subject).toBe("Email bounced: NDA");
    for (const part of ["Person 2", "5.1.1"]) expect(notice?.text).toContain(part);
    system.auth.setReaders(testCaller.clientId, []);
  });

  test("marks nobody who has opened the agreement since, but when a later mail comes back", async () => {
    const { id } = await system.send(organization, { recipients: [person("1", address("ann"))] });
    const [invitation] = await system.mailsTo(address("ann"), 1);
    await system.settle();
    await report(tokenOf(invitation));
    expect(await markOf(id)).toBe("the mail came back (5.1.1)");
    system.clock.advance(60_000);
    await readAndConsent(system.signing, await system.open(invitation), visitor);
    await report(tokenOf(invitation));
    expect([await markOf(id), await failures(id)]).toEqual(["", 1]);
    system.clock.advance(60_000);
    await organization.remindAgreement({ agreementId: id });
    const [, reminder] = await system.mailsTo(address("ann"), 2);
    await system.settle();
    await report(tokenOf(reminder), "5.2.1");
    expect([await markOf(id), await failures(id)]).toEqual(["the mail came back (5.2.1)", 2]);
  });

  test("is believed by its token alone, which no other organization, agreement or person can have", async () => {
    const send = async (of: Organization, name: string) => {
      const { id } = await system.send(of, { recipients: [person("1", address(name))] });
      return { id, bytes: Buffer.from(tokenOf((await system.mailsTo(address(name), 1))[0]), "base64url") };
    };
    const own = await send(organization, "ann");
    const other = await send(system.organization(), "bob");
    await system.settle();
    const forged: Buffer[] = Array.from({ length: own.bytes.length }, (_, place) => {
      const bytes = Buffer.from(own.bytes);
      bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
      return bytes;
    });
    forged.push(Buffer.concat([own.bytes.subarray(0, 45), other.bytes.subarray(45)]));
    forged.push(Buffer.concat([other.bytes.subarray(0, 16), own.bytes.subarray(16)]), own.bytes.subarray(0, 59));
    for (const bytes of forged) expect(await report(bytes.toString("base64url"))).toMatchObject({});
    for (const text of ["x", `${own.bytes.toString("base64url")}=`]) await report(text);
    expect([await failures(own.id), await failures(other.id)]).toEqual([0, 0]);
    // Whoever reports is nobody: the token says whose mail it was.
    await report(other.bytes.toString("base64url"));
    expect([await failures(own.id), await failures(other.id)]).toEqual([0, 1]);
  });
});

describe("what is due by the calendar", () => {
  test("is asked for again and again, and ended in time, with views that are dead from then on", async () => {
    const days = { reminderDelay: 2, reminderFrequency: 3, expireAfter: 10, expireWarn: 0 };
    const { id } = await system.send(organization, {
      notification: { reminderEnabled: true, expireEnabled: true, ...days },
      recipients: [person("1", address("ann"))],
    });
    const counts: number[] = [];
    for (let day = 0; day <= 10; day += 1) {
      await system.settle();
      counts.push(system.server.mails.filter(({ to }) => to === address("ann")).length);
      system.clock.advance(dayMs);
    }
    // One more on the days 2, 5 and 8, and on the day 10 the end.
    expect(counts).toEqual([1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5]);
    expect(await statusOf(id)).toBe(AgreementStatus.EXPIRED);
    const mails = await system.mailsTo(address("ann"), 5);
    expect(mails.map(({ subject }) => subject)).toEqual([
      ...["Please sign: NDA", ...Array<string>(3).fill("Reminder: please sign NDA")],
      "Expired: NDA",
    ]);
    await expectDomainError(system.open(mails[3]), "VIEW_URL_EXPIRED");
    const { rows } = await system.superuser.query<{ subject: string }>(
      "select subject from sign.outbox where organization_id = $1",
      [organization.orgId],
    );
    expect(rows.filter(({ subject }) => subject === "assent.sign.agreement.expired")).toHaveLength(1);
    // The reminder that was planned for later finds nothing to do.
    system.clock.advance(dayMs);
    await system.settle();
    expect(await system.mailsTo(address("ann"), 5)).toHaveLength(5);
    const { rows: left } = await system.superuser.query("select kind from sign.job where agreement_id = $1", [id]);
    expect(left).toEqual([]);
    expect((await system.actionsOf(id)).filter((action) => action === "agreement.reminded")).toHaveLength(3);
  });
});

describe("without a mail server", () => {
  test("nobody is mailed, and no work is left for mails", async () => {
    const alone = await startSign();
    const { id } = await system.send(alone.organization(), { recipients: [person("1", address("ann"))] });
    const { rows } = await alone.superuser.query("select kind from sign.job where agreement_id = $1", [id]);
    expect(rows).toEqual([{ kind: "expiry" }]);
    await alone.stop();
  });
});
