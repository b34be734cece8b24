import { test } from "@jest/globals";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { pdfFile, rendererThat, startIntake } from "./start-intake.ts";

test.each([
  ["GEN_TEMPLATE_ERROR", "INVALID_DOCUMENT_FORMAT"],
  ["GEN_RENDER_FAILED", "INVALID_DOCUMENT_FORMAT"],
  ["GEN_BUSY", "SERVICE_UNAVAILABLE"],
] as const)("%s of the renderer is %s here", async (code, expected) => {
  const failing = startIntake({
    renderer: rendererThat(() => Promise.reject(toConnectError(new DomainError(code)))),
  });
  await expectDomainError(failing.check("org", [pdfFile(Buffer.from("a"), { fileExtension: "txt" })]), expected);
  await failing.close();
});
