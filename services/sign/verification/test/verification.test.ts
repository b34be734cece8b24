import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AgreementStatus, RecipientStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { FileKind } from "#gen/assent/sign/v1/verification_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { documentOf, embeddedSigner, send, sit, untilCompleted } from "../../completion/test/completion-setup.ts";
import { ordinaryPdf } from "../../intake/test/pdfs.ts";
import { signedPdf } from "../../intake/test/signed-pdf.ts";
import { makeTestCertificate } from "../../seal/test-certificate.ts";
import { type Organization, type SignHarness, startSign, testSeal } from "../../test/harness.ts";

let sign: SignHarness;
let organization: Organization;
let stranger: Organization;
let original: Uint8Array;
let agreementId: string;
let sealed: Buffer;
let certificate: Buffer;

beforeAll(async () => {
  sign = await startSign();
  await sign.startWorkers();
  [organization, stranger] = [sign.organization(), sign.organization()];
  original = await ordinaryPdf(1);
  const agreement = await send(organization, {
    documents: [documentOf("1", original)],
    recipients: [embeddedSigner("1", "Ann"), embeddedSigner("2", "Bob")],
  });
  agreementId = agreement.id;
  for (const recipientId of ["1", "2"]) await (await sit(sign, organization, agreement, recipientId))();
  await untilCompleted(organization, agreementId);
  const target = { id: { case: "agreementId" as const, value: agreementId } };
  sealed = Buffer.from((await organization.getDocumentContent({ target, documentId: "1" })).file?.content ?? []);
  certificate = Buffer.from((await organization.getCertificate({ agreementId })).file?.content ?? []);
});
afterAll(() => sign.stop());

const content = (value: Uint8Array) => ({ file: { file: { case: "content" as const, value } } });
const hashOf = (value: Uint8Array) => ({ file: { file: { case: "sha256" as const, value: sha256Of(value) } } });
/** Nobody's call, as it comes from the public page. */
const anybody = () => sign.organization(randomUUID());

const own = { isIntact: true, coversWholeFile: true, isOurs: true };
const parties = ["Ann", "Bob"].map((name) => ({ name, status: RecipientStatus.COMPLETED, endedAt: expect.anything() }));

describe("what an organization is told of a file", () => {
  test("of its sealed documents and certificates: that they are, by their bytes or their hash alone", async () => {
    for (const [file, kind, documentId] of [
      [sealed, FileKind.SEALED, "1"],
      [certificate, FileKind.CERTIFICATE, ""],
    ] as const) {
      const known = [
        {
          ...{ kind, documentId, agreementId, parties, isAuditIntact: true, emailSubject: "Please sign" },
          ...{ status: AgreementStatus.COMPLETED, completedAt: expect.anything() },
        },
      ];
      const answer = await organization.verifyDocument(content(file));
      expect(answer).toMatchObject({ known, seals: [{ ...own, claimedAt: expect.anything() }] });
      expect(answer.seals[0]?.subject).toContain("CN=Test seal");
      expect(await organization.verifyDocument(hashOf(file))).toMatchObject({ known, seals: [] });
    }
  });

  test("of an original: where it is, newest first, and not in templates", async () => {
    const definition = { documents: [documentOf("9", original)], recipients: [embeddedSigner("1", "Ann")] };
    const later = await send(organization, definition);
    await organization.createAgreement({ definition: { name: "Template", ...definition }, isTemplate: true });
    const { known, seals } = await organization.verifyDocument(content(original));
    expect([seals, known.map((one) => [one.kind, one.agreementId, one.documentId, one.status])]).toEqual([
      [],
      [
        [FileKind.ORIGINAL, later.id, "9", AgreementStatus.SENT],
        [FileKind.ORIGINAL, agreementId, "1", AgreementStatus.COMPLETED],
      ],
    ]);
  });

  test("of a changed file and of one that was added to: the seal, and nothing that is known", async () => {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    const longer = Buffer.concat([sealed, Buffer.from("% more\n")]);
    expect(await organization.verifyDocument(content(changed))).toMatchObject({
      ...{ known: [], seals: [{ isIntact: false, coversWholeFile: true, isOurs: true }] },
    });
    expect(await organization.verifyDocument(content(longer))).toMatchObject({
      ...{ known: [], seals: [{ isIntact: true, coversWholeFile: false, isOurs: true }] },
    });
    const foreign = await organization.verifyDocument(content(await signedPdf()));
    expect([foreign.known, foreign.seals.map(({ isOurs }) => isOurs)]).toEqual([[], [false]]);
  });

  test("files of another organization are unknown to it", async () => {
    for (const file of [sealed, certificate, original]) {
      for (const question of [content(file), hashOf(file)]) {
        expect((await stranger.verifyDocument(question)).known).toEqual([]);
      }
    }
  });

  test("a trail that somebody has changed is told of", async () => {
    const first = "from sign.audit_event where agreement_id = $1 and sequence = 1";
    const { rows } = await sign.superuser.query(`select agreement_status ${first}`, [agreementId]);
    const write = (status: string) =>
      sign.superuser.query(
        "update sign.audit_event set agreement_status = $2 where agreement_id = $1 and sequence = 1",
        [agreementId, status],
      );
    const isIntact = async () => {
      const { known } = await organization.verifyDocument(hashOf(sealed));
      const { summary } = await anybody().verifySeal(hashOf(sealed));
      return [known[0]?.isAuditIntact, summary?.isAuditIntact];
    };
    await write("voided");
    expect(await isIntact()).toEqual([false, false]);
    await write(rows[0].agreement_status);
    expect(await isIntact()).toEqual([true, true]);
  });

  test("too large a file is refused, and any hash of another length", async () => {
    const large = organization.verifyDocument(content(new Uint8Array(32 * 1024 * 1024 + 1)));
    await expectDomainError(large, "DOCUMENT_TOO_LARGE");
    const short = { file: { file: { case: "sha256" as const, value: new Uint8Array(31) } } };
    await expectDomainError(organization.verifyDocument(short), "VALIDATION_FAILED");
  });
});

describe("after a change of the sealing key", () => {
  const verdicts = async (former: string | undefined) => {
    const seal = await makeTestCertificate({ name: "Test seal", now: new Date(Date.now() - 60_000), years: 1 });
    const process = await sign.another({ config: { seal: { ...seal, ...(former === undefined ? {} : { former }) } } });
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    const caller = process.organization(organization.orgId);
    const seals = await Promise.all(
      [sealed, changed].map(async (file) => {
        const [finding] = (await caller.verifyDocument(content(file))).seals;
        const [same] = (await process.organization().verifySeal(content(file))).seals;
        expect(same?.isOurs).toBe(finding?.isOurs);
        return `${finding?.isOurs ? "ours" : "others'"}, ${finding?.isIntact ? "intact" : "changed"}`;
      }),
    );
    const { certificates } = await caller.getSealCertificate({});
    await process.stop();
    return { seals, certificates, own: seal.certificates };
  };

  test("files sealed with the former one are known as ours when it is configured, changed ones too", async () => {
    const { certificates: former } = await testSeal();
    const knowing = await verdicts(former);
    expect(knowing.seals).toEqual(["ours, intact", "ours, changed"]);
    expect(knowing.certificates).toBe(knowing.own + former);
    const forgetful = await verdicts(undefined);
    expect(forgetful.seals).toEqual(["others', intact", "others', changed"]);
    expect(forgetful.certificates).toBe(forgetful.own);
  });
});

describe("what everybody is told of a file", () => {
  test("of exactly a sealed one: who has signed it, and for whom", async () => {
    for (const [file, kind] of [
      [sealed, FileKind.SEALED],
      [certificate, FileKind.CERTIFICATE],
    ] as const) {
      const summary = { kind, agreementId, parties, emailSubject: "Please sign", completedAt: expect.anything() };
      expect(await anybody().verifySeal(content(file))).toMatchObject({ summary, seals: [own] });
      expect(await anybody().verifySeal(hashOf(file))).toMatchObject({ summary, seals: [] });
    }
  });

  test("of originals and of changed files: nothing that only the organization knows", async () => {
    for (const file of [original, Buffer.concat([sealed, Buffer.from("\n")])]) {
      expect((await anybody().verifySeal(content(file))).summary).toBeUndefined();
    }
  });

  test("the role that looks for hashes sees nothing else", async () => {
    const see = async (sql: string) => {
      const client = await sign.superuser.connect();
      try {
        await client.query("set role assent_sign_verifier");
        return (await client.query(sql)).rows;
      } finally {
        await client.query("reset role");
        client.release();
      }
    };
    expect(await see("select sealed_sha256 from sign.document")).toEqual([{ sealed_sha256: sha256Of(sealed) }]);
    expect(await see("select certificate_sha256 from sign.agreement")).toHaveLength(1);
    for (const sql of [
      "select name from sign.document",
      "select email_subject from sign.agreement",
      "select from sign.recipient",
      "update sign.document set sealed_sha256 = null",
    ]) {
      await expect(see(sql)).rejects.toThrow("permission denied");
    }
  });
});
