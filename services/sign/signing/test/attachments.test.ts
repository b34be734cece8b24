import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import { withOrg } from "#platform/db/pool.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { readAndConsent } from "../../../../test/support/read-and-consent.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import { recipientOf } from "../../agreement/test/lifecycle-samples.ts";
import { certificateHtml } from "../../certificate/print-certificate.ts";
import { onePage } from "../../intake/test/pdfs.ts";
import { jpegOf, pngOf } from "../../intake/test/pictures.ts";
import { listAttachments } from "../attachments.ts";
import { openSample } from "./signing-samples.ts";
import { pdfOf, type SigningSetup, startSigning, type TestOrganization } from "./signing-setup.ts";

const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "request-9", traceparent: "" };
const png = pngOf(40, 30);

let setup: SigningSetup;
let organization: TestOrganization;
let file: Uint8Array;
beforeAll(async () => {
  setup = await startSigning();
  organization = setup.organization();
  file = await pdfOf(1);
});
afterAll(() => setup.stop());

/** An agreement whose first recipient has a tab for a file in place of the one for a text. */
async function begin() {
  const sample = openSample({}, file);
  const tabId = randomUUID();
  const recipients = sample.recipients.map((one) =>
    one.recipientId === "1"
      ? {
          ...one,
          tabs: one.tabs.map((tab) =>
            tab.type === "text"
              ? { ...tab, tabId, type: "attachment" as const, label: "passport", required: true }
              : tab,
          ),
        }
      : one,
  );
  const agreement: Agreement = await organization.insert({ ...sample, recipients }, [file]);
  const token = await organization.link(agreement, "1");
  const { sessionToken } = await setup.signing.openView({ token, visitor });
  await readAndConsent(setup.signing, sessionToken, visitor);
  const add = (content: Uint8Array, tab = tabId, fileName = "passport.png") =>
    setup.signing.addAttachment({ sessionToken, tabId: tab, fileName, content, visitor });
  const finish = (value: string) =>
    setup.signing.finishSigning({
      sessionToken,
      values: [{ tabId, value }],
      signature: { typed: "Ann", font: "caveat" },
      visitor,
    });
  return { agreement, tabId, add, finish };
}

test("a file that a signer attaches is kept, and is the value of the tab", async () => {
  const { agreement, tabId, add, finish } = await begin();
  const { value } = await add(png);
  await finish(value);
  const { id } = recipientOf(agreement, "1");
  const finished = recipientOf(await organization.load(agreement.id), "1");
  expect(finished.tabs.find((tab) => tab.tabId === tabId)).toMatchObject({ value, status: "signed" });
  const { pool, files } = setup.deps;
  const kept = await withOrg(pool, organization.orgId, (tenant) => listAttachments(tenant, agreement.id));
  expect(kept).toMatchObject([
    { id: value, recipientId: id, tabId, fileName: "passport.pdf", contentType: "application/pdf" },
  ]);
  const [page] = kept;
  if (page === undefined) throw new Error("it is kept");
  const bytes = await withOrg(pool, organization.orgId, (tenant) => files.read(tenant, agreement.id, page));
  expect([bytes.subarray(0, 5).toString(), bytes.length]).toEqual(["%PDF-", page.bytes]);
  await expectDomainError(add(png), "VIEW_URL_EXPIRED");
});

test("a photograph from a telephone becomes an upright page, without where it was taken", async () => {
  const { agreement, add } = await begin();
  const { value } = await add(jpegOf(6), undefined, "IMG_0001.JPG");
  const { client, headers } = organization;
  const { attachment, content } = await client.getAttachmentContent(
    { agreementId: agreement.id, attachmentId: value },
    headers,
  );
  expect(attachment).toMatchObject({ fileName: "IMG_0001.pdf", contentType: "application/pdf" });
  const pdf = await PDFDocument.load(content);
  // It lies on its side in the file.
  expect(pdf.getPages().map((page) => page.getSize())).toEqual([{ width: 595.28, height: 841.89 }]);
  for (const secret of ["Exif", "a place"]) expect(Buffer.from(content).includes(secret)).toBe(false);
  const trail = await organization.trail(agreement.id);
  const sentSha256 = createHash("sha256").update(jpegOf(6)).digest("hex");
  expect(trail.find(({ action }) => action === "recipient.attached")?.details).toMatchObject({ sentSha256 });
});

test("only pictures and PDFs of at most 5 MB that can be read are kept, for tabs that take them", async () => {
  const { add } = await begin();
  await expectDomainError(add(Buffer.from("MZ")), "VALIDATION_FAILED");
  const large = Buffer.alloc(5 * 1024 * 1024 + 1);
  png.copy(large);
  await expectDomainError(add(large), "VALIDATION_FAILED");
  await expectDomainError(add(png, randomUUID()), "TAB_NOT_FOUND");
  await expectDomainError(add(png, undefined, "\u0000"), "VALIDATION_FAILED");
  for (const broken of [
    Buffer.from("%PDF-1.7"),
    Buffer.from("89504e470d0a1a0a0000", "hex"),
    jpegOf(1).subarray(0, 300),
  ]) {
    await expectDomainError(add(broken), "VALIDATION_FAILED");
  }
  const script = onePage({ catalog: "/OpenAction<</S/JavaScript/JS(app.alert(1))>>" });
  await expectDomainError(add(script, undefined, "a.pdf"), "VALIDATION_FAILED");
  expect((await add(file, undefined, "a.pdf")).value).toMatch(/^[0-9a-f-]{36}$/);
});

test("nobody finishes with a file that they have not attached themselves", async () => {
  const [one, other] = [await begin(), await begin()];
  const { value } = await other.add(png);
  await expectDomainError(one.finish(value), "VALIDATION_FAILED");
  await expectDomainError(one.finish(randomUUID()), "VALIDATION_FAILED");
  await expectDomainError(one.finish(""), "VALIDATION_FAILED");
});

test("the organization finds what was attached in the trail, on the certificate and by itself; nobody else does", async () => {
  const { agreement, tabId, add } = await begin();
  const { value } = await add(png, tabId, "Größe <b>.png");
  const { id: recipientGuid } = recipientOf(agreement, "1");
  const sentSha256 = createHash("sha256").update(png).digest("hex");
  const file = { fileName: "Größe <b>.pdf", contentType: "application/pdf" };
  const asked = { agreementId: agreement.id, attachmentId: value.toUpperCase() };
  const content = await organization.client.getAttachmentContent(asked, organization.headers);
  const bytes = content.content.length;
  const sha256 = createHash("sha256").update(content.content).digest("hex");

  const trail = await organization.trail(agreement.id);
  const event = trail.find(({ action }) => action === "recipient.attached");
  expect(event?.actor).toMatchObject({ source: "signer", id: recipientGuid, ip: visitor.ip });
  const details = { ...file, attachmentId: value, tabId, bytes, sha256, sentSha256, recipientGuid, recipientId: "1" };
  expect(event?.details).toMatchObject(details);
  const html = certificateHtml(agreement, trail, { organizationName: "Acme", at: setup.deps.clock.now() });
  const says = [
    "Files that were attached",
    "Größe &lt;b&gt;.pdf",
    `application/pdf, ${bytes} bytes`,
    "Attached a file",
  ];
  for (const part of [...says, sha256.slice(0, 32), sha256.slice(32)]) expect(html).toContain(part);

  const { client, headers } = organization;
  const attachment = { ...file, id: value, recipientId: "1", recipientGuid, tabId, bytes: BigInt(bytes) };
  const { attachments } = await client.listAttachments({ agreementId: agreement.id }, headers);
  expect(attachments).toMatchObject([attachment]);
  expect(content.attachment).toMatchObject(attachment);

  const other = await begin();
  const refused = (given: object, who = organization) =>
    client.getAttachmentContent({ ...asked, ...given }, who.headers);
  await expectDomainError(refused({ agreementId: other.agreement.id }), "ATTACHMENT_NOT_FOUND");
  await expectDomainError(refused({ attachmentId: randomUUID() }), "ATTACHMENT_NOT_FOUND");
  const stranger = setup.organization();
  await expectDomainError(refused({}, stranger), "ENVELOPE_NOT_FOUND");
  const listed = client.listAttachments({ agreementId: agreement.id }, stranger.headers);
  await expectDomainError(listed, "ENVELOPE_NOT_FOUND");
});
