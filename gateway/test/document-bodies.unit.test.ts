import { createHash, randomBytes, randomInt } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { createDocumentBodies } from "../document-bodies/document-bodies.ts";
import type { DocumentFile } from "../document-bodies/document-file.ts";
import { type DocumentBodyJob, decodeBase64 } from "../document-bodies/read-documents.ts";
import { boundaryOf } from "../http/multipart.ts";
import { parseHeaderParams } from "../http/params.ts";

const bodies = createDocumentBodies();

afterAll(() => bodies.close());

const mib = 1024 * 1024;
const codes = { malformed: "VALIDATION_FAILED", tooLarge: "DOCUMENT_TOO_LARGE" } as const;

const read = (text: string | Buffer, more: Partial<DocumentBodyJob> = {}) =>
  bodies.read({ bytes: new Uint8Array(Buffer.from(text)), codes, boundary: "", lineBreaks: false, ...more });

const refusalOf = (text: string | Buffer, more: Partial<DocumentBodyJob> = {}): Promise<unknown> =>
  read(text, more).then(
    () => "no refusal",
    (error: unknown) => (error instanceof DomainError ? error.code : error),
  );

const sizeOf = (file: DocumentFile | undefined): unknown =>
  typeof file?.content === "string" ? file.content : file?.content.length;

describe("Base64", () => {
  test.each([
    ["", ""],
    ["QQ==", "A"],
    ["QUI=", "AB"],
    ["QUJD", "ABC"],
    ["+/+/", Buffer.from([0xfb, 0xff, 0xbf])],
  ])("%j is decoded", (text, expected) => {
    expect(decodeBase64(text)).toEqual(new Uint8Array(Buffer.from(expected)));
  });

  test.each([
    ["without its padding", "QQ"],
    ["with one padding too many", "QUJD===="],
    ["with bits behind its end", "QR=="],
    ["with padding in its middle", "QQ==QUJD"],
    ["of URLs", "-_-_"],
    ["with a space", "QUJ D==="],
    ["with line breaks", "QUJD\r\nQUJD"],
    ["with a letter that only looks like one", "QUJ\u0144"],
    ["that is something else", "hello, world"],
  ])("%s is refused", (_name, text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  test("is decoded exactly when its bytes come out as the same text again", () => {
    const characters = [..."AQgw+/Zz09=-_ \n!\u0141\u{1f600}\u00c1"];
    // What is found wrong is told as it is, which says more than a seed.
    const wrong: string[] = [];
    let decoded = 0;
    for (let n = 0; n < 20_000; n += 1) {
      const letters = [...randomBytes(randomInt(40)).toString("base64")];
      for (let change = randomInt(3); change > 0; change -= 1) {
        const inserted = characters[randomInt(characters.length + 4)];
        letters.splice(randomInt(letters.length + 1), randomInt(2), ...(inserted === undefined ? [] : [inserted]));
      }
      const text = letters.join("");
      const bytes = Buffer.from(text, "base64");
      const found = decodeBase64(text);
      decoded += found === undefined ? 0 : 1;
      const isRight = bytes.toString("base64") === text ? found && bytes.equals(found) : found === undefined;
      if (!isRight) wrong.push(text);
    }
    expect(wrong).toEqual([]);
    expect(decoded).toBeGreaterThan(5_000);
    expect(decoded).toBeLessThan(15_000);
  });

  test("may have line breaks where that is said, and nothing else", () => {
    expect(decodeBase64("QUJD\r\nQU\nJD\r\n", true)).toEqual(new Uint8Array(Buffer.from("ABCABC")));
    expect(decodeBase64("QUJD QUJD", true)).toBeUndefined();
  });
});

describe("documents in JSON", () => {
  test.each([
    ["small", 10],
    ["large", mib],
  ])("a %s one is taken out, wherever it stands", async (_name, size) => {
    const bytes = Buffer.alloc(size, "%PDF-1.7");
    const documentBase64 = bytes.toString("base64");
    const body = {
      documents: [{ documentId: 1, documentBase64 }, { documentBase64: "!" }, { documentBase64: "" }],
      compositions: [{ document: { DocumentBase64: documentBase64, note: "ö" } }],
    };
    const { value, files } = await read(JSON.stringify(body));
    expect(value).toEqual({
      documents: [{ documentId: 1, documentBase64: "0" }, { documentBase64: "1" }, { documentBase64: "2" }],
      compositions: [{ document: { DocumentBase64: "3", note: "ö" } }],
    });
    expect(files.map(sizeOf)).toEqual([size, "invalid-base64", "missing", size]);
    expect(Buffer.from(files[3]?.content as Uint8Array).equals(bytes)).toBe(true);
    expect(Buffer.from(files[0]?.sha256 ?? [])).toEqual(createHash("sha256").update(bytes).digest());
  });

  test("may have escaped slashes, and line breaks where that is said", async () => {
    const text = String.raw`{"documentBase64":"+\/+\/\r\n+\/+\/"}`;
    const [strict] = (await read(text)).files;
    const [tolerant] = (await read(text, { lineBreaks: true })).files;
    expect([strict?.content, sizeOf(tolerant)]).toEqual(["invalid-base64", 6]);
  });

  test("that are no texts stay for the schema to refuse", async () => {
    expect(await read('{"documentBase64":[1,null]}')).toEqual({ value: { documentBase64: [1, null] }, files: [] });
  });

  const padding = `"documentBase64":"${"A".repeat(400_000)}"`;
  test.each([
    ["no JSON", `{${padding}`, "VALIDATION_FAILED"],
    [
      "no UTF-8",
      Buffer.concat([Buffer.from(`{${padding},"a":"`), Buffer.from([0xff]), Buffer.from('"}')]),
      "VALIDATION_FAILED",
    ],
    ["33 levels", `{${padding},"a":${"[".repeat(32)}${"]".repeat(32)}}`, "VALIDATION_FAILED"],
    ["half a character", `{${padding},"a":"\\ud800"}`, "VALIDATION_FAILED"],
    ["the character NUL", `{${padding},"a":"\\u0000"}`, "VALIDATION_FAILED"],
    ["a million lists", `{${padding},"a":[${"[],".repeat(1_000_000)}[]]}`, "DOCUMENT_TOO_LARGE"],
    ["a long text that is no document", `{"a":"${"x".repeat(3 * mib)}"}`, "DOCUMENT_TOO_LARGE"],
  ])("with %s around them are refused", async (_name, body, code) => {
    expect(await refusalOf(body)).toBe(code);
  });

  test("of 25 MB are for the most part work of another thread than the one that answers requests", async () => {
    const text = JSON.stringify({ documents: [{ documentBase64: Buffer.alloc(25 * mib, 7).toString("base64") }] });
    const bytes = new Uint8Array(Buffer.from(text));
    // The thread has to be there, which it is from the second body on.
    await read(`{${padding}}`);
    const [beforeHere, before] = [process.threadCpuUsage(), process.cpuUsage()];
    const { files } = await bodies.read({ bytes, codes, boundary: "", lineBreaks: false });
    const here = process.threadCpuUsage(beforeHere);
    const all = process.cpuUsage(before);
    expect(sizeOf(files[0])).toBe(25 * mib);
    expect(here.user + here.system).toBeLessThan((all.user + all.system) / 2);
  });
});

const boundary = "AaB03x";
const crlf = "\r\n";
const jsonPart = (value: unknown) =>
  `--${boundary}${crlf}Content-Type: application/json${crlf}Content-Disposition: form-data${crlf}${crlf}${JSON.stringify(value)}${crlf}`;
const filePart = (disposition: string, content: string, headers = "") =>
  `--${boundary}${crlf}Content-Type: application/pdf${crlf}Content-Disposition: ${disposition}${crlf}${headers}${crlf}${content}${crlf}`;
const end = `--${boundary}--${crlf}`;
const multipart = (...parts: string[]) => parts.join("") + end;
const asParts = { boundary };

describe("documents in parts", () => {
  test("are those that the JSON calls by their ids; others are added", async () => {
    const body = multipart(
      jsonPart({ documents: [{ documentId: "3", name: "NDA" }, { documentId: "9" }], signers: [{ documentId: "3" }] }),
      filePart('file; filename="Lorem; \\"Ipsum\\"";documentid=3', `%PDF${crlf}--AaB03${crlf}tail`),
      filePart("file; filename=other.pdf; documentid=4", "QUJD\r\n", `Content-Transfer-Encoding: base64${crlf}`),
    );
    const { value, files } = await read(body, asParts);
    expect(value).toEqual({
      documents: [
        { documentId: "3", name: "NDA", documentBase64: "0" },
        { documentId: "9" },
        { documentId: "4", name: "other.pdf", documentBase64: "1" },
      ],
      signers: [{ documentId: "3" }],
    });
    expect(files.map(({ name, content }) => [name, Buffer.from(content as Uint8Array).toString("latin1")])).toEqual([
      ['Lorem; "Ipsum"', `%PDF${crlf}--AaB03${crlf}tail`],
      ["other.pdf", "ABC"],
    ]);
  });

  test("go to the documents of compositions too, and large ones are read by the thread", async () => {
    const content = "x".repeat(mib);
    const json = jsonPart({ compositeTemplates: [{ document: { documentId: 1 } }] });
    const { value, files } = await read(multipart(json, filePart("file; documentid=1", content)), asParts);
    expect(value).toEqual({ compositeTemplates: [{ document: { documentId: 1, documentBase64: "0" } }] });
    expect(sizeOf(files[0])).toBe(mib);
  });

  test("are found by names that begin with capitals, and added under them", async () => {
    const json = jsonPart({ Documents: [{ DocumentId: 1, Name: "NDA" }] });
    const { value } = await read(
      multipart(json, filePart("file; documentid=1", "x"), filePart("file; documentid=2", "y")),
      asParts,
    );
    expect(value).toEqual({
      Documents: [
        { DocumentId: 1, Name: "NDA", documentBase64: "0" },
        { documentId: "2", name: "", documentBase64: "1" },
      ],
    });
  });

  test("may have a preamble, blanks behind boundaries and nothing in them", async () => {
    const body = `preamble${crlf}${jsonPart({}).replace(boundary, `${boundary} \t`)}${filePart("file; documentid=1", "")}${end}`;
    const { files } = await read(body, asParts);
    expect(files.map(({ content }) => content)).toEqual(["missing"]);
  });

  test.each([
    ["no boundary", "nothing"],
    ["no end", jsonPart({})],
    ["no JSON", multipart(filePart("file; documentid=1", "x"))],
    ["JSON that is broken", multipart(jsonPart({}).replace("{}", "{"))],
    ["no documentid", multipart(jsonPart({}), filePart("file; filename=x", "x"))],
    ["one documentid twice", multipart(jsonPart({}), ...[1, 2].map(() => filePart("file; documentid=1", "x")))],
    ["one parameter twice", multipart(jsonPart({}), filePart("file; documentid=1; documentid=2", "x"))],
    ["one header twice", multipart(jsonPart({}), filePart("file; documentid=1", "x", `Content-Type: a/b${crlf}`))],
    ["a header without a name", multipart(jsonPart({}), filePart("file; documentid=1", "x", `nothing${crlf}`))],
    [
      "an unknown encoding",
      multipart(jsonPart({}), filePart("file; documentid=1", "x", `Content-Transfer-Encoding: gzip${crlf}`)),
    ],
    [
      "a head that does not end",
      multipart(jsonPart({}), filePart("file; documentid=1", "x", `A: ${"a".repeat(9_000)}${crlf}`)),
    ],
    [
      "many headers",
      multipart(
        jsonPart({}),
        filePart("file; documentid=1", "x", Array.from({ length: 20 }, (_, n) => `A${n}: b${crlf}`).join("")),
      ),
    ],
    [
      "many parts",
      multipart(jsonPart({}), ...Array.from({ length: 101 }, (_, n) => filePart(`file; documentid=${n}`, "x"))),
    ],
  ])("with %s are refused", async (_name, body) => {
    expect(await refusalOf(body, asParts)).toBe("VALIDATION_FAILED");
  });

  test.each([
    ["multipart/form-data; boundary=AaB03x", "AaB03x"],
    ['multipart/form-data; boundary="a b=c"; charset=utf-8', "a b=c"],
    ["multipart/form-data", undefined],
    [`multipart/form-data; boundary=${"a".repeat(71)}`, undefined],
    ["multipart/form-data; boundary=a; boundary=b", undefined],
    ['multipart/form-data; boundary="a', undefined],
  ])("%j names the boundary %j", (contentType, expected) => {
    expect(boundaryOf(contentType)).toBe(expected);
  });
});

describe("hostile bodies take time that grows with their length only", () => {
  const length = 16 * mib;
  test.each([
    ["quotes", '"'.repeat(length), ""],
    ["escaped quotes", `"${'\\"'.repeat(length / 2)}"`, ""],
    ["backslashes", `"${"\\".repeat(length)}"`, ""],
    ["brackets", "[".repeat(length), ""],
    ["almost boundaries", `${crlf}--${"a".repeat(69)}`.repeat(length / 73), "a".repeat(70)],
    ["line breaks", crlf.repeat(length / 2), "a"],
    ["boundaries", `--a${crlf}`.repeat(length / 5), "a"],
  ])("%s", async (_name, body, wanted) => {
    const startedAt = performance.now();
    expect(await refusalOf(body, { boundary: wanted })).toMatch(/^(VALIDATION_FAILED|DOCUMENT_TOO_LARGE)$/);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  test("headers", () => {
    const startedAt = performance.now();
    for (const piece of [";", "=", '"', "a=", '\\"', "a=b;", " "]) parseHeaderParams(`file; ${piece.repeat(4_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
