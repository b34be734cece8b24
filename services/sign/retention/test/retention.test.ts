import { createHash } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { HeadSource } from "#gen/assent/click/v1/click_pb.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import {
  documentOf,
  embeddedSigner,
  read,
  send,
  sit,
  tinyPng,
  untilCompleted,
} from "../../completion/test/completion-setup.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { deleteWhenDue } from "../delete-agreement.ts";
import { isHeld } from "../holds.ts";
import type { RecordKind } from "../periods.ts";
import { createRecordRemover } from "../record-remover.ts";
import { createRemovalWorker, createRemover } from "../remover.ts";
import { dayMs, removal } from "./retention-setup.ts";

let sign: SignHarness;
let deps: Awaited<ReturnType<typeof removal>>;
let organization: Organization;

beforeAll(async () => {
  sign = await startSign();
  await sign.startWorkers();
  deps = await removal(sign);
});
beforeEach(() => {
  organization = sign.organization();
});
afterAll(async () => {
  await deps?.close();
  await sign?.stop();
});

const definition = (...names: string[]) => ({
  documents: [documentOf("1", smallestPdf)],
  recipients: names.map((name, index) => embeddedSigner(String(index + 1), name)),
});
const sent = (name = "Ann") => send(organization, definition(name));
const voided = async (name = "Ann"): Promise<Agreement> => {
  const agreement = await sent(name);
  await organization.voidAgreement({ agreementId: agreement.id, reason: "no more" });
  return agreement;
};
const draft = async (): Promise<Agreement> => {
  const { agreement } = await organization.createAgreement({
    definition: { emailSubject: "Draft", ...definition("Ann") },
  });
  return agreement as Agreement;
};
const completed = async (): Promise<Agreement> => {
  const agreement = await sent();
  // A drawn signature is a file as well.
  await (await sit(sign, organization, agreement, "1"))({ drawnPng: tinyPng });
  const done = await untilCompleted(organization, agreement.id);
  await until(async () => {
    const { events } = await organization.listAuditEvents({ agreementId: agreement.id });
    return events.some(({ action }) => action === "agreement.logged");
  });
  return done;
};

/** Sets a period of so many days, and waits until it holds. */
const keepFor = async (status: string, days: number): Promise<void> => {
  await organization.putRetention({ periods: [{ status, days }] });
  sign.clock.advance(7 * dayMs);
};
const periodOf = async (status: string) =>
  (await organization.getRetention({})).periods.find((period) => period.status === status);

const inDays = (days: number): Date => new Date(sign.clock.now().getTime() + days * dayMs);
const remover = (changes: Partial<typeof deps> = {}) => createRemover({ ...deps, ...changes });
const run = () => remover().run();
const isThere = (agreement: Agreement): Promise<boolean> =>
  read(organization, agreement.id).then(
    () => true,
    () => false,
  );
const tables = ["document", "recipient", "custom_field", "audit_event", "subject_key", "view", "attachment", "job"];
const leftOf = async (agreementId: string): Promise<string[]> => {
  const counts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sign.superuser.query(`select from sign.${table} where agreement_id = $1`, [agreementId]);
      return rows.length > 0 ? [table] : [];
    }),
  );
  return counts.flat();
};
const actsOf = async () => (await organization.listPrivacyActs({})).acts.map(({ action }) => action);

describe("a period", () => {
  test("is never at first, holds in seven days when it is shorter, and at once when it is longer", async () => {
    expect((await organization.getRetention({})).periods.map(({ status, days, next }) => [status, days, next])).toEqual(
      [
        ...["created", "completed", "declined", "voided", "expired"],
        ...["acceptances", "documents", "webhooks", "audit"],
      ].map((status) => [status, undefined, undefined]),
    );
    const before = await periodOf("voided");
    await organization.putRetention({ periods: [{ status: "voided", days: 30 }] });
    expect(await periodOf("voided")).toMatchObject({ next: { days: 30 } });
    sign.clock.advance(7 * dayMs);
    expect(await periodOf("voided")).toMatchObject({ days: 30 });
    await organization.putRetention({ periods: [{ status: "voided", days: 10 }] });
    await organization.putRetention({ periods: [{ status: "voided", days: 60 }] });
    expect(await periodOf("voided")).toMatchObject({ days: 60 });
    await organization.putRetention({ periods: [] });
    expect(await periodOf("voided")).toEqual(before);
    expect(await actsOf()).toEqual(Array(4).fill("retention.changed"));
    const [{ detailsJson = "", actor } = {}] = (await organization.listPrivacyActs({ limit: 1 })).acts;
    expect([actor, JSON.parse(detailsJson).after.length]).toEqual(["cl_test", 9]);
  });

  test("is refused that names a status twice", async () => {
    const period = { status: "voided", days: 1 };
    await expectDomainError(organization.putRetention({ periods: [period, period] }), "VALIDATION_FAILED");
  });

  test("deletes nothing before it holds, nothing that is still to be signed and nothing of others", async () => {
    const stranger = sign.organization();
    const foreign = await send(stranger, definition("Ann"));
    await stranger.voidAgreement({ agreementId: foreign.id, reason: "no more" });
    const [old, open] = [await voided(), await sent()];
    sign.clock.advance(100 * dayMs);
    await organization.putRetention({ periods: [{ status: "voided", days: 30 }] });
    expect(await run()).toBe(0);
    sign.clock.advance(7 * dayMs - 60_000);
    expect(await run()).toBe(0);
    sign.clock.advance(60_000);
    const recent = await voided();
    expect(await run()).toBe(1);
    expect([await isThere(old), await isThere(open), await isThere(recent)]).toEqual([false, true, true]);
    expect((await read(stranger, foreign.id)).id).toBe(foreign.id);
    expect((await stranger.listDeletions({ agreementId: old.id })).deletions).toEqual([]);
    expect((await organization.listDeletions({})).deletions.map(({ agreementId }) => agreementId)).toEqual([old.id]);
  });
});

describe("the periods of a template", () => {
  const template = async (): Promise<string> => {
    const { agreement } = await organization.createAgreement({
      definition: { name: "NDA", emailSubject: "NDA", ...definition("Ann") },
      isTemplate: true,
    });
    return agreement?.id ?? "";
  };
  const voidedFrom = async (templateId: string): Promise<Agreement> => {
    const compositions = [{ layers: [{ source: { case: "templateId" as const, value: templateId } }] }];
    const { agreement } = await organization.createAgreement({ compositions, send: true });
    await organization.voidAgreement({ agreementId: agreement?.id ?? "", reason: "no more" });
    return agreement as Agreement;
  };
  const keep = (templateId: string, ...periods: { status: string; days?: number }[]) =>
    organization.putRetention({ templateId, periods });
  const there = async (...agreements: Agreement[]) => Promise.all(agreements.map(isThere));

  test("take the place of those of the organization, seven days later when they are shorter", async () => {
    const [short, long, follower] = [await template(), await template(), await template()];
    const agreements = [await voidedFrom(short), await voidedFrom(long), await voidedFrom(follower), await voided()];
    await organization.putRetention({ periods: [{ status: "voided", days: 30 }] });
    await keep(long, { status: "voided" });
    await keep(short, { status: "voided", days: 3 });
    expect((await organization.getRetention({ templateId: long })).periods).toMatchObject([{ status: "voided" }]);
    expect((await organization.getRetention({ templateId: follower })).periods).toEqual([]);
    expect((await actsOf()).slice(0, 2)).toEqual(Array(2).fill("template-retention.changed"));
    sign.clock.advance(7 * dayMs - 60_000);
    expect(await run()).toBe(0);
    sign.clock.advance(60_000);
    expect(await run()).toBe(1);
    expect(await there(...agreements)).toEqual([false, true, true, true]);
    const days = (count: number) => ({
      seconds: BigInt(Math.floor(sign.clock.now().getTime() / 1_000) + count * 86_400),
    });
    const { counts, agreements: due } = await organization.previewRetention({ until: days(60) });
    expect(counts.reduce((sum, { agreements: count }) => sum + count, 0)).toBe(2);
    expect(new Set(due.map(({ agreementId }) => agreementId))).toEqual(
      new Set(agreements.slice(2).map(({ id }) => id)),
    );
    sign.clock.advance(30 * dayMs);
    await run();
    expect(await there(...agreements)).toEqual([false, true, false, false]);
  });

  test("that are taken back hold for seven days when those of the organization are shorter", async () => {
    const id = await template();
    const agreement = await voidedFrom(id);
    await keep(id, { status: "voided", days: 400 });
    await keepFor("voided", 1);
    sign.clock.advance(5 * dayMs);
    expect(await run()).toBe(0);
    await keep(id);
    const [ending] = (await organization.getRetention({ templateId: id })).periods;
    expect(ending).toMatchObject({ days: 400, next: { days: 0 } });
    await keep(id);
    expect((await organization.getRetention({ templateId: id })).periods).toEqual([ending]);
    const [due] = (await organization.previewRetention({ until: ending?.next?.from })).agreements;
    expect(due).toMatchObject({ agreementId: agreement.id, dueAt: ending?.next?.from });
    sign.clock.advance(7 * dayMs - 60_000);
    expect(await run()).toBe(0);
    sign.clock.advance(60_000);
    expect((await organization.getRetention({ templateId: id })).periods).toEqual([]);
    expect(await run()).toBe(1);
    await expectDomainError(sign.organization().getRetention({ templateId: id }), "TEMPLATE_NOT_FOUND");
    await expectDomainError(sign.organization().putRetention({ templateId: id }), "TEMPLATE_NOT_FOUND");
  });
});

describe("a completed agreement whose time is over", () => {
  test("is deleted with everything, and what remains says so to whoever has a file of it", async () => {
    const agreement = await completed();
    const { events } = await organization.listAuditEvents({ agreementId: agreement.id });
    const { summary } = await organization.verifySeal(sealedFileOf(agreement));
    await keepFor("completed", 1);
    expect(await run()).toBe(1);

    expect(await leftOf(agreement.id)).toEqual([]);
    const { rows } = await sign.superuser.query("select from sign.blob_reference where organization_id = $1", [
      organization.orgId,
    ]);
    expect(rows).toEqual([]);
    await expectDomainError(read(organization, agreement.id), "ENVELOPE_NOT_FOUND");

    const remains = await until(async () => {
      const [deletion] = (await organization.listDeletions({ agreementId: agreement.id })).deletions;
      return deletion?.deletionLeafIndex !== undefined && deletion;
    });
    expect(remains).toMatchObject({
      ...{ agreementId: agreement.id, ground: "RETENTION", status: "completed", createdAt: agreement.createdAt },
      ...{ trailHead: events.at(-1)?.hash, trailLength: events.length, endedAt: agreement.completedAt },
      evidenceLeafHash: summary?.evidenceLeafHash,
    });
    const leaf = sign.click.leaves[Number(remains.deletionLeafIndex)];
    expect(leaf).toMatchObject({
      ...{ agreementId: agreement.id, source: HeadSource.SIGN_DELETION, headHash: remains.trailHead },
      ...{ sequence: remains.trailLength, completedAt: remains.deletedAt },
    });

    const public_ = await sign.organization().verifySeal(sealedFileOf(agreement));
    expect([public_.summary, public_.deletion?.agreementId]).toEqual([undefined, agreement.id]);
    expect(public_.deletion?.deletionLeafIndex).toBeUndefined();
    const original = createHash("sha256").update(smallestPdf).digest();
    for (const file of [sealedFileOf(agreement), fileOf(original)]) {
      const { known, deleted } = await organization.verifyDocument(file);
      expect([known, deleted.map((one) => one.agreementId)]).toEqual([[], [agreement.id]]);
    }
    expect((await sign.organization().verifyDocument(sealedFileOf(agreement))).deleted).toEqual([]);
    expect(await actsOf()).toEqual(["agreement.deleted", "retention.changed"]);
    expect(await told(agreement.id)).toEqual(["RETENTION"]);
  });

  test("waits for the log while that has not got its completion", async () => {
    sign.click.setAway(true);
    const agreement = await sent();
    await (await sit(sign, organization, agreement, "1"))();
    await untilCompleted(organization, agreement.id);
    await keepFor("completed", 1);
    expect(await run()).toBe(0);
    sign.click.setAway(false);
    await until(async () => (await run()) === 1);
  });

  test("does not take along the files that others have as well", async () => {
    const [old] = [await voided()];
    await keepFor("voided", 1);
    const recent = await sent();
    expect(await run()).toBe(1);
    expect(await isThere(old)).toBe(false);
    const documentGuid = recent.documents[0]?.documentId ?? "";
    const target = { id: { case: "agreementId" as const, value: recent.id } };
    const { file } = await organization.getDocumentContent({ target, documentId: documentGuid });
    expect(
      Buffer.from(file?.content ?? [])
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
  });
});

describe("what is left of a draft that was deleted", () => {
  test("goes with the period of drafts", async () => {
    const agreement = await draft();
    await organization.deleteAgreement({ target: { id: { case: "agreementId", value: agreement.id } } });
    expect(await leftOf(agreement.id)).toEqual(["audit_event", "subject_key"]);
    await keepFor("created", 5);
    expect(await run()).toBe(1);
    expect(await leftOf(agreement.id)).toEqual([]);
  });
});

describe("a legal hold", () => {
  test.each(["agreement", "person", "organization"] as const)("of one %s keeps it until it is lifted", async (kind) => {
    const [agreement, other] = [await voided("Ann"), await voided("Bob")];
    const about = { agreement: { agreementId: agreement.id }, person: { email: " ANN@example.com" }, organization: {} };
    const { hold } = await organization.setLegalHold({ ...about[kind], reason: "Lawsuit 1" });
    expect(hold).toMatchObject({ kind, reason: "Lawsuit 1", createdBy: "cl_test", liftedBy: "" });
    await keepFor("voided", 1);
    await run();
    expect([await isThere(agreement), await isThere(other)]).toEqual([true, kind === "organization"]);
    const held = (what: object) =>
      withOrg(deps.removerPool, organization.orgId, (tenant) => isHeld(tenant, deps.vault, what));
    expect(await held({ agreementId: agreement.id })).toBe(true);
    expect(await held({ email: "Ann@Example.com" })).toBe(kind !== "agreement");
    expect(await held({ email: "bob@example.com" })).toBe(kind === "organization");

    const { hold: lifted } = await organization.liftLegalHold({ id: hold?.id ?? "" });
    expect(lifted).toMatchObject({ id: hold?.id, liftedBy: "cl_test" });
    expect(await organization.liftLegalHold({ id: hold?.id ?? "" })).toMatchObject({ hold: lifted });
    expect((await organization.listLegalHolds({})).holds).toEqual([]);
    expect((await organization.listLegalHolds({ withLifted: true })).holds).toEqual([lifted]);
    await run();
    expect(await isThere(agreement)).toBe(false);
    expect((await actsOf()).filter((action) => action.startsWith("hold"))).toEqual(["hold.lifted", "hold.set"]);
    const client = { kind: "client", id: "cl_test" };
    const ofHold = { actor: client, target: { kind: "legal-hold", id: hold?.id } };
    const told = await auditedOf(organization);
    const { acts } = await organization.listPrivacyActs({});
    expect(told.map(({ id }) => id)).toEqual(acts.map(({ id }) => id).reverse());
    expect(told.filter(({ action }) => action !== "agreement.deleted")).toMatchObject([
      { action: "hold.set", ...ofHold, changes: [{ field: "kind", value: kind }] },
      { action: "retention.changed", actor: client, changes: [{ field: "voided", value: "" }] },
      { action: "hold.lifted", ...ofHold },
    ]);
    const deleted = { action: "agreement.deleted", actor: { kind: "system", id: "" } };
    expect(told).toContainEqual(
      expect.objectContaining({ ...deleted, target: { kind: "agreement", id: agreement.id } }),
    );
    expect(JSON.stringify(told)).not.toMatch(/Ann|Bob|@example|Lawsuit/i);
  });

  test("finds those whose trail is of the first format, and those who were never written about", async () => {
    const agreement = await voided();
    await sign.superuser.query("delete from sign.subject_key where agreement_id = $1", [agreement.id]);
    await organization.setLegalHold({ email: "ann@example.com", reason: "Lawsuit 2" });
    await keepFor("voided", 1);
    expect(await run()).toBe(0);
    const preview = await organization.previewRetention({});
    expect(preview.agreements.map(({ agreementId, isHeld }) => [agreementId, isHeld])).toEqual([[agreement.id, true]]);
  });

  test.each(["agreement", "person", "organization"] as const)(
    "of one %s keeps a draft from its sender",
    async (kind) => {
      const held = await draft();
      const target = { id: { case: "agreementId" as const, value: held.id } };
      const about = { agreement: { agreementId: held.id }, person: { email: "ann@example.com" }, organization: {} };
      const { hold } = await organization.setLegalHold({ ...about[kind], reason: "Lawsuit 5" });
      await expectDomainError(organization.deleteAgreement({ target }), "LEGAL_HOLD");
      expect(await isThere(held)).toBe(true);
      await organization.liftLegalHold({ id: hold?.id ?? "" });
      await organization.deleteAgreement({ target });
      expect(await isThere(held)).toBe(false);
    },
  );

  test("finds a person however the letters of the address are written", async () => {
    const { agreement } = await organization.createAgreement({
      definition: { emailSubject: "x", recipients: [{ name: "J", email: "Jo\u0308rg@example.com" }] },
    });
    expect(agreement?.recipients[0]?.email).toBe("J\u00f6rg@example.com");
    await organization.setLegalHold({ email: "jo\u0308rg@example.com", reason: "Lawsuit 6" });
    expect(await organization.findPersonHold({ email: "J\u00f6rg@example.com" })).toMatchObject({ isHeld: true });
    const target = { id: { case: "agreementId" as const, value: agreement?.id ?? "" } };
    await expectDomainError(organization.deleteAgreement({ target }), "LEGAL_HOLD");
  });

  test("is of one thing only, which is there", async () => {
    const agreement = await sent();
    const both = { agreementId: agreement.id, email: "ann@example.com", reason: "x" };
    await expectDomainError(organization.setLegalHold(both), "VALIDATION_FAILED");
    await expectDomainError(organization.setLegalHold({ reason: " \u200b " }), "VALIDATION_FAILED");
    for (const email of [" ", "example.com", "Ann <ann@example.com>"]) {
      await expectDomainError(organization.setLegalHold({ email, reason: "x" }), "VALIDATION_FAILED");
    }
    const foreign = sign.organization().setLegalHold({ agreementId: agreement.id, reason: "x" });
    await expectDomainError(foreign, "ENVELOPE_NOT_FOUND");
    const { hold } = await organization.setLegalHold({ agreementId: agreement.id, reason: "x" });
    await expectDomainError(sign.organization().liftLegalHold({ id: hold?.id ?? "" }), "LEGAL_HOLD_NOT_FOUND");
  });

  test.each(["agreement", "person", "organization"] as const)(
    "of one %s is one however often it is set",
    async (kind) => {
      const [agreement, other] = [await voided(), await voided()];
      const [about, another] = {
        agreement: [{ agreementId: agreement.id }, { agreementId: other.id }],
        person: [{ email: "ann@example.com" }, { email: "bob@example.com" }],
        organization: [{}, { agreementId: other.id }],
      }[kind] as [object, object];
      const set = async (what: object, reason = "Lawsuit 7") =>
        (await organization.setLegalHold({ ...what, reason })).hold?.id ?? "";
      const [id, ...more] = await Promise.all([set(about), set(about), set(about)]);
      expect(more).toEqual([id, id]);
      const { holds } = await organization.listLegalHolds({});
      expect(holds).toMatchObject([{ id, kind, reason: "Lawsuit 7" }]);
      expect(await actsOf()).toEqual(["hold.set"]);
      // What differs in anything, or was lifted, is another one.
      const others = [await set(another), await set(about, "Lawsuit 8")];
      await organization.liftLegalHold({ id: id ?? "" });
      expect(new Set([id, ...others, await set(about)]).size).toBe(4);
    },
  );

  test("waits for a deletion that takes longer than a statement may wait for a lock, and so do periods", async () => {
    const { orgId } = organization;
    const deletion = await sign.superuser.connect();
    const calls = async () => {
      const options = { timeoutMs: 120_000 };
      const { hold } = await organization.setLegalHold({ reason: "Lawsuit 9" }, options);
      await organization.putRetention({ periods: [{ status: "voided", days: 1 }] }, options);
      return organization.liftLegalHold({ id: hold?.id ?? "" }, options);
    };
    const name = `sign.retention ${orgId}`;
    /** When the transaction began that waits for the deletion. */
    const waitingSince = async (): Promise<string | undefined> => {
      const { rows } = await sign.superuser.query<{ since: string }>(
        `select a.xact_start::text as since from pg_locks l join pg_stat_activity a using (pid)
         where l.locktype = 'advisory' and not l.granted and a.datname = current_database()`,
      );
      return rows[0]?.since;
    };
    try {
      await deletion.query("select pg_advisory_lock_shared(hashtextextended($1, 0))", [name]);
      const answers = calls();
      const first = await until(waitingSince);
      await until(async () => ![undefined, first].includes(await waitingSince()));
      expect((await organization.listLegalHolds({})).holds).toEqual([]);
      await deletion.query("select pg_advisory_unlock_shared(hashtextextended($1, 0))", [name]);
      expect((await answers).hold).toMatchObject({ reason: "Lawsuit 9", liftedBy: "cl_test" });
    } finally {
      deletion.release(true);
    }
  });

  test("is said to be there while nothing may go because its time is over", async () => {
    const process = await sign.another({ config: { retentionPerMinute: 0 } });
    const { orgId } = organization;
    expect(await process.organization(orgId).findPersonHold({})).toMatchObject({ isHeld: false, hasHolds: true });
    expect(await organization.findPersonHold({})).toMatchObject({ isHeld: false, hasHolds: false });
  });

  test("that was answered while something is being deleted keeps everything that is still there", async () => {
    const agreements = await Promise.all(Array.from({ length: 12 }, () => voided()));
    await keepFor("voided", 1);
    const running = remover({ removerPool: deps.removerPool }).run();
    await organization.setLegalHold({ reason: "Lawsuit 3" });
    const there = await Promise.all(agreements.map(isThere));
    await running;
    await run();
    expect(await Promise.all(agreements.map(isThere))).toEqual(there);
  });
});

describe("a purge", () => {
  const purge = (agreement: Agreement, state: string) =>
    organization.purgeAgreement({ agreementId: agreement.id, state });
  const fileOfDocument = (agreement: Agreement) =>
    organization.getDocumentContent({
      target: { id: { case: "agreementId", value: agreement.id } },
      documentId: agreement.documents[0]?.documentId ?? "",
    });
  const untilPurged = (agreement: Agreement) =>
    until(async () => {
      const now = await read(organization, agreement.id);
      return now.purge?.state.endsWith("_purged") === true && now;
    });
  const queueMs = 14 * dayMs;

  test("takes the files 14 days later, and leaves the agreement and a trail that proves it", async () => {
    const agreement = await completed();
    await purge(agreement, "documents_queued");
    expect(await purge(agreement, "documents_queued")).toMatchObject({
      agreement: { purge: { state: "documents_queued" } },
    });
    expect((await fileOfDocument(agreement)).file?.content.length).toBeGreaterThan(0);
    expect((await organization.previewRetention({ until: timestampFromDate(inDays(13)) })).purges).toEqual([]);
    const { purges } = await organization.previewRetention({ until: timestampFromDate(inDays(15)) });
    expect(purges).toMatchObject([{ agreementId: agreement.id, state: "documents_queued", isHeld: false }]);
    sign.clock.advance(queueMs);
    const left = await untilPurged(agreement);
    expect(left.purge).toMatchObject({ state: "documents_purged", purgedAt: expect.anything() });
    expect(left).toMatchObject({ status: agreement.status, documents: agreement.documents });
    await expectDomainError(fileOfDocument(agreement), "DOCUMENT_ERASED");
    await expectDomainError(organization.getCertificate({ agreementId: agreement.id }), "DOCUMENT_ERASED");
    const { rows } = await sign.superuser.query("select from sign.blob_reference where organization_id = $1", [
      organization.orgId,
    ]);
    expect(rows).toEqual([]);
    const logged = await until(async () => {
      const { events } = await organization.listAuditEvents({ agreementId: agreement.id });
      return events.filter(({ action }) => action === "agreement.logged").length === 2 && events;
    });
    const event = logged.find(({ action }) => action === "agreement.purged");
    expect(JSON.parse(event?.detailsJson ?? "")).toEqual({ purge: "documents_purged" });
    expect(sign.click.leaves).toContainEqual(
      expect.objectContaining({ source: HeadSource.SIGN_ERASURE, headHash: event?.hash }),
    );
    expect(await actsOf()).toEqual(["agreement.purged", "purge.requested"]);
    expect(await eventsOf("purged", agreement.id)).toHaveLength(1);
    expect((await organization.verifySeal(sealedFileOf(agreement))).summary).toBeDefined();
    await expectDomainError(purge(agreement, "documents_queued"), "VALIDATION_FAILED");
    await purge(agreement, "documents_and_metadata_queued");
    sign.clock.advance(queueMs);
    const bare = await until(async () => {
      const now = await read(organization, agreement.id);
      return now.purge?.state === "documents_and_metadata_purged" && now;
    });
    expect(bare.recipients.map(({ name, tabs }) => [name, tabs])).toEqual([["Ann", []]]);
  });

  test("is for what has ended, can be taken back, and waits while a hold keeps the agreement", async () => {
    await expectDomainError(purge(await sent(), "documents_queued"), "INVALID_ENVELOPE_STATUS");
    const [held, kept, gone] = [await voided(), await voided("Bob"), await voided("Bob")];
    await expectDomainError(purge(kept, "documents_dequeued"), "VALIDATION_FAILED");
    for (const agreement of [held, kept, gone]) await purge(agreement, "documents_and_metadata_queued");
    const { hold } = await organization.setLegalHold({ email: "ann@example.com", reason: "Lawsuit 4" });
    sign.clock.advance(queueMs - 60_000);
    await purge(kept, "documents_dequeued");
    sign.clock.advance(60_000);
    await untilPurged(gone);
    const states = async () =>
      (await Promise.all([held, kept].map(({ id }) => read(organization, id)))).map(({ purge }) => purge?.state);
    expect(await states()).toEqual(["documents_and_metadata_queued", "documents_dequeued"]);
    expect((await fileOfDocument(held)).file).toBeDefined();
    await organization.liftLegalHold({ id: hold?.id ?? "" });
    // It is looked at again each hour.
    await until(async () => {
      sign.clock.advance(60 * 60_000);
      return (await read(organization, held.id)).purge?.state === "documents_and_metadata_purged";
    });
    expect((await fileOfDocument(kept)).file).toBeDefined();
    await expectDomainError(
      sign.organization().purgeAgreement({ agreementId: kept.id, state: "documents_queued" }),
      "ENVELOPE_NOT_FOUND",
    );
  });
});

describe("the preview", () => {
  test("tells what goes until a moment, page by page, by periods that hold and that are to come", async () => {
    const agreements = [await voided(), await voided(), await voided()];
    const draftOne = await draft();
    await organization.putRetention({
      periods: [
        { status: "voided", days: 30 },
        { status: "created", days: 3 },
      ],
    });
    expect((await organization.previewRetention({})).counts).toEqual([]);
    const soon = await organization.previewRetention({ until: timestampFromDate(inDays(8)) });
    expect(soon.counts).toMatchObject([{ status: "created", agreements: 1 }]);
    expect(soon.agreements.map(({ agreementId }) => agreementId)).toEqual([draftOne.id]);

    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await organization.previewRetention({ until: timestampFromDate(inDays(31)), limit: 1, cursor });
      expect(page.counts.map(({ agreements: count }) => count)).toEqual([1, 3]);
      seen.push(...page.agreements.map(({ agreementId }) => agreementId));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen).toEqual([draftOne, ...agreements].map(({ id }) => id));
    await expectDomainError(organization.previewRetention({ cursor: "1-x" }), "VALIDATION_FAILED");
  });
});

describe("the remover", () => {
  test("keeps its limit, gives every organization its turn and goes on where it was", async () => {
    const organizations = [sign.organization(), sign.organization(), sign.organization()];
    for (const [index, count] of [25, 2, 2].entries()) {
      organization = organizations[index] as Organization;
      for (let made = 0; made < count; made += 1) await voided();
      await organization.putRetention({ periods: [{ status: "voided", days: 1 }] });
    }
    sign.clock.advance(8 * dayMs);
    const limited = remover({ perMinute: 8 });
    const runs: number[] = [];
    const served = new Set<string>();
    for (let deleted = -1; deleted !== 0; runs.push(deleted)) {
      deleted = await limited.run();
      if (runs.length < 3) for (const one of organizations) if ((await deletionsOf(one)) > 0) served.add(one.orgId);
    }
    expect([runs.slice(0, 3), served.size, Math.max(...runs)]).toEqual([[8, 8, 8], 3, 8]);
    expect(await Promise.all(organizations.map(deletionsOf))).toEqual([25, 2, 2]);
  });

  test("deletes each agreement once, however many processes do so and wherever they are killed", async () => {
    const agreements = await Promise.all(Array.from({ length: 10 }, () => voided()));
    await keepFor("voided", 1);
    let calls = 0;
    const broken = {
      release: async (...args: Parameters<typeof deps.blobs.release>) => {
        calls += 1;
        if (calls % 3 === 0) throw new Error("killed");
        await deps.blobs.release(...args);
      },
    };
    await expect(remover({ blobs: broken }).run()).rejects.toThrow("killed");
    await Promise.all([remover().run(), remover().run(), remover().run()]);
    await run();
    expect((await Promise.all(agreements.map(isThere))).some(Boolean)).toBe(false);
    expect(await deletionsOf(organization)).toBe(10);
    for (const { id } of agreements) expect(await told(id)).toEqual(["RETENTION"]);
    expect(await deleteWhenDue(deps, organization.orgId, agreements[0]?.id ?? "")).toBe(false);
  });
});

const deletionsOf = async ({ orgId }: Organization): Promise<number> => {
  const { rowCount } = await sign.superuser.query("select from sign.deleted_agreement where organization_id = $1", [
    orgId,
  ]);
  return rowCount ?? 0;
};

/** What those who watch over the organization are told, in its order. */
const auditedOf = async ({ orgId }: Organization): Promise<{ readonly id: string; readonly action: string }[]> => {
  const { rows } = await sign.superuser.query<{ data: string }>(
    "select data from sign.outbox where organization_id = $1 and subject = 'assent.audit.privacy' order by position",
    [orgId],
  );
  return rows.map(({ data }) => {
    const { id, auditedPrivacy } = JSON.parse(data);
    return { id, ...auditedPrivacy };
  });
};

const eventsOf = async (verb: string, agreementId: string): Promise<{ agreementDeleted?: { ground: string } }[]> => {
  const { rows } = await sign.superuser.query<{ data: string }>(
    "select data from sign.outbox where subject = 'assent.sign.agreement.' || $1 and data like $2",
    [verb, `%${agreementId}%`],
  );
  return rows.map(({ data }) => JSON.parse(data));
};

/** Why the events say that it was deleted. */
const told = async (agreementId: string) =>
  (await eventsOf("deleted", agreementId)).map(({ agreementDeleted }) => agreementDeleted?.ground);

const fileOf = (value: Uint8Array) => ({ file: { file: { case: "sha256" as const, value } } });
const sealedFileOf = ({ documents: [document] }: Agreement) => fileOf(document?.sealedSha256 ?? new Uint8Array());

describe("records of other services", () => {
  beforeEach(() => sign.records.kept.clear());

  const add = (days: number, more: { addresses?: string[]; agreementId?: string; kind?: RecordKind } = {}): string => {
    const id = newId();
    const at = new Date(sign.clock.now().getTime() - days * dayMs);
    sign.records.kept.set(id, { orgId: organization.orgId, kind: "acceptances", id, at, ...more });
    return id;
  };
  const runRecords = () => createRecordRemover(deps).run();
  const left = (...ids: string[]): boolean[] => ids.map((id) => sign.records.kept.has(id));
  const lastAct = async () => (await organization.listPrivacyActs({ limit: 1 })).acts[0];

  test("go when their period is over, of one organization and one kind, in batches with an act each", async () => {
    const stranger = sign.organization();
    const theirs = newId();
    sign.records.kept.set(theirs, { orgId: stranger.orgId, kind: "acceptances", id: theirs, at: new Date(0) });
    const old = Array.from({ length: 120 }, () => add(40));
    const [recent, document] = [add(10), add(40, { kind: "documents" })];
    // Nobody has to say how long deliveries stay: they go after 30 days.
    for (const days of [10, 40]) add(days, { kind: "webhooks" });
    await organization.putRetention({ periods: [{ status: "acceptances", days: 30 }] });
    expect(await runRecords()).toBe(0);
    const preview = await organization.previewRetention({ until: timestampFromDate(inDays(8)) });
    expect(preview.records).toMatchObject([
      { kind: "acceptances", records: 120 },
      { kind: "webhooks", records: 1 },
    ]);
    sign.clock.advance(7 * dayMs);
    expect(await runRecords()).toBe(120);
    expect(left(...old)).not.toContain(true);
    expect(left(recent, document, theirs)).toEqual([true, true, true]);
    const { acts } = await organization.listPrivacyActs({ limit: 3 });
    const told = acts.map(({ action, actor, detailsJson }) => [action, actor, JSON.parse(detailsJson)]);
    expect(told).toMatchObject([
      ["records.deleted", "", { kind: "acceptances", count: 20 }],
      ["records.deleted", "", { kind: "acceptances", count: 100 }],
      ["retention.changed", "cl_test", {}],
    ]);
    expect((await sign.superuser.query("select from sign.record_removal")).rowCount).toBe(0);
  });

  test("have no periods of templates", async () => {
    const { agreement } = await organization.createAgreement({
      definition: { name: "NDA", emailSubject: "NDA", ...definition("Ann") },
      isTemplate: true,
    });
    const request = { templateId: agreement?.id ?? "", periods: [{ status: "audit", days: 30 }] };
    await expectDomainError(organization.putRetention(request), "VALIDATION_FAILED");
    const { periods } = await organization.putRetention({ ...request, periods: [{ status: "voided", days: 30 }] });
    expect(periods.map(({ status }) => status)).toEqual(["voided"]);
  });

  test("stay while a hold keeps the person, their agreement or everything", async () => {
    const agreement = await sent();
    const [hers, his, about] = [
      add(40, { addresses: ["Ann@Example.com"] }),
      add(40, { addresses: ["bo@example.com"] }),
      add(40, { agreementId: agreement.id }),
    ];
    await keepFor("acceptances", 30);
    const holds = await Promise.all([
      organization.setLegalHold({ email: "ann@example.com", reason: "x" }),
      organization.setLegalHold({ agreementId: agreement.id, reason: "x" }),
    ]);
    expect(await runRecords()).toBe(1);
    expect(left(hers, his, about)).toEqual([true, false, true]);
    const all = await organization.setLegalHold({ reason: "x" });
    for (const { hold } of holds) await organization.liftLegalHold({ id: hold?.id ?? "" });
    expect(await runRecords()).toBe(0);
    await organization.liftLegalHold({ id: all.hold?.id ?? "" });
    expect(await runRecords()).toBe(2);
  });

  test("are not deleted by whoever knows of fewer holds, and a hold that not every service knows of stands all the same", async () => {
    const { orgId } = organization;
    expect(await organization.findPersonHold({})).toMatchObject({ mark: 0, hasHolds: false });
    const { hold } = await organization.setLegalHold({ email: "ann@example.com", reason: "x" });
    expect([sign.records.marks.get(orgId), await organization.findPersonHold({})]).toMatchObject([
      1,
      { mark: 1, hasHolds: true, isHeld: false },
    ]);
    await organization.liftLegalHold({ id: hold?.id ?? "" });
    // It counts what there ever was.
    expect(await organization.findPersonHold({})).toMatchObject({ mark: 1, hasHolds: false });
    sign.records.setAway(true);
    await expectDomainError(organization.setLegalHold({ reason: "y" }), "SERVICE_UNAVAILABLE");
    sign.records.setAway(false);
    expect(await organization.findPersonHold({})).toMatchObject({ mark: 2, hasHolds: true, isHeld: true });
    expect(sign.records.marks.get(orgId)).toBe(1);
    const { hold: again } = await organization.setLegalHold({ reason: "y" });
    expect(sign.records.marks.get(orgId)).toBe(2);
    const { holds } = await organization.listLegalHolds({});
    expect(holds).toEqual([again]);
    for (const { id } of holds) await organization.liftLegalHold({ id });
  });

  test("are one leaf of the log for all that went together: how many, and the hash of their ids", async () => {
    const old = [add(40, { kind: "documents" }), add(40, { kind: "documents" })];
    await keepFor("documents", 30);
    const before = sign.click.leaves.length;
    expect(await runRecords()).toBe(2);
    const { acts } = await organization.listPrivacyActs({ limit: 1 });
    const [act] = acts;
    const text = old.toSorted().map((id) => `${id}\n`);
    const headHash = createHash("sha256").update(text.join("")).digest();
    expect(JSON.parse(act?.detailsJson ?? "")).toMatchObject({ count: 2, sha256: headHash.toString("hex") });
    const leaf = await until(async () =>
      sign.click.leaves.slice(before).find(({ agreementId }) => agreementId === act?.subjectId),
    );
    expect(leaf).toMatchObject({ source: HeadSource.SIGN_RECORDS, sequence: 2, completedAt: act?.at });
    expect(Buffer.from(leaf.headHash)).toEqual(headHash);
    // Acceptances have the leaf of their erasure.
    add(40);
    await keepFor("acceptances", 30);
    expect(await runRecords()).toBe(1);
    const jobs = await sign.superuser.query("select from sign.job where kind = 'deletion' and organization_id = $1", [
      organization.orgId,
    ]);
    expect(jobs.rowCount).toBe(0);
  });

  test("of webhooks are looked at after 30 days while there is a hold, without a period", async () => {
    const [hers, his] = [
      add(31, { kind: "webhooks", addresses: ["ann@example.com"] }),
      add(31, { kind: "webhooks", addresses: ["bo@example.com"] }),
    ];
    const young = add(29, { kind: "webhooks" });
    expect(await runRecords()).toBe(0);
    const { hold } = await organization.setLegalHold({ email: "ann@example.com", reason: "x" });
    expect(await runRecords()).toBe(1);
    expect(left(hers, his, young)).toEqual([true, false, true]);
    await organization.liftLegalHold({ id: hold?.id ?? "" });
    // From here on the webhooks service deletes them.
    expect([await runRecords(), left(hers)]).toEqual([0, [true]]);
  });

  test("go on with another kind while a service is away, not after the database itself was", async () => {
    const document = add(40, { kind: "documents" });
    await organization.putRetention({
      periods: [
        { status: "acceptances", days: 30 },
        { status: "documents", days: 30 },
      ],
    });
    sign.clock.advance(7 * dayMs);
    const runWith = (error: Error) => {
      const acceptances = { ...deps.records.acceptances, listOld: () => Promise.reject(error) };
      return createRecordRemover({ ...deps, records: { ...deps.records, acceptances } }).run();
    };
    const ended = Object.assign(new Error("terminating connection"), { code: "57P01" });
    await expect(runWith(ended)).rejects.toBe(ended);
    expect(left(document)).toEqual([true]);
    expect(await runWith(new ConnectError("away", Code.Unavailable))).toBe(1);
    expect(left(document)).toEqual([false]);
  });

  test("that a process has removed before it ended are told of once, and a hold set meanwhile keeps the rest", async () => {
    const old = [add(40), add(40)];
    await keepFor("acceptances", 30);
    sign.records.beforeAnswer(() => Promise.reject(new Error("the process ends")));
    expect(await runRecords()).toBe(0);
    expect(left(...old)).toEqual([false, false]);
    expect((await lastAct())?.action).toBe("retention.changed");
    sign.records.beforeAnswer(async () => {});
    const spared = add(40);
    await organization.setLegalHold({ reason: "x" });
    expect(await runRecords()).toBe(2);
    expect(JSON.parse((await lastAct())?.detailsJson ?? "")).toMatchObject({ kind: "acceptances", count: 2 });
    expect(left(spared)).toEqual([true]);
    expect(await runRecords()).toBe(0);
  });
});

describe("the worker", () => {
  test("deletes nothing for its time while the database went back and nobody has confirmed it, or nobody says so", async () => {
    sign.click.setWentBack(true);
    const agreement = await voided();
    await keepFor("voided", 1);
    sign.clock.advance(2 * dayMs);
    let asked = 0;
    const mayDeleteByTime: typeof sign.click.client.mayDeleteByTime = (...call) => {
      asked += 1;
      return sign.click.client.mayDeleteByTime(...call);
    };
    const start = async (perMinute: number) => {
      const evidenceLog = { ...sign.click.client, mayDeleteByTime };
      const worker = createRemovalWorker({ ...deps, evidenceLog, perMinute }, 20);
      await worker.start();
      return worker;
    };
    const askedAgain = () =>
      until(
        (
          (before) => () =>
            asked > before + 2
        )(asked),
      );
    const worker = await start(600);
    await askedAgain();
    sign.click.setAway(true);
    await askedAgain();
    sign.click.setAway(false);
    await askedAgain();
    expect(await isThere(agreement)).toBe(true);
    sign.click.setWentBack(false);
    await until(async () => !(await isThere(agreement)));
    await worker.stop();
  });

  test("asks again between agreements and other records", async () => {
    const agreement = await voided();
    await keepFor("voided", 1);
    sign.clock.advance(2 * dayMs);
    let asked = 0;
    const mayDeleteByTime: typeof sign.click.client.mayDeleteByTime = (...call) => {
      asked += 1;
      sign.click.setWentBack(asked > 1);
      return sign.click.client.mayDeleteByTime(...call);
    };
    let looked = 0;
    const removerPool = new Proxy(deps.removerPool, {
      get: (pool, name, receiver) => {
        if (name === "query") looked += 1;
        return Reflect.get(pool, name, receiver);
      },
    });
    const evidenceLog = { ...sign.click.client, mayDeleteByTime };
    const worker = createRemovalWorker({ ...deps, removerPool, evidenceLog }, 20);
    await worker.start();
    await until(() => asked > 3);
    await worker.stop();
    sign.click.setWentBack(false);
    // Which organizations have agreements that go, once, and never what else there is.
    expect([await isThere(agreement), looked]).toEqual([false, 1]);
  });
});
