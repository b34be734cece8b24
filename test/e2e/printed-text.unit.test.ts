import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { agreementText } from "../../services/click/accept/test/agreement-texts.ts";
import { printedText } from "../../services/click/evidence/pdf/shown-text.ts";
import { printRules } from "../../services/docgen/templating/print-style.ts";

test("whatever text an agreement has, evidence makes HTML of it that the renderer takes", () => {
  let taken = 0;
  fc.assert(
    fc.property(agreementText, (html) => {
      const { tree } = parseRestrictedHtml(html);
      fc.pre(tree !== undefined);
      const { tree: printed, findings } = parseRestrictedHtml(printedText(tree ?? []), printRules);
      expect(findings.filter(({ severity }) => severity === "ERROR")).toEqual([]);
      expect(printed).toBeDefined();
      taken += 1;
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThanOrEqual(500);
});
