import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { onePixel } from "#api/kinds.ts";
import { createLogger } from "#platform/logger.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { type Converter, createConverter } from "../converter.ts";
import type { OfficeLimits } from "../guards.ts";
import { officeFormats } from "../look-into.ts";
import { findOffice, type Office, openOffice } from "../office.ts";
import { compareConversions, flatText as wordsOf } from "./compare-conversions.ts";
import { fetchingBody, fetchingWord, paragraph, textIn, withParts, word } from "./hostile-files.ts";
import { flat, makeOfficeFiles, officeFileOf } from "./office-files.ts";

const logger = createLogger("test", "silent");
const limits: OfficeLimits = { deadlineMs: 120_000, maxMemoryMb: 768, maxFileBytes: 25 * 1024 * 1024 };
const never = new AbortController().signal;

const docx = officeFormats.find(({ name }) => name === "docx") ?? fail();
function fail(): never {
  throw new Error("docx is not known");
}

/** The folders of conversions under way, and the profile of an open office. */
const places = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`assent-convert-${process.pid}-`));

const converters: Converter[] = [];
afterEach(async () => {
  await Promise.all(converters.splice(0).map((converter) => converter.close()));
});

function start(office: Office, size = 1): Converter {
  const converter = createConverter({ office, isApart: office.isApart, places: size, logger });
  converters.push(converter);
  return converter;
}

/** Needs LibreOffice: skipped with one line where it is missing, an error in CI. */
function describeWithOffice(name: string, suite: () => void): void {
  if (findOffice(process.env.PATH ?? "") === undefined && process.env.CI !== "true") {
    process.stderr.write(`skipped without LibreOffice: ${name}\n`);
    describe.skip(name, () => test("needs LibreOffice", () => undefined));
    return;
  }
  describe(name, suite);
}

describeWithOffice("LibreOffice", () => {
  let opened: Office;
  let office: Office;
  beforeAll(() => {
    opened = openOffice(findOffice(process.env.PATH ?? "") ?? "", limits, logger);
    // One for all of these.
    office = { ...opened, close: async () => {} };
  });

  test("prints every format as when it is asked directly: the same text on as many pages", async () => {
    // Sheets and slides are packages of their own.
    const formats = office.formats.map(({ name }) => name);
    expect(formats).toEqual(expect.arrayContaining(["docx", "doc", "odt", "rtf"]));
    const compared = await compareConversions(start(office, 2), makeOfficeFiles(7, 1, formats));
    expect(compared.differences).toEqual([]);
    expect(compared.formats).toEqual(formats.toSorted());
    expect(places().length).toBe(1);
  });

  test("shows no picture that lies beside it in a .doc, and takes none where it could", async () => {
    const folder = mkdtempSync(join(tmpdir(), "office-picture-"));
    try {
      chmodSync(folder, 0o755);
      const picture = join(folder, "picture.png");
      writeFileSync(picture, Buffer.from(onePixel, "base64"));
      const shown = `Before<draw:frame text:anchor-type="as-char" svg:width="3cm" svg:height="2cm"><draw:image xlink:href="file://${picture}" xlink:type="simple"/></draw:frame>After`;
      const doc = officeFileOf(flat("text", `<text:p>${shown}</text:p>`), "fodt", "doc");
      expect(doc.includes(Buffer.from(picture, "utf16le"))).toBe(true);
      const refused = createConverter({ office, isApart: async () => false, places: 1, logger });
      converters.push(refused);
      expect(await refused.formats()).not.toContain("doc");
      await expectDomainError(refused.convert("org", "doc", doc, never), "INVALID_DOCUMENT_FORMAT");
      if (!(await office.isApart())) return;
      const converter = start(office);
      expect(await converter.formats()).toContain("doc");
      const pdf = Buffer.from(await converter.convert("org", "doc", doc, never));
      expect(wordsOf(pdf)).toContain("Before");
      expect(pdf.includes("/Subtype/Image")).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("fetches nothing: neither what is cleaned, nor what is not, nor without a guard against it", async () => {
    const hits: string[] = [];
    const server = createServer((request, response) => {
      hits.push(`${request.method} ${request.url}`);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const odt = officeFileOf(flat("text", fetchingBody("http://192.0.2.1")), "fodt", "odt");
    const rtf = Buffer.from(
      `{\\rtf1 Before {\\field{\\*\\fldinst INCLUDEPICTURE "${url}/a.png" \\\\d}{\\fldrslt }}{\\*\\template ${url}/t.dot}After}`,
    );
    const files = [
      ["docx", fetchingWord(url)],
      ["odt", withParts(odt, { "content.xml": textIn(odt, "content.xml").replaceAll("http://192.0.2.1", url) })],
      ["rtf", rtf],
    ] as const;
    const path = process.env.PATH ?? "";
    const bare = mkdtempSync(join(tmpdir(), "no-guards-"));
    const unguarded = openOffice(findOffice(process.env.PATH ?? "") ?? "", limits, logger);
    try {
      const converter = start(office);
      for (const [format, content] of files) {
        const pdf = await converter.convert("org", format, content, never);
        expect(wordsOf(pdf)).toMatch(/Before.*After/);
      }
      // No unshare, no setpriv, no prlimit are found: its own settings are all that is left.
      process.env.PATH = bare;
      await unguarded.prepare();
      for (const [format, content] of files) {
        const known = officeFormats.find(({ name }) => name === format) ?? docx;
        expect((await unguarded.print(known, content)).kind).toBe("printed");
      }
    } finally {
      process.env.PATH = path;
      rmSync(bare, { recursive: true });
      await unguarded.close();
      server.close();
    }
    expect(hits).toEqual([]);
  });

  test("shows the last result of a field that would load a file", async () => {
    const pdf = await start(office).convert("org", "docx", fetchingWord("http://192.0.2.1"), never);
    expect(wordsOf(pdf).match(/result/g)?.length).toBe(4);
  });

  test("runs no macro, and prints the file that has one", async () => {
    const main = "application/vnd.ms-word.document.macroEnabled.main+xml";
    const pdf = await start(office).convert("org", "docx", word(paragraph("Macros"), "", main), never);
    expect(wordsOf(pdf)).toContain("Macros");
    const marker = join(tmpdir(), `macro-ran-${process.pid}`);
    const script = `<office:scripts><office:script script:language="ooo:Basic" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" xmlns:ooo="http://openoffice.org/2004/office"><ooo:libraries xmlns:ooo="http://openoffice.org/2004/office"><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>Sub Main
open "${marker}" for output as #1
close #1
End Sub</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script><office:event-listeners xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0"><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts>`;
    const odt = officeFileOf(flat("text", "<text:p>Event</text:p>", script), "fodt", "odt");
    const known = officeFormats.find(({ name }) => name === "odt") ?? docx;
    // As it comes, without having been cleaned.
    expect((await office.print(known, odt)).kind).toBe("printed");
    expect(() => readFileSync(marker)).toThrow();
  });

  test("says of a file that it cannot read that the file is at fault", async () => {
    const error = await expectDomainError(
      start(office).convert("org", "docx", word("</w:body>"), never),
      "CORRUPTED_DOCUMENT",
    );
    expect(error.message).toContain("damaged");
  });

  afterAll(() => opened.close());
});

describe("a program that is not well", () => {
  /** A folder that looks like LibreOffice, with a script for it. */
  function fakeOffice(script: string, changes: Partial<OfficeLimits> = {}): Office {
    const folder = mkdtempSync(join(tmpdir(), "fake-office-"));
    folders.push(folder);
    const program = join(folder, "soffice");
    // Whoever it runs as reads it there.
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "libswlo.so"), "");
    writeFileSync(program, `#!/bin/sh\ncase "$*" in *terminate_after_init*) exit 0;; esac\n${script}\n`);
    chmodSync(program, 0o755);
    return openOffice(program, { ...limits, ...changes }, logger);
  }
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const running = (words: string): number =>
    readdirSync("/proc").filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        return readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").includes(words);
      } catch {
        return false;
      }
    }).length;
  const file = word(paragraph("Hello"));

  test("is killed with everything that it has started, and the file is refused", async () => {
    const office = fakeOffice("sleep 98765 & sleep 98765", { deadlineMs: 1_500 });
    const error = await expectDomainError(start(office).convert("org", "docx", file, never), "CORRUPTED_DOCUMENT");
    expect(error.message).toContain("takes too long");
    await until(() => running("sleep 98765") === 0);
    expect(places().length).toBe(1);
  });

  test("is killed when it takes too much memory", async () => {
    const grows = 'a=$(head -c 1000000 /dev/zero | tr "\\0" x); b=$a; while :; do b="$b$a"; sleep 0.01; done';
    const office = fakeOffice(grows, { maxMemoryMb: 64 });
    const error = await expectDomainError(start(office).convert("org", "docx", file, never), "CORRUPTED_DOCUMENT");
    expect(error.message).toContain("too much memory");
  });

  test("that was killed by others is started once more", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kills-"));
    folders.push(folder);
    chmodSync(folder, 0o777);
    const once = `if [ ! -e ${folder}/killed ]; then touch ${folder}/killed; kill -9 $$; fi`;
    const prints = 'for last; do :; done; printf "%%PDF-1.7" > "$(dirname "$last")/document.pdf"';
    const pdf = await start(fakeOffice(`${once}\n${prints}`)).convert("org", "docx", file, never);
    expect(Buffer.from(pdf).toString()).toBe("%PDF-1.7");
    const error = await expectDomainError(
      start(fakeOffice("kill -9 $$")).convert("org", "docx", file, never),
      "CORRUPTED_DOCUMENT",
    );
    expect(error.message).toContain("too much memory");
  });

  test("that writes too much is stopped, and what is too large to send is refused", async () => {
    const office = fakeOffice('for last; do :; done; yes > "$(dirname "$last")/document.pdf"', {
      maxFileBytes: 100_000,
    });
    const error = await expectDomainError(start(office).convert("org", "docx", file, never), "CORRUPTED_DOCUMENT");
    expect(error.message).toContain("too large");
  });

  test("is killed when its caller is gone, and when the service ends", async () => {
    const office = fakeOffice("sleep 87654");
    const converter = start(office);
    const gone = new AbortController();
    const first = expectDomainError(converter.convert("org", "docx", file, gone.signal), "SERVICE_UNAVAILABLE");
    await until(() => running("sleep 87654") > 0);
    gone.abort();
    await first;
    await until(() => running("sleep 87654") === 0);
    const second = expectDomainError(converter.convert("org", "docx", file, never), "SERVICE_UNAVAILABLE");
    await until(() => running("sleep 87654") > 0);
    await converter.close();
    await second;
    await until(() => running("sleep 87654") === 0);
  });
});

test("nobody waits for the files of another organization", async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const office: Office = {
    formats: [docx],
    prepare: async () => {},
    isApart: async () => true,
    print: (_format, content) => {
      started.push(ownerOf(content));
      return new Promise((resolve) => ends.push(() => resolve({ kind: "printed", pdf: content })));
    },
    close: async () => {},
  };
  const ownerOf = (content: Uint8Array) => (content.length > files.small.length ? "large" : "small");
  const files = { small: word(paragraph("a")), large: word(paragraph("a".repeat(50_000))) };
  const converter = start(office, 2);
  const large = Array.from({ length: 10 }, () => converter.convert("large", "docx", files.large, never));
  await until(() => started.length === 2);
  const small = converter.convert("small", "docx", files.small, never);
  await until(() => started.length === 3);
  expect(started).toEqual(["large", "large", "small"]);
  // The third place is for organizations that have none.
  const refused = Array.from({ length: 40 }, () => converter.convert("large", "docx", files.large, never));
  const answers = Promise.allSettled(refused);
  ends[2]?.();
  expect((await small).length).toBeGreaterThan(0);
  const work = setInterval(() => {
    for (const end of ends.splice(0)) end();
  }, 1);
  await Promise.all(large);
  const failed = (await answers).filter(({ status }) => status === "rejected").length;
  clearInterval(work);
  expect(failed).toBeGreaterThan(10);
});
