import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPostgresBlobStore, sha256Of } from "#platform/blobs/blob-store.ts";
import { createPool, type Tenant, withOrg } from "#platform/db/pool.ts";
import { createLogger } from "#platform/logger.ts";
import { createResealer } from "#platform/master-keys/reseal.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { resealAll } from "#platform/testing/database-dump.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createSeedVault } from "#platform/vault/seed-vault.ts";
import type { Agreement, StoredFile } from "../../agreement/agreement.ts";
import { addFile, eraseFiles, filesOf, findAgreementsWithFile } from "../../agreement/file-store.ts";
import { sampleDraft, sampleRecipient } from "../../agreement/test/lifecycle-samples.ts";
import { testSeals } from "../../agreement/test/trail-vault.ts";
import {
  documentWith,
  type SigningSetup,
  startSigning,
  type TestOrganization,
} from "../../signing/test/signing-setup.ts";
import { fileKeyColumn } from "../agreement-files.ts";
import { sealOldFiles } from "../seal-old-files.ts";

const logger = createLogger("sign", "silent");
let setup: SigningSetup;
let organization: TestOrganization;
let resealerPool: pg.Pool;

beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  resealerPool = createPool({ url: setup.databaseUrl, role: "assent_sign_resealer", max: 1, name: "resealer" });
});
afterAll(async () => {
  await resealerPool.end();
  await setup.stop();
});

const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
  withOrg(setup.deps.pool, organization.orgId, work);
const readFile = (agreement: Pick<Agreement, "id">, file: StoredFile, files = setup.deps.files): Promise<Buffer> =>
  within((tenant) => files.read(tenant, agreement.id, file));

const draftOf = (...contents: Uint8Array[]): Agreement =>
  sampleDraft([sampleRecipient("1", { id: randomUUID() })], {
    id: randomUUID(),
    documents: contents.map((content, index) => documentWith(content, String(index + 1))),
  });
const stored = (...contents: Uint8Array[]): Promise<Agreement> => organization.insert(draftOf(...contents), contents);
const firstOf = ({ documents }: Agreement): StoredFile => {
  if (documents[0] === undefined) throw new Error("it has a document");
  return documents[0];
};
const download = (agreementId: string) =>
  organization.client.getDocumentContent(
    { target: { id: { case: "agreementId", value: agreementId } }, documentId: "1" },
    organization.headers,
  );

/** As older releases have stored the files of an agreement. */
async function storedInClear(agreement: Agreement, ...contents: Uint8Array[]): Promise<Agreement> {
  await organization.insert(agreement);
  const blobs = createPostgresBlobStore({ pool: setup.deps.pool, schema: "sign" });
  for (const file of filesOf(agreement)) {
    const bytes = contents.find((content) => sha256Of(content).equals(file.sha256));
    if (bytes !== undefined) await blobs.put(organization.orgId, file.id, bytes);
  }
  return agreement;
}

const countClear = async (): Promise<number> =>
  (await setup.superuser.query("select from sign.blob where not is_sealed")).rowCount ?? 0;

describe("stored files", () => {
  test("show their store neither what is in them nor what they are called by their hash", async () => {
    const content = Buffer.from(`%PDF-1.7 a secret contract ${randomUUID()}`);
    const [one, other] = [await stored(content), await stored(content)];
    const { rows } = await setup.superuser.query<{ sha256: Buffer; bytes: Buffer; isSealed: boolean }>(
      `select b.sha256, b.bytes, b.is_sealed as "isSealed" from sign.blob b join sign.blob_reference r using (organization_id, sha256)
       where r.owner_id = any($1)`,
      [[firstOf(one).id, firstOf(other).id]],
    );
    expect(rows.map(({ isSealed }) => isSealed)).toEqual([true, true]);
    // Not even that two agreements have the same file.
    expect(rows[0]?.sha256.equals(rows[1]?.sha256 ?? Buffer.alloc(0))).toBe(false);
    for (const { sha256, bytes } of rows) {
      expect(sha256.equals(sha256Of(content))).toBe(false);
      expect(bytes.includes("secret")).toBe(false);
    }
    expect(await readFile(one, firstOf(one))).toEqual(content);
  });

  test("of any size are read as they were stored", async () => {
    for (const size of [1, 65_536, 1_048_832, 1_048_833, 3_500_000]) {
      const content = randomBytes(size);
      const agreement = await stored(content);
      expect((await readFile(agreement, firstOf(agreement))).equals(content)).toBe(true);
    }
  });

  test("that are damaged, exchanged or gone are said to be, and never delivered", async () => {
    const [small, large] = [Buffer.from("%PDF-1.7 small"), randomBytes(1_500_000)];
    const change = (sql: string, id: string) =>
      setup.superuser.query(
        `update sign.blob b set ${sql} from sign.blob_reference r where r.organization_id = b.organization_id
         and r.sha256 = b.sha256 and r.owner_id = $1`,
        [id],
      );
    for (const [content, sql] of [
      [small, "bytes = set_bit(bytes, 300, 1 - get_bit(bytes, 300))"],
      [large, "bytes = set_bit(bytes, 10000000, 1 - get_bit(bytes, 10000000))"],
      [large, "bytes = substring(bytes from 1 for 1400000)"],
      [small, "bytes = ''"],
      // As if nobody had sealed it.
      [small, "bytes = '%PDF-1.7 forged', is_sealed = true"],
    ] as const) {
      const agreement = await stored(content);
      await change(sql, firstOf(agreement).id);
      await expectDomainError(download(agreement.id), "DOCUMENT_DAMAGED");
    }
    const gone = await stored(small);
    await setup.superuser.query("delete from sign.blob_reference where owner_id = $1", [firstOf(gone).id]);
    await expectDomainError(download(gone.id), "DOCUMENT_DAMAGED");
    const keyless = await stored(small);
    await setup.superuser.query("delete from sign.file_key where agreement_id = $1", [keyless.id]);
    await expectDomainError(download(keyless.id), "DOCUMENT_DAMAGED");
  });

  test("are gone for ever once they are erased, but are still recognised by their hash", async () => {
    const content = Buffer.from("%PDF-1.7 to be erased");
    const agreement = await stored(content);
    await within((tenant) => eraseFiles(tenant, setup.deps.files, agreement));
    await expectDomainError(download(agreement.id), "DOCUMENT_ERASED");
    const kept = "select from sign.blob_reference where owner_id = $1";
    expect((await setup.superuser.query(kept, [firstOf(agreement).id])).rowCount).toBe(0);
    expect(await within((tenant) => findAgreementsWithFile(tenant, sha256Of(content), 5))).toEqual([agreement.id]);
    // Twice is once, and the agreement gets no other key.
    await within((tenant) => eraseFiles(tenant, setup.deps.files, agreement));
    await expectDomainError(
      within((tenant) => setup.deps.files.findKey(tenant, agreement.id)),
      "DOCUMENT_ERASED",
    );
  });

  test("are not read by another organization, nor its keys", async () => {
    const agreement = await stored(Buffer.from("%PDF-1.7 ours"));
    const stranger = setup.organization();
    const theirs = <T>(work: (tenant: Tenant) => Promise<T>) => withOrg(setup.deps.pool, stranger.orgId, work);
    await expectDomainError(
      theirs((tenant) => setup.deps.files.read(tenant, agreement.id, firstOf(agreement))),
      "DOCUMENT_DAMAGED",
    );
    expect(await theirs((tenant) => setup.deps.files.findKey(tenant, agreement.id))).toBeUndefined();
    await theirs(({ client }) => client.query("update sign.file_key set seed = null"));
    expect((await readFile(agreement, firstOf(agreement))).toString()).toBe("%PDF-1.7 ours");
  });

  test("are read with the newest master key alone after it was replaced, and with no other one", async () => {
    const [former, newest] = [randomBytes(32), randomBytes(32)];
    const vaultOf = (ring: KeyRing) => createSeedVault("sign", ring, () => former);
    const { pool } = setup.deps;
    const [before, after] = [testSeals(pool, vaultOf([former])).files, testSeals(pool, vaultOf([newest])).files];
    const content = Buffer.from("%PDF-1.7 kept");
    const agreement = await organization.insert(draftOf(content));
    const file = firstOf(agreement);
    await within((tenant) => addFile(tenant, before, agreement.id, file, content));
    await expectDomainError(readFile(agreement, file, after), "SERVICE_UNAVAILABLE");
    const masterKeys: KeyRing = [newest, former];
    const resealer = createResealer({
      ...{ service: "sign", schema: "sign", pool, resealerPool, masterKeys, logger },
      columns: [
        {
          ...fileKeyColumn(vaultOf(masterKeys)),
          join: `join (select '${agreement.id}'::uuid as id) this on this.id = t.agreement_id`,
        },
      ],
    });
    expect(await resealAll(resealer)).toMatchObject({ resealed: 1, unreadable: 0 });
    expect(await readFile(agreement, file, after)).toEqual(content);
    await expectDomainError(readFile(agreement, file, before), "SERVICE_UNAVAILABLE");
  });
});

describe("files that older releases have stored in clear", () => {
  const png = Buffer.from("89504e470d0a1a0a00", "hex");

  test("are read as they are, and sealed one after the other, each under the key of its agreement", async () => {
    const [shared, sealed, certificate] = [1, 2, 3].map((n) => Buffer.from(`%PDF-1.7 old ${n} ${randomUUID()}`));
    if (!shared || !sealed || !certificate) throw new Error("there are three");
    const drawn = { typed: "", font: "", drawnPng: png.toString("base64") };
    const one = draftOf(shared);
    const signer = sampleRecipient("1", { id: randomUUID(), signature: drawn, initials: drawn });
    const completed: Agreement = {
      ...draftOf(shared),
      ...{ status: "completed", sentAt: new Date(), completedAt: new Date(), sealLevel: "B-B", recipients: [signer] },
      documents: [documentWith(shared, "1", { sealedId: randomUUID(), sealedSha256: sha256Of(sealed) })],
      certificate: { id: randomUUID(), sha256: sha256Of(certificate) },
    };
    await storedInClear(one, shared);
    await storedInClear(completed, shared, sealed, certificate);
    // The others of this file are sealed already.
    expect(await countClear()).toBe(3);
    expect(await readFile(one, firstOf(one))).toEqual(shared);
    expect(await sealOldFiles({ ...setup.deps, resealerPool })).toBe(4);
    expect(await countClear()).toBe(0);
    expect(await readFile(one, firstOf(one))).toEqual(shared);
    const after = await organization.load(completed.id);
    const read = await Promise.all(filesOf(after).map((file) => readFile(after, file)));
    expect(read).toEqual([shared, sealed, certificate, png, png]);
    expect(after.recipients[0]?.signature).toMatchObject({ drawnPng: "", drawn: { id: expect.any(String) } });
    // Nothing else of it has changed, and another time there is nothing to do.
    expect(after).toMatchObject({ ...completed, recipients: [{ ...signer, signature: {}, initials: {} }] });
    expect(await sealOldFiles({ ...setup.deps, resealerPool })).toBe(0);
    expect((await download(one.id)).file?.content).toEqual(new Uint8Array(shared));
  });

  test("stay readable wherever the sealing is broken off, and two processes do it once", async () => {
    const contents = [1, 2, 3, 4].map((n) => Buffer.from(`%PDF-1.7 older ${n} ${randomUUID()}`));
    const agreement = await storedInClear(draftOf(...contents), ...contents);
    const { files } = setup.deps;
    let calls = 0;
    const broken = {
      ...files,
      put: async (...given: Parameters<typeof files.put>) => {
        calls += 1;
        if (calls === 3) throw new Error("killed");
        return files.put(...given);
      },
    };
    await expect(sealOldFiles({ ...setup.deps, files: broken, resealerPool })).rejects.toThrow("killed");
    expect(await countClear()).toBe(2);
    const readAll = () => Promise.all(filesOf(agreement).map((file) => readFile(agreement, file)));
    expect(await readAll()).toEqual(contents);
    await Promise.all([1, 2].map(() => sealOldFiles({ ...setup.deps, resealerPool })));
    expect(await countClear()).toBe(0);
    expect(await readAll()).toEqual(contents);
  });

  test("are passed over when they are damaged, and erased like all others", async () => {
    const [lost, whole] = [Buffer.from(`%PDF-1.7 lost ${randomUUID()}`), Buffer.from(`%PDF-1.7 ${randomUUID()}`)];
    const agreement = await storedInClear(draftOf(lost, whole), lost, whole);
    const erased = await storedInClear(draftOf(lost), lost);
    await setup.superuser.query("delete from sign.blob_reference where owner_id = $1", [firstOf(agreement).id]);
    await sealOldFiles({ ...setup.deps, resealerPool }, () => false);
    await within((tenant) => eraseFiles(tenant, setup.deps.files, erased));
    await expectDomainError(download(erased.id), "DOCUMENT_ERASED");
    expect(await countClear()).toBe(0);
  });
});
