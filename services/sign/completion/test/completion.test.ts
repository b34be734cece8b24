import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { ordinaryPdf, writtenAnew } from "../../intake/test/pdfs.ts";
import { signedPdf } from "../../intake/test/signed-pdf.ts";
import { findSeals } from "../../seal/verify-seals.ts";
import { type Organization, type SignHarness, startSign, testSeal } from "../../test/harness.ts";
import {
  documentOf,
  embeddedSigner,
  holds,
  openToolbox,
  read,
  send,
  sit,
  tinyPng,
  untilCompleted,
} from "./completion-setup.ts";

let sign: SignHarness;
let organization: Organization;
let tools: Awaited<ReturnType<typeof openToolbox>>;

beforeAll(async () => {
  // Nobody listens there.
  sign = await startSign({ config: { tsa: { url: "http://127.0.0.1:9/", trusted: [] } } });
  await sign.startWorkers();
  organization = sign.organization();
  tools = await openToolbox((await testSeal()).certificates);
});

afterAll(async () => {
  await sign.stop();
  await tools.close();
});

const target = (value: string) => ({ id: { case: "agreementId" as const, value } });

const contentOf = async (agreementId: string, documentId: string): Promise<Buffer> => {
  const { file } = await organization.getDocumentContent({ target: target(agreementId), documentId });
  return Buffer.from(file?.content ?? []);
};

const place = (type: TabType, row: number, more = {}) => ({
  ...{ type, label: `tab ${type}`, documentId: "1", page: 1, x: 300, y: 20 + row * 40, width: 200, height: 20 },
  ...more,
});

/** Looks like a picture, and is none. */
const damagedPng = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000000640000006408060000", "hex"),
  Buffer.alloc(100, 7),
]);

describe("a completion", () => {
  test("seals every document with what people put in, and tools of others accept it", async () => {
    const files = [await ordinaryPdf(2), await ordinaryPdf(1, false), await signedPdf()];
    const button = (value: string, y: number) => ({ value, page: 1, x: 280, y });
    const agreement = await send(organization, {
      documents: files.map((file, index) => documentOf(String(index + 1), file)),
      recipients: [
        {
          ...embeddedSigner("1", "Ann"),
          tabs: [
            place(TabType.SIGNATURE, 0, { height: 35 }),
            place(TabType.INITIALS, 1, { height: 35 }),
            ...[TabType.DATE_SIGNED, TabType.FULL_NAME, TabType.EMAIL].map((type, row) => place(type, row + 2)),
            place(TabType.COMPANY, 5),
            place(TabType.TITLE, 6),
            place(TabType.TEXT, 7),
            place(TabType.NUMBER, 8),
            place(TabType.DATE, 9),
            place(TabType.CHECKBOX, 10, { width: 12, height: 12 }),
            place(TabType.LIST, 11, { items: [{ text: "Second choice", value: "b" }] }),
            place(TabType.AGREEMENT_ID, 12),
            place(TabType.RADIO_GROUP, 13, { buttons: [button("yes", 560), button("no", 580)] }),
            place(TabType.TEXT, 14, { label: "far", documentId: "3", x: 20 }),
          ],
        },
        embeddedSigner("2", "Bob"),
      ],
    });
    const [ann, bob] = [await sit(sign, organization, agreement, "1"), await sit(sign, organization, agreement, "2")];
    const values = {
      [`tab ${TabType.COMPANY}`]: "Żółta Firma",
      [`tab ${TabType.TITLE}`]: "Queen of Text",
      [`tab ${TabType.TEXT}`]: "A free text",
      [`tab ${TabType.NUMBER}`]: "42",
      [`tab ${TabType.DATE}`]: "2026-11-21",
      [`tab ${TabType.CHECKBOX}`]: "true",
      [`tab ${TabType.LIST}`]: "b",
      [`tab ${TabType.RADIO_GROUP}`]: "yes",
      far: "On the signed one",
    };
    const damaged = await expectDomainError(ann({ values, drawnPng: damagedPng }), "VALIDATION_FAILED");
    expect(damaged.details[0]?.field).toBe("signature");
    await ann({ values, drawnPng: tinyPng });
    await bob();
    const completed = await untilCompleted(organization, agreement.id);

    for (const [index, { documentId, sealedSha256 }] of completed.documents.entries()) {
      const sealed = await contentOf(agreement.id, documentId);
      expect(sha256Of(sealed).equals(sealedSha256)).toBe(true);
      // What people have seen is there byte for byte.
      const shown = await writtenAnew(files[index] ?? Buffer.alloc(0));
      expect(sealed.subarray(0, shown.length).equals(shown)).toBe(true);
      const said = await tools.requireSealed(sealed);
      expect(said.match(/Signature is Valid/g)).toHaveLength(index === 2 ? 2 : 1);
      expect(said).toContain("Signing Time");
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(200) ^ 1, 200);
      expect([holds(sealed), holds(changed)]).toEqual([true, false]);
    }
    const text = await tools.textOf(await contentOf(agreement.id, "1"));
    const shown = ["Ann", "AE", "ann@example.com", "Żółta Firma", "Queen of Text", "A free text", "42", "2026"];
    for (const wanted of [...shown, "Second choice", agreement.id]) expect(text).toContain(wanted);
    expect(await tools.textOf(await contentOf(agreement.id, "3"))).toContain("On the signed one");

    const { file } = await organization.getCertificate({ agreementId: agreement.id });
    await tools.requireSealed(file?.content ?? new Uint8Array());
    // Originals, sealed files, the certificate and the drawn signature.
    const inStore = await sign.superuser.query(
      `select from sign.blob where organization_id = $1 and is_sealed
        and position('%PDF'::bytea in bytes) = 0 and position('PNG'::bytea in bytes) = 0`,
      [organization.orgId],
    );
    expect(inStore.rowCount).toBe(2 * files.length + 2);
    const people = await sign.superuser.query("select from sign.recipient where signature::text like '%iVBORw0%'");
    expect(people.rowCount).toBe(0);
    const again = await organization.getCertificate({ agreementId: agreement.id });
    expect(again.file?.sha256).toEqual(file?.sha256);
    const combined = await organization.getCombinedDocument({ target: target(agreement.id), withCertificate: true });
    expect(findSeals(Buffer.from(combined.file?.content ?? []))).toEqual([]);
  });

  test("seals typed signatures and initials of every script in every style", async () => {
    const styles = ["dancing-script", "caveat", "great-vibes"];
    const people = [
      ["محمد عبد الله", "م ع"],
      ["דוד לוי", "ד ל"],
      ["山田 太郎", "山太"],
      ["王小明", "王明"],
      ["Анна Каренина", "АК"],
      ["สมชาย ใจดี", "สจ"],
    ].flatMap(([name = "", initials = ""]) => styles.map((font) => ({ name, initials, font })));
    const at = (row: number) => ({ y: 10 + row * 45, height: 36, width: 150 });
    const agreement = await send(organization, {
      documents: [documentOf("1", await ordinaryPdf(1)), documentOf("2", await signedPdf())],
      recipients: people.map(({ name }, row) => ({
        ...{ ...embeddedSigner(`${row + 1}`, name), email: `person${row}@example.com` },
        tabs: [
          place(TabType.SIGNATURE, row, { ...at(row), x: 20 }),
          place(TabType.INITIALS, row, { ...at(row), x: 200, documentId: "2" }),
        ],
      })),
    });
    for (const [row, { font, initials }] of people.entries())
      await (await sit(sign, organization, agreement, `${row + 1}`))({ font, initials });
    await untilCompleted(organization, agreement.id);
    const [first, second] = [await contentOf(agreement.id, "1"), await contentOf(agreement.id, "2")];
    for (const sealed of [first, second]) expect(holds(sealed)).toBe(true);
    const [names, short] = [await tools.textOf(first), await tools.textOf(second)];
    // In each style as a signature and below it.
    for (const word of ["محمد", "דוד", "山田", "王小明", "Каренина", "สมชาย"])
      expect([word, names.split(word).length - 1]).toEqual([word, 6]);
    for (const word of ["山太", "王明", "АК"]) expect([word, short.split(word).length - 1]).toEqual([word, 3]);
  });

  test("is told of once for the agreement and once for each document, and chained into the trail", async () => {
    const file = await ordinaryPdf(1);
    const agreement = await send(organization, {
      documents: [documentOf("a", file), documentOf("b", file)],
      recipients: [embeddedSigner("1", "Ann")],
    });
    await (await sit(sign, organization, agreement, "1"))();
    const { documents } = await untilCompleted(organization, agreement.id);
    const { rows } = await sign.superuser.query<{ subject: string; data: string }>(
      "select subject, data::text as data from sign.outbox where organization_id = $1 and subject like '%.completed' and data::text like '%' || $2 || '%'",
      [organization.orgId, agreement.id],
    );
    expect(rows.map(({ subject }) => subject).sort()).toEqual([
      "assent.sign.agreement.completed",
      "assent.sign.document.completed",
      "assent.sign.document.completed",
      "assent.sign.recipient.completed",
    ]);
    for (const { id, sealedSha256 } of documents) {
      const hash = Buffer.from(sealedSha256).toString("hex");
      expect(rows.filter(({ data }) => data.includes(hash) && data.includes(id))).toHaveLength(1);
    }
    const { events } = await organization.listAuditEvents({ agreementId: agreement.id });
    const completions = events.filter(({ action }) => action === "agreement.completed");
    expect(completions).toMatchObject([{ source: "system" }]);
    const kept = await sign.superuser.query("select seal_level from sign.agreement where id = $1", [agreement.id]);
    // The authority is away.
    expect(kept.rows).toEqual([{ seal_level: "B-B" }]);
  });

  test("waits for a process that has a certificate to seal with", async () => {
    const lonely = await startSign({ config: { seal: undefined } });
    try {
      await expect(lonely.service.checkReady()).rejects.toThrow("SEAL_KEY");
      await lonely.startWorkers();
      const alone = lonely.organization();
      await expectDomainError(alone.getSealCertificate({}), "SERVICE_UNAVAILABLE");
      const agreement = await send(alone, {
        documents: [documentOf("1", await ordinaryPdf(1))],
        recipients: [embeddedSigner("1", "Ann")],
      });
      await (await sit(lonely, alone, agreement, "1"))();
      const capable = await lonely.another({ config: { seal: await testSeal() } });
      await capable.service.checkReady();
      expect(await capable.organization().getSealCertificate({})).toMatchObject({ isTest: true });
      expect((await read(alone, agreement.id)).completedAt).toBeUndefined();
      await capable.startWorkers();
      await untilCompleted(alone, agreement.id);
      await until(
        async () => (await lonely.superuser.query("select from sign.job where kind = 'completion'")).rowCount === 0,
      );
    } finally {
      await lonely.stop();
    }
  });
});
