import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DocumentStatus, Format } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createCustomer } from "./document-harness.ts";
import { createFakeChecker } from "./fake-checker.ts";
import { createPublished, type DocgenHarness, present, startDocgen } from "./harness.ts";

/** With the renderer of the product and its process. */
let harness: DocgenHarness;
beforeAll(async () => {
  harness = await startDocgen({ checker: createFakeChecker() });
  await harness.startWorkers();
});
afterAll(() => harness.stop());

const waiting = { waitMs: 30_000 };

describe("a document", () => {
  test("is a PDF whose hash is the one that is told", async () => {
    const { organization, create } = await createCustomer(harness);
    const { id: templateId } = await createPublished(organization, {
      format: Format.MARKDOWN,
      content: "# Offer\n\nDear {{ name }},\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    });
    const { document } = await create({ templateId }, waiting);
    expect(document).toMatchObject({ status: DocumentStatus.COMPLETED, pages: 1, warnings: [] });
    const { content } = await organization.getDocumentContent({ documentId: present(document).id });
    expect(Buffer.from(content.subarray(0, 5)).toString()).toBe("%PDF-");
    expect(createHash("sha256").update(content).digest("hex")).toBe(document?.sha256);
  });

  test("that cannot be rendered says why", async () => {
    const { organization, create } = await createCustomer(harness);
    const content = "{% for i in (1..400) %}<p class='page-break'>{{ i }}</p>{% endfor %}";
    const { id: templateId } = await createPublished(organization, { content });
    const error = await expectDomainError(create({ templateId, dataJson: '{"i":"1"}' }, waiting), "GEN_RENDER_FAILED");
    expect(error.metadata.reason).toBe("too_many_pages");
  });
});
