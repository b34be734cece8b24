import { createHash, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createPool } from "#platform/db/pool.ts";
import { dumpTables } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { ordinaryPdf } from "../../intake/test/pdfs.ts";
import { sweep } from "../../jobs/sweep.ts";
import { type Organization, type SignHarness, type SignProcess, startSign } from "../../test/harness.ts";

let sign: SignHarness;
let second: SignProcess;
let organization: Organization;

beforeAll(async () => {
  sign = await startSign();
  second = await sign.another();
});
beforeEach(() => {
  organization = sign.organization();
});
afterAll(() => sign?.stop());

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();
const begin = async (content: Uint8Array, by = organization): Promise<string> =>
  (await by.createUpload({ content })).upload?.id ?? "";
const documentOf = (uploadId: string, documentId = "1") => ({
  ...{ documentId, name: "long.pdf", fileExtension: "pdf" },
  source: { case: "uploadId" as const, value: uploadId },
});
const draftOf = (...documents: ReturnType<typeof documentOf>[]) =>
  organization.createAgreement({ definition: { emailSubject: "Long", documents } });

test("a file that comes in parts, in any order and some of them twice, becomes a document", async () => {
  const file = await ordinaryPdf(40);
  const third = Math.ceil(file.length / 3);
  const [a, b, c] = [file.subarray(0, third), file.subarray(third, 2 * third), file.subarray(2 * third)];
  const uploadId = await begin(a);
  await organization.putUploadPart({ uploadId, sequence: 2, content: c });
  await expectDomainError(organization.commitUpload({ uploadId }), "VALIDATION_FAILED");
  await expectDomainError(draftOf(documentOf(uploadId)), "UPLOAD_NOT_FOUND");
  await organization.putUploadPart({ uploadId: uploadId.toUpperCase(), sequence: 1, content: b });
  // The answer was lost.
  await organization.putUploadPart({ uploadId, sequence: 1, content: b });
  await expectDomainError(organization.putUploadPart({ uploadId, sequence: 1, content: c }), "VALIDATION_FAILED");
  await expectDomainError(organization.commitUpload({ uploadId, sha256: sha256(b) }), "VALIDATION_FAILED");
  const { upload } = await organization.commitUpload({ uploadId, sha256: sha256(file) });
  expect(upload).toMatchObject({ committed: true, bytes: BigInt(file.length) });
  expect(upload?.parts.map(({ sequence, bytes }) => [sequence, bytes])).toEqual([
    [0, a.length],
    [1, b.length],
    [2, c.length],
  ]);
  expect((await organization.commitUpload({ uploadId })).upload).toEqual(upload);
  await organization.putUploadPart({ uploadId, sequence: 2, content: c });
  await expectDomainError(organization.putUploadPart({ uploadId, sequence: 3, content: c }), "VALIDATION_FAILED");

  const { agreement } = await draftOf(documentOf(uploadId));
  expect(agreement?.documents[0]).toMatchObject({ sentSha256: new Uint8Array(sha256(file)) });
  expect(agreement?.documents[0]?.pages).toHaveLength(40);
  await expectDomainError(draftOf(documentOf(uploadId), documentOf(uploadId, "2")), "VALIDATION_FAILED");
  // A request that is sent again needs it again.
  const target = { id: { case: "agreementId" as const, value: agreement?.id ?? "" } };
  await organization.putDocuments({ target, documents: [documentOf(uploadId, "2")] });
  await organization.deleteUpload({ uploadId });
  await expectDomainError(organization.putDocuments({ target, documents: [documentOf(uploadId)] }), "UPLOAD_NOT_FOUND");
});

test("of two processes that send a part at once, one is kept; and what it holds stands nowhere in clear", async () => {
  const parts = [randomBytes(2_000), randomBytes(2_000)] as const;
  const uploadId = await begin(Buffer.from("%PDF-1.7 hidden-words"));
  const outcomes = await Promise.allSettled([
    organization.putUploadPart({ uploadId, sequence: 1, content: parts[0] }),
    second.organization(organization.orgId).putUploadPart({ uploadId, sequence: 1, content: parts[1] }),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const kept = parts[outcomes.findIndex(({ status }) => status === "fulfilled")] ?? Buffer.alloc(0);
  const whole = sha256(Buffer.concat([Buffer.from("%PDF-1.7 hidden-words"), kept]));
  await organization.commitUpload({ uploadId, sha256: whole });
  expect(await dumpTables(sign.superuser)).not.toContain(Buffer.from("hidden-words").toString("hex"));
});

test("nobody else sees it, names it, adds to it or deletes it", async () => {
  const uploadId = await begin(await ordinaryPdf(1));
  await organization.commitUpload({ uploadId });
  const other = sign.organization();
  const content = new Uint8Array([1]);
  const tried = [
    other.getUpload({ uploadId }),
    other.putUploadPart({ uploadId, sequence: 1, content }),
    other.commitUpload({ uploadId }),
    other.deleteUpload({ uploadId }),
    other.createAgreement({ definition: { documents: [documentOf(uploadId)] } }),
    organization.getUpload({ uploadId: randomUUID() }),
  ];
  for (const one of tried) await expectDomainError(one, "UPLOAD_NOT_FOUND");
  expect((await organization.getUpload({ uploadId })).upload?.committed).toBe(true);
});

test("an organization has so many uploads and bytes at a time, also when it begins them at once", async () => {
  const part = Buffer.alloc(5 * 1024 * 1024, 1);
  await expectDomainError(begin(Buffer.alloc(part.length + 1)), "VALIDATION_FAILED");
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push(await begin(part));
  for (const uploadId of ids) {
    for (const sequence of [1, 2, 3, 4]) await organization.putUploadPart({ uploadId, sequence, content: part });
  }
  const [uploadId = ""] = ids;
  await expectDomainError(organization.putUploadPart({ uploadId, sequence: 5, content: part }), "DOCUMENT_TOO_LARGE");
  const outcomes = await Promise.allSettled(Array.from({ length: 7 }, () => begin(part)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  await expectDomainError(begin(new Uint8Array([1])), "UPLOAD_LIMIT_REACHED");
  await organization.deleteUpload({ uploadId });
  await begin(new Uint8Array([1]));
});

test("after a day it is gone, with its parts", async () => {
  const uploadId = await begin(new Uint8Array([1, 2, 3]));
  sign.clock.advance(24 * 3_600_000 + 1);
  await expectDomainError(organization.getUpload({ uploadId }), "UPLOAD_NOT_FOUND");
  await begin(new Uint8Array([4]));
  const sweeperPool = createPool({ url: sign.database.url, role: "assent_sign_sweeper", max: 1, name: "sweeper" });
  try {
    await sweep({ sweeperPool, clock: sign.clock });
  } finally {
    await sweeperPool.end();
  }
  const { rows } = await sign.superuser.query(
    "select (select count(*)::int from sign.upload) as uploads, (select count(*)::int from sign.upload_part) as parts",
  );
  expect(rows).toEqual([{ uploads: 1, parts: 1 }]);
});
