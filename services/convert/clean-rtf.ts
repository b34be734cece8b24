/**
 * An RTF file without what LibreOffice would read other files for: fields that load, linked and embedded objects, and
 * pictures that are drawings (SVG) and may name other pictures. What they showed last stays where the file has it.
 */
export function cleanRtf(bytes: Buffer): Buffer {
  const text = bytes
    .toString("latin1")
    .replaceAll(/\\fldinst(?![a-z])/g, (control, at: number, all: string) => {
      plainField.lastIndex = at + control.length;
      return plainField.test(all) ? control : "\\fldnone";
    })
    .replaceAll(/\\objdata(?![a-z])/g, "\\objnone");
  // A group that begins with a mark and an unknown name is left out by every reader.
  const shown = text.replaceAll(/\\pict(?![a-z])/g, (control, at: number, all: string) =>
    hasPictureAt(all, at + control.length) ? control : "\\*\\nopict",
  );
  // Of its own memory, which a thread can hand over.
  const cleaned = Buffer.alloc(shown.length);
  cleaned.write(shown, "latin1");
  return cleaned;
}

/**
 * Controls of how the text looks, and then one of the fields that read nothing. Only fields that begin as Office writes
 * them are kept: what they say can be spelled in many ways, and names of controls cannot.
 */
const plainField =
  /(?:[\s{]|\\(?:rtlch|ltrch|loch|hich|dbch|noproof|plain|cgrid|fcs|af|afs|ab|ai|f|fs|b|i|ul|ulnone|cf|cb|highlight|lang|langnp|langfe|langfenp|alang|kerning|expnd|expndtw|insrsid|charrsid|rsid|cs)(?:-?\d{1,9})?(?![a-z\d-]))*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION|HYPERLINK|TOC|TC|XE|INDEX|PAGEREF|REF|NOTEREF|SEQ|DATE|TIME|CREATEDATE|SAVEDATE|PRINTDATE|AUTHOR|TITLE|SUBJECT|FILENAME|NUMWORDS|NUMCHARS|DOCPROPERTY|STYLEREF|SYMBOL|FORMTEXT|FORMCHECKBOX|FORMDROPDOWN|MERGEFIELD|QUOTE|SHAPE)(?![A-Za-z])/iy;

/** Properties, in any order and before the data. */
const properties = /(?:\s|\\(?!(?:bin|pict)(?![a-z]))[a-z]{1,32}(?:-?\d{1,9})?)*/y;
const ownGroup = /\{\\\*\\(?:picprop|blipuid)(?![a-z])/y;
const hexData = /([\da-f\s]{1,200})[\da-f\s]*\}/iy;
const binaryData = /\\bin\d{1,9} ?([\s\S]{44})/y;

function hasPictureAt(text: string, start: number): boolean {
  const read = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let at = start;
  for (;;) {
    at += read(properties, at)?.[0].length ?? 0;
    if (read(ownGroup, at) === null) break;
    at = endOfGroup(text, at);
  }
  const binary = read(binaryData, at)?.[1];
  if (binary !== undefined) return isPicture(Buffer.from(binary, "latin1").toString("hex"));
  const hex = read(hexData, at)?.[1];
  return hex !== undefined && isPicture(hex.replaceAll(/\s/g, "").toLowerCase());
}

/** Behind the bracket that closes the group that begins here. None has a picture in it, so nothing is read twice. */
function endOfGroup(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && text.startsWith("\\pict", at)) break;
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Whether the first 44 bytes are of PNG, JPEG, GIF, BMP, TIFF, WMF, EMF, or what LibreOffice shows for an object. */
export const isPicture = (hex: string): boolean =>
  /^(?:89504e47|ffd8ff|47494638|424d|28000000|49492a00|4d4d002a|d7cdc69a|0[12]000900|01000000[\da-f]{72}20454d46|56434c4d5446)/.test(
    hex,
  );
