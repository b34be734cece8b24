import { createHash, randomBytes, randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { EvidenceLogService, HeadSource, type RecordExternalHeadResponse } from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import type { OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import type { Service } from "#platform/service.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { as, type ClickHarness, newOrg, rows, startClick, testIssuer } from "../../test/harness.ts";
import { compactJws, jwsHeader } from "../leaf.ts";
import { addLeaves, publishTree, verifierKeyOf } from "./log-actions.ts";
import { leavesOf, verifyLeafJws } from "./signed-leaves.ts";

let click: ClickHarness;
/** As the sign service calls, two processes of this one. */
let logs: Client<typeof EvidenceLogService>[];

beforeAll(async () => {
  click = await startClick();
  logs = [click.service, (await click.startAnother()).service].map(clientOf);
});
afterAll(() => click?.close());

function clientOf({ routes }: Service): Client<typeof EvidenceLogService> {
  const interceptors = serverInterceptors({
    ...{ service: "click", logger: createLogger("click", "silent"), metrics: createMetrics() },
  });
  return createClient(EvidenceLogService, createMemoryTransport(routes, { interceptors, defaultTimeoutMs: 20_000 }));
}

const completedAt = new Date("2026-11-20T17:00:00.123Z");
const headOf = (agreementId: string, changes = {}) => ({
  ...{ source: HeadSource.SIGN, agreementId, sequence: 9, completedAt: timestampFromDate(completedAt) },
  headHash: createHash("sha256").update(agreementId).digest(),
  ...changes,
});
const enter = (orgId: OrgId, head: ReturnType<typeof headOf>, by = 0): Promise<RecordExternalHeadResponse> =>
  (logs[by % logs.length] as Client<typeof EvidenceLogService>).recordExternalHead(head, as(orgId));
const placeOf = ({ logId, leafIndex, leafHash }: RecordExternalHeadResponse) =>
  `${logId} ${leafIndex} ${Buffer.from(leafHash).toString("hex")}`;
const headRows = (orgId: OrgId) =>
  rows(
    click,
    `select h.agreement_id, h.head_hash, h.sequence, h.completed_at, l.leaf_index::integer, l.leaf_hash, l.signature,
       k.kid, h.record_id, h.recorded_at
     from click.external_head h
     join click.log_leaf l on l.organization_id = h.organization_id and l.record_id = h.record_id
     join click.signing_key k on k.purpose = 'receipt' and k.generation = l.signed_by
     where h.organization_id = $1`,
    [orgId],
  );

describe("the head of another service's trail", () => {
  test("is a signed leaf that names the agreement and nobody, proven against a checkpoint", async () => {
    const [orgId, agreementId] = [newOrg(), randomUUID()];
    await addLeaves(click, orgId, 3);
    const entered = await enter(orgId, headOf(agreementId.toUpperCase()));
    await addLeaves(click, orgId, 2);
    const [row] = await headRows(orgId);
    const leaf = (
      await rows<{ leaf: Buffer }>(
        click,
        "select leaf from click.log_leaf where organization_id = $1 and leaf_index = 3",
        [orgId],
      )
    )[0]?.leaf;
    expect(String(leaf)).toBe(
      canonicalJson({
        ...{ v: 1, kind: "click.external.head", iss: testIssuer, org: orgId, eid: row?.record_id },
        ...{ source: "sign", agreement: agreementId, sequence: 9, completedAt: completedAt.toISOString() },
        head: `sha256:${createHash("sha256").update(agreementId.toUpperCase()).digest("hex")}`,
        recordedAt: row?.recorded_at.toISOString(),
      }),
    );
    const jws = compactJws(jwsHeader({ kid: row?.kid }), leaf as Buffer, row?.signature);
    expect(await verifyLeafJws(click, jws)).toEqual(leaf);
    expect([entered.logId, entered.leafIndex, Buffer.from(entered.leafHash)]).toEqual([orgId, 3n, row?.leaf_hash]);
    expect(entered.leaf).toBe(String(leaf));
    expect((await enter(orgId, headOf(agreementId.toUpperCase()))).leaf).toBe(entered.leaf);

    await publishTree(click, orgId);
    const proof = await click.client.getInclusionProof(
      { leaf: { case: "index", value: entered.leafIndex } },
      as(orgId),
    );
    const note = verifyNote(proof.checkpoint, [verifierKeyOf(orgId)]);
    const { size, root } = parseCheckpoint(note?.text ?? "") ?? { size: 0, root: Buffer.alloc(32) };
    const leafHash = createHash("sha256")
      .update(Buffer.of(0))
      .update(leaf as Buffer)
      .digest();
    const path = proof.auditPath.map((hash) => Buffer.from(hash));
    expect([size, verifyInclusion(3, size, leafHash, path, root)]).toEqual([6, true]);
    expect(verifyInclusion(3, size, randomBytes(32), path, root)).toBe(false);
  });

  test("is entered once, however many enter it at the same time in however many processes", async () => {
    const [orgId, agreementId] = [newOrg(), randomUUID()];
    const places = await Promise.all(Array.from({ length: 20 }, (_, n) => enter(orgId, headOf(agreementId), n)));
    places.push(await enter(orgId, headOf(agreementId)));
    expect(new Set(places.map(placeOf)).size).toBe(1);
    expect((await leavesOf(click, orgId)).map(({ kind }) => kind)).toEqual(["click.external.head"]);
    expect(await headRows(orgId)).toHaveLength(1);
  });

  test("stays when another one comes for the same agreement", async () => {
    const [orgId, agreementId] = [newOrg(), randomUUID()];
    const entered = await enter(orgId, headOf(agreementId));
    for (const other of [{ headHash: randomBytes(32) }, { sequence: 10 }]) {
      await expect(enter(orgId, headOf(agreementId, other))).rejects.toMatchObject({ code: Code.AlreadyExists });
    }
    // Of two that come at once, one is told.
    const contested = randomUUID();
    const outcomes = await Promise.allSettled(
      [1, 2].map((n) => enter(orgId, headOf(contested, { headHash: Buffer.alloc(32, n) }), n)),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(placeOf(await enter(orgId, headOf(agreementId)))).toBe(placeOf(entered));
    expect(await leavesOf(click, orgId)).toHaveLength(2);
  });

  test("of an erasure is entered each time, and of each once", async () => {
    const [orgId, agreementId] = [newOrg(), randomUUID()];
    const completed = await enter(orgId, headOf(agreementId));
    const erased = (sequence: number) => headOf(agreementId, { source: HeadSource.SIGN_ERASURE, sequence });
    const places = [];
    for (const [n, sequence] of [11, 13, 11, 13].entries())
      places.push(placeOf(await enter(orgId, erased(sequence), n)));
    expect(places.slice(2)).toEqual(places.slice(0, 2));
    expect(new Set([...places, placeOf(completed)]).size).toBe(3);
    const sources = (await leavesOf(click, orgId)).map(({ leaf }) => JSON.parse(String(leaf)).source);
    expect(sources).toEqual(["sign", "sign.erasure", "sign.erasure"]);
    const other = { ...erased(11), headHash: randomBytes(32) };
    await expect(enter(orgId, other)).rejects.toMatchObject({ code: Code.AlreadyExists });
  });

  test("of records that were deleted is entered once, beside what agreements have", async () => {
    const [orgId, deletionId] = [newOrg(), randomUUID()];
    const records = headOf(deletionId, { source: HeadSource.SIGN_RECORDS, sequence: 100 });
    expect(placeOf(await enter(orgId, records, 1))).toBe(placeOf(await enter(orgId, records)));
    const other = { ...records, headHash: randomBytes(32) };
    await expect(enter(orgId, other)).rejects.toMatchObject({ code: Code.AlreadyExists });
    const leaves = (await leavesOf(click, orgId)).map(({ leaf }) => JSON.parse(String(leaf)));
    expect(leaves).toMatchObject([{ source: "sign.records", sequence: 100 }]);
  });

  test("is each organization's own", async () => {
    const [one, other, agreementId] = [newOrg(), newOrg(), randomUUID()];
    await enter(one, headOf(agreementId));
    const theirs = await enter(other, headOf(agreementId, { headHash: Buffer.alloc(32, 7) }));
    expect([theirs.logId, theirs.leafIndex]).toEqual([other, 0n]);
    expect(await headRows(one)).toHaveLength(1);
    expect(await headRows(other)).toMatchObject([{ head_hash: Buffer.alloc(32, 7) }]);
  });

  test.each([
    ["no source", { source: HeadSource.UNSPECIFIED }],
    ["a short hash", { headHash: Buffer.alloc(31) }],
    ["no event", { sequence: 0 }],
    ["no time", { completedAt: undefined }],
    ["what is no id", { agreementId: "agreement" }],
  ])("with %s is refused", async (_name, changes) => {
    const orgId = newOrg();
    await expect(enter(orgId, headOf(randomUUID(), changes))).rejects.toThrow();
    expect(await leavesOf(click, orgId)).toEqual([]);
  });
});
