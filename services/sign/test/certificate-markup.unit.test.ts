import { expect, test } from "@jest/globals";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { markup } from "../certificate/markup.ts";

test.each(["a\rb", "a\r\nb", "a\u202eb", "a\u0007b", "<script>&#13;</script>", "a\u00a0b\tc\nd"])(
  "%j in a name does not keep a certificate from being typeset",
  (name) => {
    const { html } = markup`<p>${name}</p>`;
    const { findings } = parseRestrictedHtml(html);
    expect([html.includes("\r"), findings]).toEqual([false, []]);
  },
);
