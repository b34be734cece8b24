import { describe, expect, test } from "@jest/globals";
import { zipSync } from "fflate";
import { runLookJob } from "../look-into.ts";
import { fetchingWord, namesIn, paragraph, textIn, withParts, word } from "./hostile-files.ts";

const look = (content: Uint8Array, format = "docx") => runLookJob({ format, content });

function cleaned(content: Uint8Array, format = "docx"): Uint8Array {
  const looked = look(content, format);
  if (looked.kind === "refused") throw new Error(looked.problem);
  return looked.bytes;
}

const problemOf = (content: Uint8Array, format = "docx"): string => {
  const looked = look(content, format);
  return looked.kind === "refused" ? looked.problem : "";
};

/** As much of a picture as is looked at. */
const onePixel = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

const hello = word(paragraph("Hello"));

describe("a package", () => {
  test("keeps texts, pictures and links, and nothing that runs, is embedded, or stands elsewhere", () => {
    const file = withParts(fetchingWord("http://10.0.0.1:8080"), {
      "word/vbaProject.bin": "macros",
      "word/embeddings/sheet.xlsx": "another file",
      "word/activeX/activeX1.bin": "a control",
      "word/afchunk.html": "<img src='http://10.0.0.1'>",
      "word/media/a.png": onePixel,
      "word/media/drawing.png": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    const clean = cleaned(file);
    expect(namesIn(clean).sort()).toEqual([
      ...["[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels", "word/_rels/settings.xml.rels"],
      ...["word/document.xml", "word/media/a.png", "word/settings.xml"],
    ]);
    const relations = textIn(clean, "word/_rels/document.xml.rels") + textIn(clean, "word/_rels/settings.xml.rels");
    expect(relations.match(/Target="[^"]*"/g)).toEqual(['Target="https://example.com/terms"']);
    expect(textIn(clean, "word/document.xml")).not.toMatch(/INCLUDEPICTURE|INCLUDETEXT|DDEAUTO|LINK Word/);
    expect(textIn(clean, "word/document.xml")).toContain("After");
    const prose = word(paragraph('LINK "A" and INCLUDETEXT "B" are words of this contract'));
    expect(textIn(cleaned(prose), "word/document.xml")).toBe(textIn(prose, "word/document.xml"));
  });

  test("shows no file by a link: neither by one to a file, nor where a picture names a link to the web", () => {
    const link = (id: string, target: string) =>
      `<Relationship Id="${id}" Type="a/hyperlink" Target="${target}" TargetMode="External"/>`;
    const targets = [
      "file:///etc/a.png",
      "/etc/a.png",
      "../a.png",
      "https://example.com/a.png",
      "mailto:a@example.com",
    ];
    const links = targets.map((target, n) => link(`r${n}`, target)).join("");
    const picture = `<w:p><w:r><a:blip r:link="r0" x='1'/><a:blip r:embed="r9" r:link = 'r3' /></w:r></w:p>`;
    const clean = cleaned(word(picture + paragraph("a:link=&quot;stays&quot;"), links));
    expect(textIn(clean, "word/_rels/document.xml.rels").match(/Target="[^"]*"/g)).toEqual([
      'Target="https://example.com/a.png"',
      'Target="mailto:a@example.com"',
    ]);
    const text = textIn(clean, "word/document.xml");
    expect(text).not.toContain("r:link");
    expect(text).toContain("a:link=&quot;stays&quot;");
    expect(text).toContain('<a:blip r:embed="r9"');
  });

  test("loses relations to places outside, however they are spelled", () => {
    const namespace = "http://schemas.openxmlformats.org/package/2006/relationships";
    const outside = 'Type="a/image" Target="file:///etc/a.png" TargetMode="External"/>';
    const links = [
      `<Relationship Id=' TargetMode="Internal" Target="document.xml" ' ${outside}`,
      `<\u00fc:Relationship xmlns:\u00fc="${namespace}" Id="r2" ${outside}`,
      `<!-- <Relationship Target="document.xml" TargetMode="Internal" x=" --><Relationship Id="r3" ${outside}`,
      `<![CDATA[<Relationship x="]]><Relationship Id="r4" ${outside}`,
    ];
    for (const link of links) {
      const clean = cleaned(word(paragraph("Hello"), link));
      expect(textIn(clean, "word/_rels/document.xml.rels")).not.toContain("file:");
    }
    const field = '<w:p><w:r><w:instrText><!-- --><![CDATA[INCLUDETEXT "a&b"]]></w:instrText></w:r></w:p>';
    expect(textIn(cleaned(word(field)), "word/document.xml")).not.toContain("INCLUDETEXT");
    expect(textIn(cleaned(word(paragraph("<![CDATA[a < b]]>"))), "word/document.xml")).toContain(">a &lt; b<");
  });

  test.each([
    ["an entity", '<!DOCTYPE a [<!ENTITY x "y">]>'],
    ["one that reads a file", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
    ["a definition elsewhere", '<!doctype a SYSTEM "http://10.0.0.1/a.dtd">'],
  ])("with %s is refused", (_what, declaration) => {
    const text = textIn(hello, "word/document.xml").replace("<w:document", `${declaration}<w:document`);
    expect(problemOf(withParts(hello, { "word/document.xml": text }))).toContain("XML entities");
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text.replace("UTF-8", "UTF-16"), "utf16le")]);
    expect(problemOf(withParts(hello, { "word/document.xml": wide }))).toContain("XML entities");
    // Without the mark that says it is UTF-16.
    expect(problemOf(withParts(hello, { "word/document.xml": wide.subarray(2) }))).toContain("encoding");
    expect(problemOf(withParts(hello, { "word/document.xml": text.replace("UTF-8", "UTF-7") }))).toContain("encoding");
  });

  test("in UTF-16 is read", () => {
    const text = textIn(hello, "word/document.xml").replace("UTF-8", "UTF-16");
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    expect(textIn(cleaned(withParts(hello, { "word/document.xml": wide })), "word/document.xml")).toContain("Hello");
  });

  test("that is much larger when it is unpacked is refused before that", () => {
    const bomb = withParts(hello, { "word/media/a.png": Buffer.alloc(120 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(200_000);
    expect(problemOf(bomb)).toContain("packed too tightly");
    const bytes = Buffer.from(bomb);
    // Says that it has only a kilobyte.
    const at = bytes.indexOf(Buffer.from("word/media/a.png"), bytes.length - 600) - 46;
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    bytes.writeUInt32LE(1024, at + 24);
    expect(problemOf(bytes)).toContain("damaged");
  });

  test("with too many parts is refused", () => {
    const parts = Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`word/${n}.xml`, new Uint8Array()]));
    expect(problemOf(withParts(hello, parts))).toContain("more than 5,000 parts");
  });

  test("of another kind, cut off, encrypted or no package at all is refused", () => {
    expect(problemOf(hello, "xlsx")).toContain("not a .xlsx file");
    expect(problemOf(hello, "odt")).toContain("not a .odt file");
    expect(problemOf(Buffer.from("%PDF-1.7 and so on, long enough"))).toContain("not a .docx file");
    expect(problemOf(Buffer.from(zipSync({ "a.txt": Buffer.from("a") })))).toContain("not a .docx file");
    for (let length = 30; length < hello.length; length += 97) {
      expect(problemOf(hello.subarray(0, length))).toContain("damaged");
    }
    expect(problemOf(Buffer.from("d0cf11e0a1b11ae1".padEnd(2048, "0"), "hex"))).toContain("encrypted");
    const locked = Buffer.from(hello);
    for (let at = locked.indexOf("PK\x01\x02"); at >= 0; at = locked.indexOf("PK\x01\x02", at + 4)) locked[at + 8] = 1;
    expect(problemOf(locked)).toContain("encrypted");
  });

  test("whose bytes are changed anywhere is refused or read, and nothing else happens", () => {
    for (let n = 0; n < 600; n += 1) {
      const bytes = Buffer.from(hello);
      const at = (n * 7919) % bytes.length;
      bytes[at] = (bytes[at] as number) ^ (1 << (n % 8));
      expect(["clean", "refused"]).toContain(look(bytes).kind);
    }
  });
});

describe("an OpenDocument file", () => {
  const text = (content: string, more: Record<string, Uint8Array> = {}): Buffer =>
    Buffer.from(
      zipSync({
        mimetype: [Buffer.from("application/vnd.oasis.opendocument.text"), { level: 0 }],
        "content.xml": Buffer.from(`<?xml version="1.0"?><a xmlns:l="http://www.w3.org/1999/xlink">${content}</a>`),
        ...more,
      }),
    );

  test("loses what refers to another place, whatever prefix it has, and keeps links and its own pictures", () => {
    const file = text(
      `<text:a l:href="https://example.com/">x</text:a><draw:image l:href="Pictures/a.png"/><draw:image l:href="h&#116;tp://10.0.0.1/"/><text:section-source l:href='../../etc/passwd'/><form:form l:href="file:///a"/><script:event-listener script:macro-name="vnd.sun.star.script:a"/>`,
      {
        "Pictures/a.png": onePixel,
        "Pictures/b.png": Buffer.from("%!PS-Adobe-3.0 EPSF-3.0"),
        "ObjectReplacements/Object 1": Buffer.from("<svg/>"),
        "Basic/script.xml": Buffer.from("a"),
        "Object 1/content.xml": Buffer.from("a"),
      },
    );
    const clean = cleaned(file, "odt");
    expect(namesIn(clean)).toEqual(["mimetype", "content.xml", "Pictures/a.png"]);
    const content = textIn(clean, "content.xml");
    expect(content.match(/(?:href|macro-name)=(?:"[^"]*"|'[^']*')/g)).toEqual([
      ...['href="https://example.com/"', 'href="Pictures/a.png"', 'href=""', 'href=""', 'href=""', 'macro-name=""'],
    ]);
  });

  test("loses references that stand behind comments, or have prefixes of other letters", () => {
    const picture = '<draw:image l:href="file:///a.png"/>';
    const file = text(
      `<!-- <text:a " -->${picture}<\u00e9:image x='href=' l:href="file:///b.png"/><form:image-frame form:image-data="file:///c.png"/><text:section-source office:dde-topic="file:///d"/>`,
    );
    expect(textIn(cleaned(file, "odt"), "content.xml")).not.toContain("file:");
  });

  test("that is encrypted is refused", () => {
    const manifest = Buffer.from("<manifest:manifest><manifest:encryption-data/></manifest:manifest>");
    expect(problemOf(text("", { "META-INF/manifest.xml": manifest }), "odt")).toContain("encrypted");
  });
});

describe("other files", () => {
  test("of RTF lose fields that load, embedded objects, and pictures that are drawings", () => {
    const field = (code: string) => `{\\field{\\*\\fldinst ${code}}{\\fldrslt x}}`;
    const clean = (body: string) => Buffer.from(cleaned(Buffer.from(`{\\rtf1 ${body}}`), "rtf")).toString("latin1");
    const kept = [
      ...[field(" PAGE "), field('{\\rtlch\\fcs1 \\af0 \\insrsid12  HYPERLINK "https://example.com"}')],
      "{\\pict{\\*\\picprop\\shplid1{\\sp{\\sn a}}}\\pngblip\\bliptag-1{\\*\\blipuid ab}\n8950 4e470d0a}",
      "{\\pict\\wmetafile8\\picw9\\pich9 0100090000}",
    ].join("");
    expect(clean(kept)).toBe(`{\\rtf1 ${kept}}`);
    const codes = [
      "INCLUDEPICTURE a",
      "\\'49NCLUDETEXT a",
      "{\\*\\x PAGE}INCLUDETEXT a",
      "{\\info PAGE}DDE a",
      "\\u73?NCLUDE a",
    ];
    for (const code of codes) expect(clean(field(code))).not.toContain("fldinst");
    const drawings = [
      "3c737667",
      "1f8b0800",
      "{3c737667}",
      "{\\*\\b 3c737667}8950",
      "\\'3c\\'73",
      "\\bin4 <svg",
      "\n3 c73",
    ];
    for (const data of drawings) expect(clean(`{\\pict\\pngblip ${data}}`)).not.toContain("\\pict");
    expect(clean("{\\object{\\*\\objdata 0105}}")).not.toContain("objdata");
    // In time that grows with the length alone.
    for (const many of ["{\\pict{\\*\\picprop", "\\pict ", "\\pict{\\*\\picprop}"]) {
      expect(clean(many.repeat(200_000))).not.toMatch(/\\pict(?![a-z])/);
    }
  });

  test("must begin as their kind does", () => {
    expect(look(Buffer.from("{\\rtf1 Hello}"), "rtf").kind).toBe("clean");
    expect(problemOf(Buffer.from("Hello, this is a text"), "rtf")).toContain("not a .rtf file");
    expect(problemOf(Buffer.from("d0cf11e0a1b11ae1".padEnd(2048, "0"), "hex"), "doc")).toContain("not a .doc file");
  });
});
