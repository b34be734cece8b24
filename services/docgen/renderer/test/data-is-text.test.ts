import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createLogger } from "#platform/logger.ts";
import { describeWithPoppler, textOf } from "../../typesetting/test/poppler.ts";
import type { Renderer } from "../render-job.ts";
import { createRenderer } from "../renderer.ts";
import { htmlJob, refusalOf, templateJob } from "./jobs.ts";
import { childrenOf } from "./processes.ts";

let renderer: Renderer;
beforeAll(() => {
  renderer = createRenderer({ logger: createLogger("test", "silent"), size: 1 });
});
afterAll(() => renderer.close());

/** What some part of the way from data to paper could take for its own. */
const lures = [
  ...[
    "#panic()",
    "#{panic()}",
    "$a$",
    "*x*",
    "_y_",
    "\\",
    "\\#",
    "@ref",
    "<l>",
    "//",
    "/* c */",
    "`code`",
    "```",
    "~",
    "= h",
  ],
  ...["#sys.inputs", '#read("/etc/passwd")', "[x]", "{x}", "\\u{41}", "---", "..", "'a'", '"b"', "+ item", "/ t: d"],
  ...["{{ x }}", "{% for %}", "{%- if a -%}", "{{ '{{' }}", "{% raw %}", "}}", "%}", "{{", "| upcase", "{{-"],
  ...[
    "<script>",
    "</script>",
    "&amp;",
    "&lt;b&gt;",
    "</p>",
    "<!-- c -->",
    "<b>x</b>",
    "&#65;",
    "<img src=x>",
    "]]>",
    "\"'>",
  ],
  ...["**b**", "[l](http://a.example/)", "![i](http://a.example/i.png)", "# h", "> q", "| a | b |", "\\*"],
  ...[
    "$&",
    "$1",
    "\\1",
    "%s",
    "%00",
    "\u{E000}0\u{E001}",
    "__proto__",
    "constructor",
    "é",
    "ß",
    "Ж",
    "λ",
    "ﬁ",
    "office",
  ],
];
const words = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...lures) }, fc.stringMatching(/^[ -~]{1,12}$/));
const texts = fc.array(words, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(" "));

/** As it can be compared: lines are broken, and words are hyphenated there. */
const bare = (text: string): string => text.normalize("NFKC").replaceAll(/[\s\u00ad\u2010-]/gu, "");

/** Private characters have no glyph and stand as their codes. */
const printed = (text: string): string =>
  bare(text.replaceAll(/\p{Co}/gu, (character) => `[U+${character.codePointAt(0)?.toString(16).toUpperCase()}]`));

const template = [
  "<h2>{{ list[0] }}</h2>{% for item in list %}<p>{{ item }}</p>{% endfor %}",
  "<table><tr><th>{{ list[0] }}</th><td><b>{{ list[0] }}</b></td></tr></table>",
  "<ul><li>{{ list[0] }}</li></ul><blockquote>{{ list[0] | default: 'none' }}</blockquote>",
].join("\n");

describeWithPoppler("data in a PDF", () => {
  test("is the text that it was, whatever it looks like", async () => {
    const page = { ...htmlJob("").page, footer: "" };
    const holds = fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 8 }), async (list) => {
      const { pdf } = await renderer.render(templateJob(template, { list }, { page }));
      const [first = ""] = list;
      const expected = [first, ...list, first, first, `•${first}`, first].map(printed).join("");
      expect(bare(textOf(pdf))).toBe(expected);
    });
    await fc.assert(holds, { numRuns: 60 });
  });

  test("is the text that it was in a template in Markdown", async () => {
    const page = { ...htmlJob("").page, footer: "" };
    const holds = fc.asyncProperty(fc.array(texts, { minLength: 2, maxLength: 4 }), async (list) => {
      const content = "# {{ list[0] }}\n\n{% for item in list %}{{ item }}\n\n{% endfor %}\n**{{ list[1] }}**\n";
      const job = templateJob(content, { list }, { page });
      if (job.content.kind !== "template") throw new TypeError();
      const markdown = { ...job.content, template: { format: "markdown" as const, content } };
      const { pdf } = await renderer.render({ ...job, content: markdown });
      expect(bare(textOf(pdf))).toBe([list[0], ...list, list[1]].map((text = "") => printed(text)).join(""));
    });
    await fc.assert(holds, { numRuns: 30 });
  });
});

describe("an address", () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

  test("of an image leads nowhere but to assets and data, and nobody is called", async () => {
    const calls: string[] = [];
    const server = createServer((request, response) => {
      calls.push(request.url ?? "");
      response.end();
    });
    server.on("connection", () => calls.push("connection"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const local = `127.0.0.1:${port}`;
    const addresses = [
      ...[`http://${local}/a.png`, `https://${local}/a.png`, `//${local}/a.png`, `HTTP://${local}/`, `ftp://${local}/`],
      ...["file:///etc/passwd", "/etc/passwd", "../../../etc/passwd", "asset:../../etc/passwd", "asset:", "a.png"],
      ...["data:image/svg+xml;base64,PHN2Zy8+", "data:text/html;base64,PHA+", `asset:${"0".repeat(36)}`],
    ];
    try {
      for (const address of addresses) {
        const attempts = [
          renderer.render(htmlJob(`<p><img src="${address}" alt="a"></p>`)),
          renderer.render(templateJob(`<p><img src="${address}" alt="a"></p>`)),
          renderer.render(templateJob(`<p><img src="{{ src }}" alt="a"></p>`, { src: address })),
        ];
        for (const attempt of attempts) {
          const { code } = await refusalOf(attempt);
          expect([address, code]).toEqual([
            address,
            expect.stringMatching(/^GEN_(TEMPLATE_ERROR|INVALID_DATA|ASSET_)/),
          ]);
        }
      }
      // Links are for readers.
      const link = `<p><a href="http://${local}/">a</a> <img src="data:image/png;base64,${pixel}" alt="a"></p>`;
      await renderer.render(htmlJob(link));
      expect(calls).toEqual([]);
      expect(internetSockets(childrenOf(process.pid, "render-process.mjs"))).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

/** Sockets of these processes that reach, or wait for, anything over a network. */
function internetSockets(pids: readonly number[]): string[] {
  expect(pids).toHaveLength(1);
  return pids.flatMap((pid) => {
    const known = ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"]
      .map((kind) => readFileSync(`/proc/${pid}/net/${kind}`, "latin1"))
      .flatMap((table) => table.split("\n").slice(1))
      .map((line) => line.trim().split(/\s+/)[9]);
    return readdirSync(`/proc/${pid}/fd`)
      .map((descriptor) => linkOf(`/proc/${pid}/fd/${descriptor}`))
      .filter((link) => known.includes(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? "none"));
  });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
