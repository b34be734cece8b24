import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { HeadSource } from "#gen/assent/click/v1/click_pb.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { documentOf, embeddedSigner, read, send, sit, untilCompleted } from "../../completion/test/completion-setup.ts";
import { smallestPdf } from "../../intake/smallest-pdf.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { deleteWhenDue } from "../delete-agreement.ts";
import { isHeld } from "../holds.ts";
import { createRemover } from "../remover.ts";
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
  const drawnPng = Buffer.from("89504e470d0a1a0a00", "hex");
  await (await sit(sign, organization, agreement, "1"))({ drawnPng });
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
      ["created", "completed", "declined", "voided", "expired"].map((status) => [status, undefined, undefined]),
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
    expect([actor, JSON.parse(detailsJson).after.length]).toEqual(["cl_test", 5]);
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
    const { rows } = await sign.superuser.query<{ data: string }>(
      "select data from sign.outbox where organization_id = $1 and subject = 'assent.audit.privacy' order by position",
      [organization.orgId],
    );
    expect(rows.map(({ data }) => JSON.parse(data).auditedPrivacy.action)).toEqual([
      ...["hold.set", "retention.changed", "hold.lifted"],
    ]);
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

  test("is of one thing only, which is there", async () => {
    const agreement = await sent();
    const both = { agreementId: agreement.id, email: "ann@example.com", reason: "x" };
    await expectDomainError(organization.setLegalHold(both), "VALIDATION_FAILED");
    const foreign = sign.organization().setLegalHold({ agreementId: agreement.id, reason: "x" });
    await expectDomainError(foreign, "ENVELOPE_NOT_FOUND");
    const { hold } = await organization.setLegalHold({ agreementId: agreement.id, reason: "x" });
    await expectDomainError(sign.organization().liftLegalHold({ id: hold?.id ?? "" }), "LEGAL_HOLD_NOT_FOUND");
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
    const inDays = (days: number) => {
      const at = sign.clock.now().getTime() + days * dayMs;
      return { seconds: BigInt(Math.floor(at / 1_000)), nanos: 0 };
    };
    const soon = await organization.previewRetention({ until: inDays(8) });
    expect(soon.counts).toMatchObject([{ status: "created", agreements: 1 }]);
    expect(soon.agreements.map(({ agreementId }) => agreementId)).toEqual([draftOne.id]);

    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await organization.previewRetention({ until: inDays(31), limit: 1, cursor });
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

/** Why the events say that it was deleted. */
const told = async (agreementId: string): Promise<string[]> => {
  const { rows } = await sign.superuser.query<{ data: string }>(
    "select data from sign.outbox where subject = 'assent.sign.agreement.deleted' and data like $1",
    [`%${agreementId}%`],
  );
  return rows.map(({ data }) => JSON.parse(data).agreementDeleted.ground);
};

const fileOf = (value: Uint8Array) => ({ file: { file: { case: "sha256" as const, value } } });
const sealedFileOf = ({ documents: [document] }: Agreement) => fileOf(document?.sealedSha256 ?? new Uint8Array());
