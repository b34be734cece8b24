import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { raceHolds } from "#platform/testing/hold-races.ts";
import { until } from "#platform/testing/until.ts";
import { type ConsentUpdate, recordUpdate } from "../../consent/record-update.ts";
import { consentActions } from "../../consent/test/consent-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, type ClickInstance, callerOf, rows, startClick } from "../../test/harness.ts";
import { type EraseUserDeps, eraseUser } from "../erase-user.ts";
import { personalData } from "../personal-data.ts";
import { createErasureParts, type ErasureParts, erasureActions } from "./erasure-actions.ts";
import { findWrong } from "./erasure-checks.ts";

let click: ClickHarness;
let other: ClickInstance;
let parts: ErasureParts;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
  parts = createErasureParts(click);
});
afterAll(async () => {
  await parts.close();
  await click.close();
});

const { addTemplate, create, accept, acceptTemplate } = clientActions(() => click);
const { addConsent, read, acceptConsent } = consentActions(() => click);
const { erase, receiptOf } = erasureActions(() => click);

const denial: ConsentUpdate = {
  userRef: "ann",
  purposes: [{ purpose: "news", decision: "DENY", templateId: undefined, expiresAt: null, field: "purposes[0]" }],
  withdrawAll: false,
  locale: undefined,
  expectedRevision: undefined,
  idempotencyKey: undefined,
  digest: Buffer.alloc(32),
  source: "API",
  method: null,
  actor: { type: "USER", id: null },
  reason: "on second thought",
  occurredAt: null,
  context: null,
  observed: { ip: null, userAgent: null, clientId: "cl_test", requestId: "req-1" },
  metadata: {},
};

const isWaiting = async (): Promise<boolean> => {
  const waiting = await rows(
    click,
    `select from pg_stat_activity where datname = current_database() and application_name = 'click-eraser'
       and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
};

/** As if the user did something in between, right after it was looked up what holds for the records there are. */
function depsThatMeet(meanwhile: () => Promise<unknown>): EraseUserDeps {
  let isFirst = true;
  const { templates } = parts.deps;
  const resolve: typeof templates.resolve = async (names) => {
    const found = await templates.resolve(names);
    if (isFirst) await meanwhile();
    isFirst = false;
    return found;
  };
  return { ...parts.deps, templates: { ...templates, resolve } };
}

const eraseAnn = (orgId: OrgId, deps: EraseUserDeps) =>
  eraseUser(deps, callerOf(orgId), { userRef: "ann", reason: "OTHER", holdMark: 0 });

describe("an erasure", () => {
  test("of a user whom another one erases at the same time finds what that one has left", async () => {
    for (let round = 0; round < 20; round += 1) {
      const template = addTemplate();
      const orgId = orgOf(template);
      const made = await Promise.all([1, 2, 3].map(() => acceptTemplate(template, { userRef: "ann" })));
      const answers = await Promise.all([erase(orgId, "ann"), erase(orgId, "ann", "", other)]);
      const erased = answers.flatMap((answer) => answer.erased.receipts);
      expect([round, erased.sort()]).toEqual([round, made.map(({ receipt }) => receipt.receiptId).sort()]);
      const leaves = (await leavesOf(click, orgId)).filter(({ kind }) => kind === "click.erasure");
      expect([round, leaves.length]).toEqual([round, 1]);
    }
  });

  test("waits for a change of consent that is under way, and takes it along", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    await acceptConsent(template, { news: true }, { userRef: "ann" });
    const [written, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changing = withOrg(parts.deps.pool, orgId, async (tenant) => {
      await recordUpdate(parts.deps, tenant, { caller: callerOf(orgId), update: denial, offers: new Map() });
      written.resolve();
      await seen.promise;
    });
    await written.promise;
    const erasing = erase(orgId, "ann");
    await until(isWaiting);
    seen.resolve();
    await changing;
    const { erased } = await erasing;
    expect([erased.receipts.length, erased.consentChanges.length]).toEqual([1, 1]);
    expect(await findWrong(click, orgId)).toEqual([]);
    expect(await read(orgId, { userRef: "ann" })).toMatchObject({ revision: 0n });
  });

  test("leaves whatever is there when a hold is answered, however it was about to erase it", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const receipts: string[] = [];
    const isErased = async (round: number) =>
      (await rows(click, "select from click.subject_key where record_id = $1", [receipts[round]])).length === 0;
    await raceHolds({
      prepare: async (round) => {
        receipts.push((await acceptTemplate(template, { userRef: `ann-${round}` })).receipt.receiptId);
      },
      note: (mark) => click.retention.noteHolds({ mark }, as(orgId)),
      deletes: (round, holdMark) => click.client.eraseUser({ userRef: `ann-${round}`, holdMark }, as(orgId)),
      isThere: async (round) => !(await isErased(round)),
    });
    const before = timestampFromDate(new Date(click.clock.now().getTime() + 60_000));
    const { records } = await click.retention.listOld({ before, limit: 200 }, as(orgId));
    const removal = { before, ids: records.map(({ id }) => id), holdMark: receipts.length };
    await expectDomainError(
      click.retention.removeOld({ ...removal, holdMark: receipts.length - 1 }, as(orgId)),
      "HOLDS_CHANGED",
    );
    expect((await click.retention.removeOld(removal, as(orgId))).keptIds).toEqual([]);
    expect(await findWrong(click, orgId)).toEqual([]);
  });

  test("looks again when there is a record whose terms it does not know yet: they may hold it", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const held = click.templates.add(orgId, { policyFlags: { legalHold: true } });
    const { receipt } = await acceptTemplate(template, { userRef: "ann" });
    const deps = depsThatMeet(() => acceptTemplate(held, { userRef: "ann" }));
    await expectDomainError(eraseAnn(orgId, deps), "CLICK_LEGAL_HOLD");
    expect(await receiptOf(orgId, receipt.receiptId)).toEqual(receipt);
  });

  test("covers what the user does under known terms while they are looked up", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann" });
    const { erased } = await eraseAnn(
      orgId,
      depsThatMeet(() => accept(template, { sessionId: session.id })),
    );
    expect([erased.receipts.length, erased.sessions]).toEqual([1, [session.id]]);
    expect(await findWrong(click, orgId)).toEqual([]);
  });

  test("that was interrupted tells what it did before a legal hold came, and does no more", async () => {
    const email = "ann@example.com";
    const people = createClient(
      PersonalDataService,
      createMemoryTransport((router) => router.service(PersonalDataService, personalData(parts.deps)), {
        interceptors: [],
      }),
    );
    const template = addTemplate();
    const orgId = orgOf(template);
    const { receipt: before } = await acceptTemplate(template, { userRef: email });
    const erasure = { person: { email }, erasureId: newId(), ground: "GDPR_17" };
    const page = async (asked: object) => {
      const { items, nextCursor } = await people.erasePerson({ ...erasure, ...asked }, as(orgId));
      return { nextCursor, told: items.map(({ targetId, keptBecause }) => [targetId, keptBecause]) };
    };
    expect((await page({})).told).toEqual([[before.receiptId, ""]]);
    const { receipt: after } = await acceptTemplate(template, { userRef: email });
    const { told, nextCursor } = await page({ isHeld: true });
    expect(told).toEqual([[before.receiptId, ""]]);
    expect((await page({ isHeld: true, cursor: nextCursor })).told).toEqual([[after.receiptId, "LEGAL_HOLD"]]);
    expect(await receiptOf(orgId, after.receiptId)).toEqual(after);
  });

  test("finds an address in the spellings that people and programs use, and nobody else's", async () => {
    const people = createClient(
      PersonalDataService,
      createMemoryTransport((router) => router.service(PersonalDataService, personalData(parts.deps)), {
        interceptors: [],
      }),
    );
    const template = addTemplate();
    const orgId = orgOf(template);
    const accepted = async (userRef: string) => (await acceptTemplate(template, { userRef })).receipt.receiptId;
    const theirs: string[] = [];
    for (const userRef of [
      "j\u00f6rg.lee@example.com",
      "J\u00f6rg.Lee@example.com",
      "Jo\u0308rg.lee@Example.com",
      "j\u00f6rg.lee@EXAMPLE.COM",
      "J\u00d6RG.LEE@EXAMPLE.COM",
    ]) {
      theirs.push(await accepted(userRef));
    }
    for (const userRef of ["j\u00f6rg.lee@example.org", "jorg.lee@example.com", "j\u00f6rg.lee"])
      await accepted(userRef);
    const person = { email: " j\u00f6rg.LEE@example.com" };
    const items: { kind: string; targetId: string }[] = [];
    const erasure = { person, erasureId: newId(), ground: "GDPR_17" };
    let cursor = "";
    do {
      const page = await people.erasePerson({ ...erasure, cursor }, as(orgId));
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== "");
    const erased = items.flatMap(({ kind, targetId }) => (kind === "click.receipt" ? targetId : []));
    expect(erased.toSorted()).toEqual(theirs.toSorted());
    expect((await people.findPerson({ person }, as(orgId))).items).toEqual([]);
  });
});
