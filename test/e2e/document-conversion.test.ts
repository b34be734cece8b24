import { afterAll, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { defaultPage } from "../../services/docgen/domain/page.ts";
import { createRenderer } from "../../services/docgen/renderer/renderer.ts";
import { pdfFile, rendererThat, startIntake } from "../../services/sign/intake/test/start-intake.ts";

const renderer = createRenderer({ logger: createLogger("test", "silent"), size: 1 });
const intake = startIntake({
  renderer: rendererThat(async ({ html, title, locale }) => {
    const content = { kind: "html", html } as const;
    const job = { content, title, locale, page: defaultPage, profile: "pdf", createdAt: new Date(0) } as const;
    return (await renderer.render({ ...job, images: new Map(), attachments: [] })).pdf;
  }),
});
afterAll(() => Promise.all([intake.close(), renderer.close()]));

const html = `<!DOCTYPE html><html><head><title>x</title><style>h1 { color: red }</style></head><body style="margin:0">
  <h1>Agreement</h1><p>Between <b>A</b> and <i>B</i>.<br>Signed: <span style="color:white">**signature_1**</span></p>
  <center><table width="100%"><tr><td>Name:<td>/name_1/<tr><td colspan="2"><ul><li>one<li>two</ul></table></center>
  <blockquote><p>&nbsp;</p><pre> a\n  b</pre></blockquote><a href="https://a.example/">link</a></body></html>`;

test.each([
  ["HTML", "html", html, ["**signature_1**", "/name_1/", "Signed:"]],
  ["text", "txt", "Agreement\n\nSigned: **signature_1**\n\f\tName: /name_1/", ["**signature_1**", "/name_1/"]],
])("%s becomes a PDF in which the texts of anchors are found", async (_what, fileExtension, source, texts) => {
  const [document] = await intake.check("org", [pdfFile(Buffer.from(source), { fileExtension })]);
  expect(document?.pages).toHaveLength(1);
  const files = [{ documentId: "1", bytes: document?.bytes ?? new Uint8Array() }];
  const wanted = texts.map((text) => ({ text, caseSensitive: true, wholeWord: true }));
  expect((await intake.findTexts("org", files, wanted)).map(({ length }) => length)).toEqual(texts.map(() => 1));
});
