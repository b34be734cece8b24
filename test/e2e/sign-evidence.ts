import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { until } from "#platform/testing/until.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { smallestPdf } from "../../services/sign/intake/merge-pdfs.ts";
import type { Answer, Api } from "../support/api.ts";
import { checkTrail } from "../support/check-trail.ts";
import { bodyOf } from "../support/journeys.ts";
import { readPageAndConsent } from "../support/read-and-consent.ts";
import { type Face, faces } from "../support/sign-faces.ts";
import { type System, scenario } from "../support/system.ts";

const [native, compatible] = faces as [Face, Face];
const definition = {
  ...{ emailSubject: "Please sign", status: "sent" },
  documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") }],
  recipients: { signers: [{ recipientId: "1", name: "Ann", email: "ann@example.com", clientUserId: "1" }] },
};

export const evidenceOfAgreement = scenario("a completed agreement in the evidence log", (_mode, running) => {
  let system: System;
  let owner: Api;
  let inspector: pg.Pool;
  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
    inspector = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    inspector.on("error", () => {});
  }, 90_000);
  afterAll(async () => {
    await inspector?.end();
  });

  /** Ann follows her link, and signs. */
  async function complete(): Promise<{ id: string; sealedSha256: string }> {
    const created = await until(async () => {
      const answer = await native.create(owner, definition);
      // The first document waits for the processes that look into it.
      return answer.status === 201 && answer;
    });
    const id = native.idIn(created);
    const wish = { recipientId: "1", returnUrl: "https://www.example.com/" };
    const { url } = bodyOf(201, await native.createView(owner, id, wish));
    const { headers } = await fetch(owner.baseUrl + new URL(url).pathname, { redirect: "manual" });
    const session = /\/signing\/s\/[^/]+/.exec(headers.get("location") ?? "")?.[0] ?? "";
    const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const say = (path: string, body: object): Promise<Answer> =>
      owner.call("POST", `${session}/${path}`, body, { cookie });
    await readPageAndConsent((method, path, body) => owner.call(method, `${session}/${path}`, body, { cookie }));
    const adopted = { typed: "Ann", font: "caveat", drawnPng: "" };
    bodyOf(200, await say("finish", { values: [], signature: adopted, initials: adopted }));
    await until(async () => bodyOf(200, await native.read(owner, id)).status === "completed", 60_000);
    const { rows } = await inspector.query<{ sha256: string }>(
      "select encode(sealed_sha256, 'hex') as sha256 from sign.document where agreement_id = $1",
      [id],
    );
    return { id, sealedSha256: rows[0]?.sha256 ?? "" };
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
  const eventsOf = async (id: string): Promise<any[]> => bodyOf(200, await native.listAuditEvents(owner, id));
  const untilLogged = (id: string) =>
    until(async () => (await eventsOf(id)).find(({ action }) => action === "agreement.logged"), 60_000);

  test("has a leaf whose proof holds, told of by the trail on both faces and by the check of its file", async () => {
    const { id, sealedSha256 } = await complete();
    const { details } = await untilLogged(id);
    const { logId, leafIndex, leafHash } = details;
    const head = (await eventsOf(id)).find(({ action }) => action === "agreement.completed");
    expect([logId, details.sequence]).toEqual([owner.organizationId, head.sequence]);
    const trail = await eventsOf(id);
    expect(checkTrail(id, trail).problems).toEqual([]);
    expect(checkTrail(id, trail.slice(0, head.sequence)).head).toBe(head.hash);
    // Digests may contain any three letters.
    const shown = trail.map(({ publicPart }) => JSON.stringify({ ...publicPart, _sd: [] }));
    expect(shown.join()).not.toMatch(/Ann|example\.com|127\.0/);
    const [first, ...others] = trail;
    const forged = { ...first, disclosures: first.disclosures.slice(1) };
    expect(checkTrail(id, [forged, ...others]).problems).toEqual(["event 1: something was taken away"]);
    const { auditEvents } = bodyOf(200, await compatible.listAuditEvents(owner, id));
    const said = JSON.stringify(auditEvents.at(-1));
    for (const wanted of ["Logged", "The audit trail was entered into the evidence log.", logId, leafHash]) {
      expect(said).toContain(wanted);
    }
    const evidence = { logId, leafIndex, leafHash };
    const checked = bodyOf(200, await owner.post("/v1/sign/verify", { sha256: sealedSha256 }));
    const anybody = bodyOf(200, await owner.post("/verify/document", { sha256: sealedSha256 }));
    expect([checked.matches[0], anybody.sealed]).toMatchObject([
      { evidence, auditTrailIntact: true },
      { evidenceLeafHash: leafHash, auditTrailIntact: true },
    ]);
    // Not whose log it is, nor how much that has.
    expect(JSON.stringify(anybody)).not.toMatch(new RegExp(`${logId}|leafIndex`));

    const { leaf } = details;
    expect(JSON.parse(leaf)).toMatchObject({
      ...{ kind: "click.external.head", source: "sign", agreement: id, head: `sha256:${head.hash}` },
      completedAt: head.occurredAt,
    });
    expect(leaf).not.toMatch(/Ann|example\.com|Please sign|NDA/);
    const proof = await until(async () => {
      const answer = await owner.get(`/v1/click/log/proofs/inclusion?index=${leafIndex}`);
      return answer.status === 200 && answer.body;
    });
    const ownHash = createHash("sha256").update(Buffer.of(0)).update(leaf).digest();
    expect([leafHash, proof.leafHash]).toEqual([`sha256:${ownHash.toString("hex")}`, ownHash.toString("base64")]);
    const keys = await (await fetch(`${owner.baseUrl}/.well-known/click-log-keys?log=${logId}`)).text();
    const note = verifyNote(proof.checkpoint, keys.trim().split("\n"));
    const { size, root } = parseCheckpoint(note?.text ?? "") ?? { size: 0, root: Buffer.alloc(32) };
    const path = proof.auditPath.map((hash: string) => Buffer.from(hash, "base64"));
    expect(verifyInclusion(leafIndex, size, ownHash, path, root)).toBe(true);
  }, 120_000);

  test("waits for the log where that is away, and is completed all the same", async () => {
    const clicks = system.distributed?.of("click") ?? [];
    await Promise.all(clicks.map((click) => click.stop()));
    const { id } = await complete();
    if (clicks.length > 0) {
      expect((await eventsOf(id)).map(({ action }) => action)).not.toContain("agreement.logged");
    }
    await Promise.all(clicks.map((click) => click.start()));
    expect((await untilLogged(id)).details.logId).toBe(owner.organizationId);
  }, 150_000);
});
