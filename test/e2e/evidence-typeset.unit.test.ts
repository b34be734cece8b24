import { expect, test } from "@jest/globals";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { copyHtml } from "../../services/click/copies/copy-html.ts";
import { copyWords } from "../../services/click/copies/copy-words.ts";
import { framedText } from "../../services/click/evidence/pdf/about-agreement.ts";
import { exact, facts } from "../../services/click/evidence/pdf/markup.ts";
import { describeWithPoppler, textOf } from "../../services/docgen/typesetting/test/poppler.ts";
import { inputOf } from "../../services/docgen/typesetting/test/support.ts";
import { createTypesetter } from "../../services/docgen/typesetting/typesetter.ts";

const typesetter = createTypesetter();
const lettersOf = (html: string): string =>
  textOf(typesetter.typeset(inputOf(html, { profile: "pdf/a-2a" })).pdf).replaceAll(/[\n\f]/g, "");

describeWithPoppler("evidence in print", () => {
  test("loses no long label or value, and none is printed over another", () => {
    const [key, name, signature] = ["k".repeat(60), "n".repeat(200), `${"Ab+/".repeat(60)}==`];
    const text = lettersOf(
      facts([
        [`Note of the sender: ${key}`, "VALUE"],
        ["Template", `${name}TAIL`],
        ["Signature", exact(signature)],
      ]).html,
    );
    for (const part of [`${key}`, "VALUE", `${name}TAIL`, signature]) expect(text).toContain(part);
    expect(text).not.toContain("\u200b");
  });

  test("says where the text begins and ends, around all that the text has", () => {
    const content = `<p>${"X".repeat(400)}TAIL</p><hr><h1>The proof</h1>`;
    const text = lettersOf(framedText(parseRestrictedHtml(content).tree ?? []).html);
    expect(text).toMatch(/begins here.*X{400}TAIL.*\* \* \*.*The proof.*End of the text as it was shown\./);
  });

  test("a person's copy has the text in a frame and what was recorded of it, in the language of the text", () => {
    const { texts: words } = copyWords("de-AT");
    const text = lettersOf(
      copyHtml({
        ...{ kind: "copy", words, title: "Kopie: AGB <2026>", acceptedAt: "20. November 2026", party: "Muster GmbH" },
        text: { rendered: null, content: "# AGB\n\nAlles & *mehr*.", format: "MARKDOWN" },
        ...{ version: "2.0", person: "user-42", purposes: ["newsletter"], receiptId: "0196-receipt" },
        contentHash: `sha256:${"0".repeat(64)}`,
      }),
    );
    const parts = ["Kopie: AGB <2026>", "Die Zustimmung", "20. November 2026", "Muster GmbH", "user-42", "newsletter"];
    for (const part of [...parts, "0196-receipt", "Der Text", "Alles & mehr."]) expect(text).toContain(part);
  });
});
