import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import { createLogger } from "#platform/logger.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { create, definition, signer } from "../../agreement/test/lifecycle-requests.ts";
import { startLifecycle } from "../../agreement/test/lifecycle-setup.ts";
import { createIntake } from "../../intake/intake.ts";

let system: Awaited<ReturnType<typeof startLifecycle>>;
beforeAll(async () => {
  const nobody = createMemoryTransport(() => undefined, { interceptors: [] });
  const renderer = createClient(RendererService, nobody);
  const logger = createLogger("sign", "silent");
  const intake = createIntake({ logger, renderer, clock: { now: () => new Date() }, size: 1 });
  system = await startLifecycle({ intake });
});
afterAll(() => system.stop());

/** Pages of 400 by 600 points with a text 500 points from the top. */
async function pdfOf(texts: readonly string[]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (const text of texts) pdf.addPage([400, 600]).drawText(text, { x: 72, y: 100, size: 12, font });
  return pdf.save();
}

const anchored = async (text: string) =>
  definition({
    documents: [
      { documentId: "1", name: "a.pdf", source: { case: "content", value: await pdfOf(["/sn1/ here", "nothing"]) } },
      { documentId: "2", name: "b.pdf", source: { case: "content", value: await pdfOf(["nothing", "/SN1/"]) } },
    ],
    recipients: [{ ...signer("1"), tabs: [{ type: TabType.SIGNATURE, anchor: { text, xOffset: 1, yOffset: 2 } }] }],
  });

test("tabs stand on the texts of real documents, whether a draft is sent or an agreement is created as sent", async () => {
  const organization = system.organization();
  const created = await create(organization, await anchored("/sn1/"), true);
  const draft = await create(organization, await anchored("/sn1/"));
  const { agreement: sent } = await organization.sendAgreement({ agreementId: draft.id });
  for (const agreement of [created, sent]) {
    const tabs = agreement?.recipients[0]?.tabs.map(({ documentId, page, x, y }) => [
      ...[documentId, page],
      ...[Math.round(x ?? 0), Math.round(y ?? 0)],
    ]);
    expect(tabs).toEqual([
      ["1", 1, 73, 467],
      ["2", 2, 73, 467],
    ]);
  }
});

test("a text that no document has keeps the agreement from being made", async () => {
  const error = await expectDomainError(
    create(system.organization(), await anchored("/sn2/"), true),
    "ANCHOR_TAB_STRING_NOT_FOUND",
  );
  expect(error.details.map(({ field }) => field)).toEqual(["recipients[0].tabs[0].anchor"]);
});
