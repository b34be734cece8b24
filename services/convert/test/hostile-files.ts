import { unzipSync, type Zippable, zipSync } from "fflate";

/** A package with some of its parts replaced, added, or removed (null). */
export function withParts(bytes: Uint8Array, changes: Readonly<Record<string, string | Uint8Array | null>>): Buffer {
  const parts: Zippable = { ...unzipSync(bytes) };
  for (const [name, content] of Object.entries(changes)) {
    if (content === null) delete parts[name];
    else parts[name] = typeof content === "string" ? Buffer.from(content) : content;
  }
  return Buffer.from(zipSync(parts));
}

export const textIn = (bytes: Uint8Array, name: string): string =>
  Buffer.from(unzipSync(bytes)[name] ?? new Uint8Array()).toString();

export const namesIn = (bytes: Uint8Array): string[] => Object.keys(unzipSync(bytes));

const types = (main: string): string =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`;

const wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const relations = (inner: string): string =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A small Word file with this in its body, and these relations of it. */
export const word = (body: string, links = "", main = wordType): Buffer =>
  Buffer.from(
    zipSync({
      "[Content_Types].xml": Buffer.from(types(main)),
      "_rels/.rels": Buffer.from(
        relations(`<Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/>`),
      ),
      "word/_rels/document.xml.rels": Buffer.from(relations(links)),
      "word/document.xml": Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${office}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:o="urn:schemas-microsoft-com:office:office"><w:body>${body}</w:body></w:document>`,
      ),
    }),
  );

export const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Everything of a Word file by which readers have been made to fetch something. */
export function fetchingWord(url: string): Buffer {
  const picture = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="a"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="r2"/></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const field = (code: string) =>
    `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>result</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
  const external = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}" TargetMode="External"/>`;
  const links = [
    external("r2", "image", `${url}/picture.png`),
    external("r3", "attachedTemplate", `${url}/template.dotm`),
    external("r4", "oleObject", `${url}/object.bin`),
    external("r5", "frame", `${url}/frame.docx`),
    external("r6", "hyperlink", "https://example.com/terms"),
    external("r7", "aFChunk", `${url}/chunk.html`),
    external("r8", "subDocument", `${url}/part.docx`),
  ].join("");
  const body = [
    ...[
      paragraph("Before"),
      picture,
      field(`INCLUDEPICTURE "${url}/field.png" \\d`),
      field(`INCLUDETEXT "${url}/text.docx"`),
    ],
    ...[field(`DDEAUTO "${url}/dde" a b`), field(`LINK Word.Document.12 "${url}/link.docx"`)],
    ...['<w:altChunk r:id="r7"/>', '<w:subDoc r:id="r8"/>', paragraph("After")],
  ].join("");
  return withParts(word(body, links), {
    "word/_rels/settings.xml.rels": relations(external("r1", "attachedTemplate", `${url}/settings.dotm`)),
    "word/settings.xml": `<?xml version="1.0"?><w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${office}"><w:attachedTemplate r:id="r1"/></w:settings>`,
  });
}

/** An OpenDocument text that refers to places outside in every way that its schema knows. */
export const fetchingBody = (url: string): string =>
  `<text:p>Before <text:a xlink:type="simple" xlink:href="https://example.com/terms">terms</text:a></text:p>
<text:p><draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:image xlink:href="${url}/picture.png" xlink:type="simple"/></draw:frame></text:p>
<text:p><draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:object-ole xlink:href="${url}/object.ole"/></draw:frame></text:p>
<text:p><draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:floating-frame xlink:href="${url}/frame.odt"/></draw:frame></text:p>
<text:section text:name="s"><text:section-source xlink:href="${url}/section.odt"/><text:p>In the section</text:p></text:section>
<text:p>After</text:p>`;
