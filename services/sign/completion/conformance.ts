import { decodePDFRawStream, PDFDict, type PDFDocument, PDFName, PDFRawStream, PDFRef } from "pdf-lib";

/** The standards that a PDF claims to conform to in its metadata. */
export interface Claims {
  /** The PDF/A part; 0 for none. */
  readonly archive: number;
  /** PDF/UA. */
  readonly isAccessible: boolean;
  /** Whether transparency is forbidden, by the standard or because of the file's features. */
  readonly isOpaque: boolean;
}

export function claimsOf(document: PDFDocument): Claims {
  const { text = "" } = metadataOf(document) ?? {};
  const archive = Number(partOf(text, archiveSpace) ?? 0);
  const hasIntent = document.catalog.lookup(PDFName.of("OutputIntents")) !== undefined;
  return {
    archive,
    isAccessible: partOf(text, accessibleSpace) !== undefined,
    isOpaque: archive === 1 || (archive > 1 && !hasIntent),
  };
}

/** Removes the PDF/UA claim. */
export function dropAccessibleClaim(document: PDFDocument): void {
  const metadata = metadataOf(document);
  if (metadata === undefined) return;
  const { text } = metadata;
  const prefix = prefixOf(text, accessibleSpace);
  if (prefix === undefined) return;
  const names = `${prefix}:(?:part|rev|amd|corr)`;
  const without = text
    .replaceAll(new RegExp(`<${names}\\s*>[^<]{0,100}</${names}\\s*>`, "g"), "")
    .replaceAll(new RegExp(`\\s${names}\\s*=\\s*(?:"[^"]{0,100}"|'[^']{0,100}')`, "g"), "");
  replaceMetadata(document, metadata, without);
}

/**
 * A tagged PDF/A file of ours also keeps its PDF/UA claim when it makes one and readers show its title. PDF/A
 * requires a description of the claim's schema because it only knows its own schemas (ISO 19005-3 §6.6.2.3).
 */
export function claimAccessible(document: PDFDocument): void {
  const metadata = metadataOf(document);
  const schemas = "<pdfaExtension:schemas><rdf:Bag>";
  const end = "</rdf:Description></rdf:RDF>";
  if (metadata === undefined || !metadata.text.includes(schemas) || !metadata.text.includes(end)) return;
  const claim = `<pdfuaid:part xmlns:pdfuaid="${accessibleSpace}">1</pdfuaid:part>`;
  const text = metadata.text.replace(schemas, schemas + accessibleSchema).replace(end, claim + end);
  replaceMetadata(document, metadata, text);
  const { catalog, context } = document;
  const found = catalog.lookup(PDFName.of("ViewerPreferences"));
  const preferences = found instanceof PDFDict ? found : context.obj({});
  preferences.set(PDFName.of("DisplayDocTitle"), context.obj(true));
  if (preferences !== found) catalog.set(PDFName.of("ViewerPreferences"), preferences);
}

const archiveSpace = "http://www.aiim.org/pdfa/ns/id/";
const accessibleSpace = "http://www.aiim.org/pdfua/ns/id/";

const accessibleSchema =
  '<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>' +
  `<pdfaSchema:namespaceURI>${accessibleSpace}</pdfaSchema:namespaceURI>` +
  "<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>" +
  '<rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>' +
  "<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category>" +
  "<pdfaProperty:description>Part of ISO 14289</pdfaProperty:description></rdf:li>" +
  "</rdf:Seq></pdfaSchema:property></rdf:li>";

interface Metadata {
  readonly ref: PDFRef;
  readonly text: string;
}

/** Larger metadata does not come from a genuine document. */
const maxMetadataBytes = 1_000_000;

function metadataOf({ catalog }: PDFDocument): Metadata | undefined {
  const ref = catalog.get(PDFName.of("Metadata"));
  const stream = catalog.lookup(PDFName.of("Metadata"));
  if (!(ref instanceof PDFRef) || !(stream instanceof PDFRawStream)) return undefined;
  if (stream.contents.length > maxMetadataBytes) return undefined;
  try {
    const bytes = decodePDFRawStream(stream).decode();
    return bytes.length > maxMetadataBytes ? undefined : { ref, text: new TextDecoder().decode(bytes) };
  } catch {
    return undefined;
  }
}

/** Uncompressed, as PDF/A-1 requires. */
function replaceMetadata({ context }: PDFDocument, { ref }: Metadata, text: string): void {
  context.assign(ref, context.stream(Buffer.from(text), { Type: "Metadata", Subtype: "XML" }));
  context.snapshot?.markRefForSave(ref);
}

/** The prefix that the document uses for an XML namespace. */
const prefixOf = (text: string, space: string): string | undefined =>
  new RegExp(`xmlns:([\\w-]{1,50})\\s{0,9}=\\s{0,9}["']${space.replaceAll(".", "[.]")}["']`).exec(text)?.[1];

function partOf(text: string, space: string): string | undefined {
  const prefix = prefixOf(text, space);
  if (prefix === undefined) return undefined;
  return new RegExp(`${prefix}:part\\s{0,9}(?:>\\s{0,9}|=\\s{0,9}["'])(\\d)`).exec(text)?.[1];
}
