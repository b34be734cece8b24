import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus, PauseReason, RecipientRole, RoutingSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import { until } from "#platform/testing/until.ts";
import type { Organization } from "../../test/harness.ts";
import { type MailSystem, mailConfig, person, startMailSystem } from "../../test/mail-system.ts";

const dayMs = 86_400_000;

let system: MailSystem;
let organization: Organization;
const address = (name: string): string => `${name}@example.com`;

beforeAll(async () => {
  system = await startMailSystem();
});
beforeEach(() => {
  organization = system.organization();
});
afterAll(() => system?.stop());

describe("an agreement that waits", () => {
  const hourMs = 3_600_000;
  const timesOf = (actions: readonly string[], action: string) => actions.filter((one) => one === action).length;
  const isWritten = async (id: string, action: string): Promise<boolean> =>
    (await system.actionsOf(id)).includes(action);

  test("is sent when its time has come, once, by two processes of which nothing of a half attempt stays", async () => {
    const second = await system.another({ config: mailConfig(system.server) });
    await second.startWorkers();
    const sendAt = timestampFromDate(new Date(system.clock.now().getTime() + 2 * hourMs));
    const { id, sentAt, expiresAt, paused } = await system.send(organization, {
      schedule: { sendAt },
      notification: { expireEnabled: true, expireAfter: 10 },
      recipients: [person("1", address("ina"))],
    });
    expect([paused?.reason, sentAt, expiresAt]).toEqual([PauseReason.SCHEDULED, undefined, undefined]);
    system.clock.advance(2 * hourMs - 60_000);
    await system.settle();
    expect(await system.actionsOf(id)).toEqual(["agreement.created", "agreement.scheduled"]);
    const { superuser } = system;
    // Whatever is written of the attempt goes with it.
    await superuser.query(
      "alter table sign.audit_event add constraint no_sending check (action <> 'recipient.sent') not valid",
    );
    const attempts = async (): Promise<number> => {
      const sql = "select attempts from sign.job where agreement_id = $1 and kind = 'resumption'";
      return (await superuser.query<{ attempts: number }>(sql, [id])).rows[0]?.attempts ?? 0;
    };
    await until(async () => {
      system.clock.advance(5 * 60_000);
      return (await attempts()) > 2;
    });
    expect(await system.actionsOf(id)).toEqual(["agreement.created", "agreement.scheduled"]);
    await superuser.query("alter table sign.audit_event drop constraint no_sending");
    await until(async () => {
      system.clock.advance(5 * 60_000);
      return isWritten(id, "recipient.mailed");
    });
    await system.settle();
    const actions = await system.actionsOf(id);
    expect(["agreement.sent", "recipient.sent", "recipient.mailed"].map((one) => timesOf(actions, one))).toEqual([
      ...[1, 1, 1],
    ]);
    const target = { id: { case: "agreementId" as const, value: id } };
    const { agreement } = await organization.getAgreement({ target });
    const [sent, expires] = [agreement?.sentAt, agreement?.expiresAt].map((time) => Number(time?.seconds));
    expect([agreement?.paused, (expires ?? 0) - (sent ?? 0)]).toEqual([undefined, 10 * 86_400]);
    await second.stop();
  });

  test("goes on by itself after a delay that counts from when it is reached", async () => {
    const { id } = await system.send(organization, {
      recipients: [person("1", address("jan")), person("2", address("kim"), { routingOrder: 2 })],
      routing: create(RoutingSchema, { pauses: [{ beforeRoutingOrder: 2, delaySeconds: 3_600 }] }),
    });
    system.clock.advance(3 * hourMs);
    await system.sign(await system.open((await system.mailsTo(address("jan"), 1))[0]));
    await system.settle();
    expect((await system.actionsOf(id)).at(-1)).toBe("agreement.paused");
    system.clock.advance(hourMs - 60_000);
    await system.settle();
    expect(system.server.mails.filter(({ to }) => to === address("kim"))).toEqual([]);
    system.clock.advance(60_000);
    const [mail] = await system.mailsTo(address("kim"), 1);
    await system.sign(await system.open(mail));
    await until(async () => (await system.statusOf(organization, id)) === AgreementStatus.COMPLETED);
    const actions = await system.actionsOf(id);
    expect(["agreement.paused", "agreement.resumed"].map((one) => timesOf(actions, one))).toEqual([1, 1]);
  });

  test("asks nobody once it was voided", async () => {
    const { id } = await system.send(organization, {
      schedule: { delaySeconds: 3_600 },
      recipients: [person("1", address("lea"))],
    });
    await organization.voidAgreement({ agreementId: id, reason: "Mistake" });
    system.clock.advance(2 * hourMs);
    await system.settle();
    expect(await system.actionsOf(id)).toEqual(["agreement.created", "agreement.scheduled", "agreement.voided"]);
    expect(system.server.mails.filter(({ to }) => to === address("lea"))).toEqual([]);
  });
});

describe("an agreement that will end", () => {
  const notification = { expireEnabled: true, expireAfter: 10, expireWarn: 3 };
  const subjectsTo = (name: string): string[] =>
    system.server.mails.filter(({ to }) => to === address(name)).map(({ subject }) => subject);

  test("tells those whose turn it is some days before, once, each in their words", async () => {
    const { id } = await system.send(organization, {
      notification,
      recipients: [
        person("1", address("ann")),
        person("2", address("ben")),
        person("3", address("cid"), { role: RecipientRole.APPROVER, locale: "de" }),
        person("4", address("dan"), { role: RecipientRole.CARBON_COPY }),
        person("5", address("eve"), { routingOrder: 2 }),
        person("6", address("fay"), { clientUserId: "6" }),
      ],
    });
    await system.sign(await system.open((await system.mailsTo(address("ben"), 1))[0]));
    await system.settle();
    system.clock.advance(7 * dayMs - 60_000);
    await system.settle();
    expect(["ann", "ben", "cid", "dan", "eve", "fay"].map((name) => subjectsTo(name).length)).toEqual([
      ...[1, 1, 1, 1, 0, 0],
    ]);
    system.clock.advance(120_000);
    const [, warning] = await system.mailsTo(address("ann"), 2);
    await system.mailsTo(address("cid"), 2);
    system.clock.advance(2 * dayMs);
    await system.settle();
    expect(warning?.text).toMatch(/It ends on \w+ \d{1,2}, \d{4} at \d{1,2}:\d\d\s[AP]M UTC;/);
    expect([warning?.subject, subjectsTo("cid")[1]]).toEqual(["Ending soon: NDA", "Die Frist endet bald: NDA"]);
    expect(["ann", "ben", "cid", "dan", "eve", "fay"].map((name) => subjectsTo(name).length)).toEqual([
      ...[2, 1, 2, 1, 0, 0],
    ]);
    // Its link works like any other.
    await system.sign(await system.open(warning));
    expect((await system.actionsOf(id)).filter((action) => action === "recipient.mailed")).toHaveLength(6);
  });

  test("tells nobody when the time is over before the warning can be given", async () => {
    const { id } = await system.send(organization, { notification, recipients: [person("1", address("gus"))] });
    await system.settle();
    await system.superuser.query(
      "update sign.job set run_at = run_at + interval '4 days' where kind = 'expiry-warning'",
    );
    system.clock.advance(10 * dayMs + 60_000);
    await until(async () => (await system.statusOf(organization, id)) === AgreementStatus.EXPIRED);
    system.clock.advance(2 * dayMs);
    await system.settle();
    expect(subjectsTo("gus")).toEqual(["Please sign: NDA", "Expired: NDA"]);
  });

  test("ends however often that has failed before", async () => {
    const { id } = await system.send(organization, { notification, recipients: [person("1", address("hal"))] });
    const { superuser } = system;
    await superuser.query("update sign.job set attempts = 2000000 where agreement_id = $1 and kind = 'expiry'", [id]);
    await superuser.query("alter table sign.agreement add constraint no_end check (status <> 'expired') not valid");
    system.clock.advance(10 * dayMs + 60_000);
    const attempts = async () => {
      const sql = "select attempts, failed_at from sign.job where agreement_id = $1 and kind = 'expiry'";
      return (await superuser.query<{ attempts: number; failed_at: Date | null }>(sql, [id])).rows[0];
    };
    await until(async () => {
      // It is tried again every five minutes.
      system.clock.advance(5 * 60_000);
      return ((await attempts())?.attempts ?? 0) > 2_000_003;
    });
    expect(await attempts()).toMatchObject({ failed_at: null });
    await superuser.query("alter table sign.agreement drop constraint no_end");
    await until(async () => {
      system.clock.advance(5 * 60_000);
      return (await system.statusOf(organization, id)) === AgreementStatus.EXPIRED;
    });
  });
});
