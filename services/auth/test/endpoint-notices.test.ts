import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toJsonString } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { SMTPServer } from "smtp-server";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import type { BusEvent, EventBus } from "#platform/events/bus.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import type { Mail } from "#platform/mail/mail.ts";
import { createSmtpMailer } from "#platform/mail/mail-settings.ts";
import { until } from "#platform/testing/until.ts";
import { type RunningNats, startNats } from "../../../dev/nats.ts";
import { findFreePort } from "../../../dev/ports.ts";
import { describeWithNats } from "../../../dev/test/describe-with-nats.ts";
import { type AuthHarness, type AuthProcess, createOrganization, startAuth } from "./harness.ts";
import { createOwner, type Person, someEmail } from "./people.ts";

const subject = "assent.webhooks.endpoint.disabled";

describeWithNats("mails about endpoints that were turned off", () => {
  let folder: string;
  let nats: RunningNats;
  let bus: EventBus;
  let auth: AuthHarness;
  let owner: Person;
  let smtpPort: number;
  let smtp: SMTPServer;
  /** What has arrived at the mail server. */
  let arrived: Arrived[];
  /** Called when the server has taken a mail, before the service hears of it. */
  let onTaken: () => Promise<void>;
  let running: readonly AuthProcess[];

  const startSmtp = async (): Promise<void> => {
    smtp = mailServer((mail) => arrived.push(mail));
    smtp.listen(smtpPort, "127.0.0.1");
    await once(smtp.server, "listening");
  };
  const stopSmtp = () => new Promise<void>((resolve) => smtp.close(resolve));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "assent-test-notices-"));
    nats = (await startNats({ storeDir: folder })) as RunningNats;
    bus = createNatsBus({ url: nats.url, logger: createLogger("test", "silent") });
    smtpPort = await findFreePort();
    const publicUrl = "https://sign.example.com";
    const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${smtpPort}`, from: "a@example.com" });
    const send = async (mail: Mail): Promise<void> => {
      await mailer.send(mail);
      await onTaken();
    };
    auth = await startAuth({ mailer: { send, close: () => mailer.close() }, publicUrl: () => publicUrl }, bus);
    running = [auth, await auth.another()];
    for (const worker of running.flatMap(workersOf)) await worker.start();
  });
  afterAll(async () => {
    for (const worker of running.flatMap(workersOf)) await worker.stop();
    await auth.stop();
    await bus.close();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    arrived = [];
    onTaken = async () => undefined;
    await startSmtp();
    owner = await createOwner(auth, await createOrganization(auth));
  });
  afterEach(stopSmtp);

  const disabled = (organizationId: string, reason = "FAILING", occurredAt = auth.clock.now()): BusEvent => {
    const id = newId();
    const payload = { case: "endpointDisabled", value: { endpointId: newId(), reason, host: "hooks.example.com" } };
    const event = { id, subject, organizationId, occurredAt: timestampFromDate(occurredAt), payload } as const;
    return { id, subject, data: toJsonString(EventSchema, create(EventSchema, event as never)) };
  };
  const subjects = () => arrived.map(({ subject: text }) => text).sort();
  const left = async (): Promise<number> =>
    (await auth.superuser.query("select count(*)::integer as n from auth.mail_job")).rows[0].n;

  test("every active owner gets one in their language, also when the bus has lost its disk and tells it again", async () => {
    const germanEmail = someEmail();
    const german = await createOwner(auth, owner.organizationId, germanEmail);
    await auth.superuser.query("update auth.user_account set locale = 'de-AT' where user_id = $1", [german.userId]);
    await createOwner(auth, await createOrganization(auth, "Other"));
    for (const role of [UserRole.OWNER, UserRole.DEVELOPER]) {
      await auth.users.inviteUser({ email: someEmail(), name: "Ivy Invited", role }, owner.call);
    }
    await until(() => arrived.length === 2);
    arrived = [];
    const event = disabled(owner.organizationId);
    await bus.publish([event]);
    await until(() => arrived.length === 2);
    await nats.kill();
    rmSync(join(folder, "jetstream"), { recursive: true, force: true });
    await nats.restart();
    await until(async () => {
      await bus.publish([event, disabled(owner.organizationId, "GONE")]);
      return true;
    });
    await until(() => arrived.length === 4);
    expect(arrived.map(({ to }) => to).sort()).toEqual([owner.email, owner.email, germanEmail, germanEmail].sort());
    expect(subjects()).toEqual([
      ...Array(2).fill("A webhook endpoint of Acme was disabled"),
      ...Array(2).fill("Ein Webhook-Endpunkt von Acme wurde deaktiviert"),
    ]);
    await until(async () => (await left()) === 0);
  });

  test("while the mail server is away it waits, and is sent once when it is back", async () => {
    await stopSmtp();
    await bus.publish([disabled(owner.organizationId)]);
    await until(async () => (await tries()) >= 1);
    auth.clock.advance(60_000);
    await until(async () => (await tries()) >= 2);
    expect(arrived).toEqual([]);
    await startSmtp();
    auth.clock.advance(60_000);
    await until(async () => (await left()) === 0);
    expect(arrived).toHaveLength(1);
  });
  const tries = async (): Promise<number> =>
    (await auth.superuser.query("select attempts from auth.mail_job where claim is null")).rows[0]?.attempts ?? 0;

  test("a process that dies before it could note that it sent one lets it be sent again under the same id", async () => {
    const dead = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    onTaken = () => {
      taken.resolve();
      return dead.promise;
    };
    await bus.publish([disabled(owner.organizationId)]);
    await taken.promise;
    onTaken = async () => undefined;
    auth.clock.advance(5 * 60_000);
    await until(async () => (await left()) === 0);
    dead.resolve();
    expect(arrived).toHaveLength(2);
    expect(new Set(arrived.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test("what happened days ago is no news", async () => {
    const old = new Date(auth.clock.now().getTime() - 3 * 24 * 60 * 60_000);
    await bus.publish([disabled(owner.organizationId, "GONE", old), disabled(owner.organizationId)]);
    await until(() => arrived.length === 1);
    await until(async () => (await left()) === 0);
  });
});

interface Arrived {
  readonly to: string;
  readonly subject: string;
  readonly messageId: string;
}

const workersOf = ({ service }: AuthProcess) =>
  service.workers.filter(({ name }) => name === "auth-mails" || name === "consumer auth-endpoint-notices");

const mailServer = (take: (mail: Arrived) => void): SMTPServer =>
  new SMTPServer({
    authOptional: true,
    // Connections that the service keeps open are cut.
    closeTimeout: 50,
    disabledCommands: ["STARTTLS"],
    onData: (stream, { envelope }, done) => {
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      stream.on("end", () => {
        const header = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1]?.trim() ?? "";
        const to = envelope.rcptTo[0]?.address ?? "";
        take({ to, subject: header("Subject"), messageId: header("Message-ID") });
        done();
      });
    },
  });
