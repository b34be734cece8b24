import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { withOrg } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { until } from "#platform/testing/until.ts";
import type { AgreementStatus } from "../../services/sign/agreement/agreement.ts";
import { loadAgreement } from "../../services/sign/agreement/agreement-store.ts";
import { isChainIntact } from "../../services/sign/agreement/audit-chain.ts";
import { listAuditEvents } from "../../services/sign/agreement/audit-store.ts";
import { agreementTransitions } from "../../services/sign/agreement/transitions.ts";
import { onePage } from "../../services/sign/intake/test/pdfs.ts";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type Face, faces } from "../support/sign-faces.ts";
import { type Mode, type System, scenario } from "../support/system.ts";

const pdf = { documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(onePage({})).toString("base64") };
const ann = { recipientId: "1", name: "Ann Example", email: "ann@example.com" };
const definition = { emailSubject: "Please sign", documents: [pdf], recipients: { signers: [ann] } };
const [native, compatible] = faces as [Face, Face];

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** How often each status and code was answered. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const seen = status < 300 ? "done" : `${status} ${body.errorCode}`;
    counts[seen] = (counts[seen] ?? 0) + 1;
  }
  return counts;
}

export const manyAtOnce = scenario("many at once on one agreement", describeManyAtOnce, "distributed");

function describeManyAtOnce(_mode: Mode, running: () => System): void {
  let system: System;
  let owner: Api;
  let inspector: pg.Pool;
  let orgId: OrgId;
  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
    inspector = new pg.Pool({ connectionString: system.inspectUrl, max: 2 });
    inspector.on("error", () => {});
    orgId = parseOrgId(owner.organizationId) as OrgId;
    // The first document waits for the processes that look into it.
    await until(async () => ((await native.create(owner, definition)).status === 201 ? true : undefined), 30_000);
  }, 90_000);
  afterAll(async () => {
    await inspector?.end();
  });

  const draft = async (): Promise<string> => bodyOf(201, await native.create(owner, definition)).id;
  /** Of another gateway where there are two. */
  const apiOf = (index: number): Api =>
    owner.with({ baseUrl: system.baseUrls[index % system.baseUrls.length] ?? owner.baseUrl });
  const faceOf = (index: number): Face => (index % 2 === 0 ? native : compatible);

  /** The history as it is stored: every hash follows from the one before, and every state from its predecessor. */
  async function expectConsistent(id: string): Promise<string[]> {
    const { agreement, events } = await withOrg(inspector, orgId, async (tenant) => ({
      agreement: await loadAgreement(tenant, id),
      events: await listAuditEvents(tenant, system.signVault, id),
    }));
    if (agreement === undefined) throw new Error(`${id} is not there`);
    expect(isChainIntact(id, events, agreement.audit)).toBe(true);
    let status: AgreementStatus = "created";
    for (const { agreementStatus } of events) {
      const isAllowed = agreementStatus === status || agreementTransitions[status].includes(agreementStatus);
      expect([status, agreementStatus, isAllowed]).toEqual([status, agreementStatus, true]);
      status = agreementStatus;
    }
    expect(agreement.status).toBe(status);
    return events.map(({ action }) => action);
  }

  const count = (actions: readonly string[], wanted: string): number => actions.filter((one) => one === wanted).length;

  test("sends once, whoever asks first", async () => {
    const id = await draft();
    const answers = await Promise.all(times(12, (index) => faceOf(index).send(apiOf(index), id)));
    expect(tally(answers)).toEqual({ done: 1, "409 ENVELOPE_ALREADY_SENT": 11 });
    const actions = await expectConsistent(id);
    expect([count(actions, "agreement.sent"), count(actions, "recipient.sent")]).toEqual([1, 1]);
  });

  test("voids once", async () => {
    const id = await draft();
    bodyOf(200, await native.send(owner, id));
    const answers = await Promise.all(times(12, (index) => faceOf(index).void(apiOf(index), id, `Reason ${index}`)));
    expect(tally(answers)).toEqual({ done: 1, "400 INVALID_ENVELOPE_STATUS": 11 });
    expect(count(await expectConsistent(id), "agreement.voided")).toBe(1);
    const { voidedReason } = bodyOf(200, await native.read(owner, id));
    const won = answers.findIndex(({ status }) => status < 300);
    expect(voidedReason).toBe(`Reason ${won}`);
  });

  test("keeps every change of a draft that was answered as done, and none after it was sent", async () => {
    const id = await draft();
    const changes = (index: number): Promise<Answer> => {
      const [face, api] = [faceOf(index), apiOf(index)];
      if (index === 9) return face.send(api, id);
      if (index === 13) return face.void(api, id, "A mistake.");
      if (index % 3 === 0) return face.edit(api, id, `Subject ${index}`);
      return face.addRecipients(api, id, {
        signers: [{ name: `Signer ${index}`, email: `signer-${index}@example.com` }],
      });
    };
    const answers = await Promise.all(times(18, changes));
    const refused = Object.keys(tally(answers)).filter((seen) => seen !== "done");
    for (const one of refused) {
      expect(["400 ENVELOPE_CANNOT_BE_MODIFIED", "400 INVALID_ENVELOPE_STATUS", "400 VALIDATION_FAILED"]).toContain(
        one,
      );
    }
    const actions = await expectConsistent(id);
    const after = actions.slice(actions.indexOf("agreement.sent"));
    expect([count(actions, "agreement.sent"), count(after, "agreement.modified")]).toEqual([1, 0]);
    const added = answers.filter(({ status }, index) => status < 300 && index % 3 !== 0 && index !== 13);
    const read = bodyOf(200, await native.read(owner, id));
    expect(read.recipients.signers).toHaveLength(1 + added.length);
    expect(new Set(read.recipients.signers.map((one: { recipientId: string }) => one.recipientId)).size).toBe(
      1 + added.length,
    );
    expect(answers[13]?.status === 200).toBe(read.status === "voided");
  });

  test("one key makes one agreement, however often and wherever it comes", async () => {
    for (const face of faces) {
      const key = { "x-idempotency-key": `order-1042-${face.name}` };
      const answers = await Promise.all(
        times(8, (index) => face.create(apiOf(index), { ...definition, status: "sent" }, key)),
      );
      const ids = new Set(answers.map((answer) => bodyOf(201, answer) && face.idIn(answer)));
      expect(ids.size).toBe(1);
      const replays = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
      expect(replays).toHaveLength(7);
      const [id = ""] = ids;
      expect(count(await expectConsistent(id), "agreement.created")).toBe(1);
      const other = await face.create(owner, { ...definition, emailSubject: "Something else" }, key);
      expect([other.status, other.body.errorCode]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    }
  });
}
