import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import { type DocumentInputSchema, DocumentProblem, PdfFields, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { ProposalSource } from "#gen/assent/sign/v1/sign_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { DomainError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import { sampleDraft, sampleRecipient, sampleTab } from "../../agreement/test/lifecycle-samples.ts";
import { writtenAnew } from "../../intake/test/pdfs.ts";
import {
  documentWith,
  pagesOf,
  pdfOf,
  type SigningSetup,
  startSigning,
  type TestOrganization,
} from "../../signing/test/signing-setup.ts";

let setup: SigningSetup;
let organization: TestOrganization;
let one: Uint8Array;
let other: Uint8Array;
beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  [one, other] = [await pdfOf(1, 601), await pdfOf(3, 603)];
});
afterAll(() => setup.stop());

const draft = (given: Partial<Agreement> = {}): Promise<Agreement> =>
  organization.insert(
    sampleDraft([sampleRecipient("1", { tabs: [sampleTab("signature")] })], {
      ...{ id: randomUUID(), documents: [documentWith(one, "1", { name: "Offer.html" })], ...given },
    }),
    [one],
  );

const agreementTarget = (id: string) => ({ id: { case: "agreementId" as const, value: id } });
const templateTarget = (id: string) => ({ id: { case: "templateId" as const, value: id } });
const fileOf = (content: Uint8Array, documentId = "") => ({
  ...{ documentId, name: "new.pdf" },
  source: { case: "content" as const, value: content },
});

const put = (id: string, documents: MessageInitShape<typeof DocumentInputSchema>[]) =>
  organization.client.putDocuments({ target: agreementTarget(id), documents }, organization.headers);
const content = (id: string, documentId: string) =>
  organization.client.getDocumentContent({ target: agreementTarget(id), documentId }, organization.headers);

/** With two form fields, of which one is filled in. */
async function formPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([600, 800]);
  for (const [index, name] of ["name", "city"].entries()) {
    const field = document.getForm().createTextField(name);
    if (index === 0) field.setText("Ada");
    field.addToPage(page, { x: 100, y: 700 - index * 40, width: 200, height: 20 });
  }
  return document.save();
}

describe("documents of a draft", () => {
  test("propose tabs where their text asks for them, and not where they are already", async () => {
    const document = await PDFDocument.create();
    document.addPage([600, 800]).drawText("{{signature:1}}   {{text:2:city}}", { x: 50, y: 500, size: 12 });
    const { id } = await draft({ documents: [] });
    await put(id, [fileOf(await document.save(), "tagged")]);
    const propose = (documentId: string, who = organization, agreementId = id) =>
      who.client.proposeTabs({ target: agreementTarget(agreementId), documentId }, who.headers);
    const { proposals } = await propose("tagged");
    expect(proposals).toMatchObject([
      { type: TabType.SIGNATURE, signer: 1, source: ProposalSource.TAG, page: 1, x: 50 },
      { type: TabType.TEXT, signer: 2, label: "city" },
    ]);
    const placed = sampleTab("text", { documentId: "tagged", x: 60, y: 290, width: 20 });
    const recipients = [sampleRecipient("1", { tabs: [placed] })];
    const other = await draft({ documents: [], recipients });
    await put(other.id, [fileOf(await document.save(), "tagged")]);
    expect((await propose("tagged", organization, other.id)).proposals).toMatchObject([{ label: "city" }]);
    await expectDomainError(propose("other"), "DOCUMENT_NOT_FOUND");
    await expectDomainError(propose("tagged", setup.organization()), "ENVELOPE_NOT_FOUND");
  });

  test("propose to each signer what stands where they are named, or where they sign in their turn", async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([600, 800]);
    const column = (x: number, top: number, ...texts: string[]) =>
      texts.map((text, index) => page.drawText(text, { x, y: top - index * 15, size: 10 }));
    column(50, 700, "For the buyer:", "Name:", "Signature:");
    column(330, 700, "For Grace Hopper:", "Name:", "Signature:");
    column(50, 400, "Signature:", "Date:");
    column(330, 400, "Signature:", "Date:");
    const bytes = await document.save();
    const names = new Map<TabType, string>([
      [TabType.FULL_NAME, "FULL_NAME"],
      [TabType.SIGNATURE, "SIGNATURE"],
      [TabType.DATE_SIGNED, "DATE_SIGNED"],
    ]);
    const proposedTo = async (...recipients: ReturnType<typeof sampleRecipient>[]) => {
      const { id } = await draft({ documents: [], recipients });
      await put(id, [fileOf(bytes, "lease")]);
      const { proposals } = await organization.client.proposeTabs(
        { target: agreementTarget(id), documentId: "lease" },
        organization.headers,
      );
      return proposals.map(({ type, signer, x }) => `${names.get(type)} ${x < 200 ? "left" : "right"} ${signer}`);
    };
    const grace = sampleRecipient("1", { name: "Grace Hopper", routingOrder: 2 });
    const buyer = sampleRecipient("2", { roleName: "Buyer", routingOrder: 1 });
    expect(await proposedTo(grace, buyer)).toEqual([
      ...["FULL_NAME left 1", "FULL_NAME right 2", "SIGNATURE left 1", "SIGNATURE right 2"],
      // Nobody is named there: a column belongs to whom it belonged to above.
      ...["SIGNATURE left 1", "SIGNATURE right 2", "DATE_SIGNED left 1", "DATE_SIGNED right 2"],
    ]);
    const [ada, bob] = [sampleRecipient("1", { name: "Ada" }), sampleRecipient("2", { name: "Bob" })];
    expect((await proposedTo(ada, bob)).filter((one) => one.startsWith("SIGNATURE"))).toEqual([
      ...["SIGNATURE left 1", "SIGNATURE right 2", "SIGNATURE left 1", "SIGNATURE right 2"],
    ]);
    expect(new Set((await proposedTo(ada)).map((one) => one.at(-1)))).toEqual(new Set(["0"]));
  });

  test("with form fields give them to a signer, once, and only when they are to become tabs", async () => {
    const { id } = await draft();
    const form = await formPdf();
    const ofForm = async () => {
      const [recipient] = (await organization.load(id)).recipients;
      return recipient?.tabs
        .filter(({ type }) => type === "text")
        .map(({ documentId, label, value }) => [documentId, label, value]);
    };
    await put(id, [fileOf(form, "kept"), { ...fileOf(form, "drawn"), pdfFields: PdfFields.FLATTEN }]);
    expect(await ofForm()).toEqual([]);
    const transformed = { ...fileOf(form, "f"), pdfFields: PdfFields.TRANSFORM };
    await put(id, [transformed]);
    await put(id, [{ ...transformed, pdfFieldsRecipientId: "1" }]);
    expect(await ofForm()).toEqual([
      ["f", "name", "Ada"],
      ["f", "city", ""],
    ]);
    const [kept, drawn, f] = (await organization.load(id)).documents.filter(({ documentId }) => documentId !== "1");
    expect(kept?.sha256).toEqual(drawn?.sha256);
    expect(f?.sha256.equals(kept?.sha256 ?? f.sha256)).toBe(false);
    expect(f?.sentSha256).toEqual(kept?.sentSha256);
    const before = await organization.load(id);
    const wrong = { ...transformed, documentId: "g", pdfFieldsRecipientId: "9" };
    const error = await expectDomainError(put(id, [wrong]), "VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "documents[0].pdfFieldsRecipientId" }]);
    expect(await organization.load(id)).toEqual(before);
  });

  test("are added, replaced in place under their tabs, read and removed with their tabs", async () => {
    const { id } = await draft();
    const { documentIds } = await put(id, [fileOf(other), fileOf(other, "1"), fileOf(one, "x")]);
    expect(documentIds).toEqual(["2", "1", "x"]);
    const after = await organization.load(id);
    expect(after.documents.map(({ documentId, pages }) => [documentId, pages.length])).toEqual([
      ["1", 3],
      ["2", 3],
      ["x", 1],
    ]);
    expect(after.recipients[0]?.tabs).toHaveLength(1);
    const { file } = await content(id, after.documents[0]?.id ?? "");
    expect(file).toMatchObject({ documentId: "1", fileName: "new.pdf" });
    expect((await writtenAnew(other)).equals(file?.content ?? Buffer.alloc(0))).toBe(true);
    const { sha256, sentSha256 } = after.documents[0] ?? {};
    expect([sha256, sentSha256]).toEqual([sha256Of(file?.content ?? new Uint8Array()), sha256Of(other)]);
    const files = (await organization.trail(id)).at(-1)?.details?.files;
    expect(files).toContainEqual({
      documentId: "1",
      sha256: sha256?.toString("hex"),
      sentSha256: sentSha256?.toString("hex"),
    });
    const target = agreementTarget(id);
    await organization.client.removeDocuments({ target, documentIds: ["1", "x"] }, organization.headers);
    const left = await organization.load(id);
    expect(left.documents.map(({ documentId }) => documentId)).toEqual(["2"]);
    expect(left.recipients[0]?.tabs).toEqual([]);
    expect((await organization.trail(id)).map(({ action }) => action)).toEqual([
      "agreement.modified",
      "agreement.modified",
    ]);
  });

  test("are refused in the order of the checks, and nothing is changed", async () => {
    const { id } = await draft();
    const broken = { documentId: "9", name: "a.pdf", source: { case: "problem" as const, value: invalidBase64 } };
    await expectDomainError(put(randomUUID(), [broken]), "ENVELOPE_NOT_FOUND");
    await expectDomainError(put(id, [fileOf(Buffer.from("x")), broken]), "INVALID_BASE64");
    await expectDomainError(put(id, [fileOf(Buffer.from("x"))]), "CORRUPTED_DOCUMENT");
    await expectDomainError(put(id, [{ ...fileOf(one), name: "a.docx" }]), "INVALID_DOCUMENT_FORMAT");
    await expectDomainError(put(id, [fileOf(one, "a"), fileOf(one, "a")]), "VALIDATION_FAILED");
    const sent = await draft({ status: "sent", sentAt: new Date() });
    await expectDomainError(put(sent.id, [broken]), "ENVELOPE_CANNOT_BE_MODIFIED");
    const target = agreementTarget(id);
    const remove = (documentIds: string[]) =>
      organization.client.removeDocuments({ target, documentIds }, organization.headers);
    await expectDomainError(remove(["1", "2"]), "DOCUMENT_NOT_FOUND");
    expect((await organization.load(id)).documents).toHaveLength(1);
  });

  test("get different numbers when they are added at the same time", async () => {
    const { id } = await draft();
    const added = await Promise.all(Array.from({ length: 5 }, () => put(id, [fileOf(one)])));
    expect(added.flatMap(({ documentIds }) => documentIds).sort()).toEqual(["2", "3", "4", "5", "6"]);
  });
});

const invalidBase64 = DocumentProblem.INVALID_BASE64;

describe("reading", () => {
  test("answers another organization, another kind and unknown ids alike", async () => {
    const { id } = await draft();
    const template = await draft({ status: "template" });
    const stranger = setup.organization();
    const { client } = organization;
    const read = (target: ReturnType<typeof agreementTarget> | ReturnType<typeof templateTarget>, who = organization) =>
      client.getDocumentContent({ target, documentId: "1" }, who.headers);
    expect((await read(templateTarget(template.id))).file?.fileName).toBe("Offer.pdf");
    await expectDomainError(read(templateTarget(id)), "TEMPLATE_NOT_FOUND");
    await expectDomainError(read(agreementTarget(template.id)), "ENVELOPE_NOT_FOUND");
    await expectDomainError(read(agreementTarget(id), stranger), "ENVELOPE_NOT_FOUND");
    await expectDomainError(client.getCertificate({ agreementId: id }, stranger.headers), "ENVELOPE_NOT_FOUND");
    const combined = client.getCombinedDocument({ target: agreementTarget(id) }, stranger.headers);
    await expectDomainError(combined, "ENVELOPE_NOT_FOUND");
    await expectDomainError(content(id, "2"), "DOCUMENT_NOT_FOUND");
    await expectDomainError(content(id, ""), "DOCUMENT_NOT_FOUND");
  });

  test("gives back the file that a document was made of, to its sender alone and while it is there", async () => {
    const sent = Buffer.from("a Word file");
    const kept = { originalId: randomUUID(), originalFormat: "docx", sentSha256: sha256Of(sent) };
    const documents = [documentWith(one, "1", { name: "Offer", ...kept }), documentWith(other, "2")];
    const { id } = await organization.insert(sampleDraft([], { id: randomUUID(), documents }), [one, other, sent]);
    const original = (documentId: string, who = organization) =>
      who.client.getDocumentContent({ target: agreementTarget(id), documentId, original: true }, who.headers);
    const { file } = await original("1");
    expect([Buffer.from(file?.content ?? []).toString(), file?.fileName]).toEqual(["a Word file", "Offer.docx"]);
    expect(Buffer.from(file?.sha256 ?? []).equals(kept.sentSha256)).toBe(true);
    await expectDomainError(original("2"), "DOCUMENT_NOT_FOUND");
    await expectDomainError(original("1", setup.organization()), "ENVELOPE_NOT_FOUND");
    const blobs = async () =>
      (
        await setup.superuser.query("select from sign.blob_reference where organization_id = $1 and owner_id = $2", [
          organization.orgId,
          kept.originalId,
        ])
      ).rows.length;
    expect(await blobs()).toBe(1);
    await put(id, [fileOf(other, "1")]);
    expect(await blobs()).toBe(0);
    await expectDomainError(original("1"), "DOCUMENT_NOT_FOUND");
  });

  test("joins all documents in their order, with the certificate at the end when it is wanted", async () => {
    const documents = [documentWith(other, "b"), documentWith(one, "a", { sealedSha256: null })];
    const { id } = await organization.insert(sampleDraft([], { id: randomUUID(), documents }), [one, other]);
    const combined = async (withCertificate: boolean, target = agreementTarget(id)) => {
      const { file } = await organization.client.getCombinedDocument({ target, withCertificate }, organization.headers);
      return pagesOf(file?.content ?? new Uint8Array());
    };
    expect(await combined(false)).toEqual([603, 603, 603, 601]);
    expect(await combined(true)).toEqual([603, 603, 603, 601, 333, 333]);
    const { file } = await organization.client.getCertificate({ agreementId: id }, organization.headers);
    expect(await pagesOf(file?.content ?? new Uint8Array())).toEqual([333, 333]);
    expect(file?.fileName).toBe(`certificate-${id}.pdf`);
    const empty = await draft({ documents: [] });
    await expectDomainError(combined(true, agreementTarget(empty.id)), "DOCUMENT_NOT_FOUND");
  });

  test("says that there is no certificate for a while, and tells nobody about a defect", async () => {
    const { id } = await draft();
    const read = () => organization.client.getCertificate({ agreementId: id }, organization.headers);
    setup.rendering.before = () => {
      throw new DomainError("GEN_BUSY");
    };
    const { metadata } = await expectDomainError(read(), "SERVICE_UNAVAILABLE");
    expect(metadata.retryAfterSeconds).toBe("5");
    setup.rendering.before = () => {
      throw new DomainError("GEN_TEMPLATE_ERROR", { message: "secret" });
    };
    await expect(read()).rejects.toMatchObject({
      code: Code.Internal,
      rawMessage: expect.not.stringContaining("secret"),
    });
    setup.rendering.before = () => undefined;
    await read();
  });

  test("answers the sealed file once there is one, byte for byte", async () => {
    const sealed = await pdfOf(2, 777);
    const documents = [documentWith(one, "1", { sealedId: randomUUID(), sealedSha256: documentWith(sealed).sha256 })];
    const agreement = sampleDraft([], { id: randomUUID(), documents });
    await organization.insert(agreement, [one, sealed]);
    const { file } = await content(agreement.id, "1");
    expect(Buffer.from(sealed).equals(file?.content ?? Buffer.alloc(0))).toBe(true);
    const target = agreementTarget(agreement.id);
    const combined = await organization.client.getCombinedDocument({ target }, organization.headers);
    expect(Buffer.from(sealed).equals(combined.file?.content ?? Buffer.alloc(0))).toBe(true);
  });
});
