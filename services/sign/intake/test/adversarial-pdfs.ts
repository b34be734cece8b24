import { deflateSync } from "node:zlib";
import { emptySignatureEntries, withTrueRange } from "./signed-pdf.ts";

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What acts, plays or reaches out, as entries of a catalog, a page or an annotation. */
const acts = [
  "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>",
  "/AA<</O<</S/Launch/F(cmd.exe)>>>>",
  "/OpenAction<</S/GoToR/F(\\\\\\\\host\\\\share\\\\a.pdf)/D[0/Fit]>>",
  "/OpenAction<</S/URI/URI(https://example.com/seen)>>",
  "/OpenAction<</S/SubmitForm/F<</FS/URL/F(https://example.com)>>>>",
  "/A<</S/URI/URI(javascript:alert\\(1\\))>>",
  "/A<</S/URI/URI(file:///etc/passwd)>>",
  "/A<</S/ImportData/F(a.fdf)>>",
  "/A<</S/GoToE/D[0/Fit]/T<</R/C>>>>",
  "/A<</S/Named/N/Print>>",
  "/AcroForm<</Fields[]/XFA(x)>>",
  "/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(1)>>]>>>>",
  "/URI<</Base(http://example.com)>>",
  "/Metadata 12 0 R",
];

/** What shows differently. */
const differs = [
  "/OCProperties<</OCGs[11 0 R]/D<</OFF[11 0 R]/AS[<</Event/Print/Category[/Print]/OCGs[11 0 R]>>]>>/Configs[<<>>]>>",
  "/UserUnit 2",
  "/Rotate 450",
  "/CropBox[10 10 300 300]",
  "/AcroForm<</NeedAppearances true/Fields[13 0 R]>>",
  "/Annots[13 0 R 14 0 R 15 0 R]",
];

const stream = (dictionary: string, data: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${data.length}>>\nstream\n`, "latin1"),
    Buffer.from(data as string),
    Buffer.from("\nendstream"),
  ]);

/** What would move, hide or swallow whatever is drawn after it. */
const leftovers = [
  "Q",
  "Q Q",
  "q",
  "q 2 0 0 2 0 0 cm q",
  "Q 3 0 0 3 0 0 cm",
  "0 0 1 1 re W n",
  "/N BMC",
  "BT",
  "(",
  "BI ID",
];

const content = (text: string, [before, after]: readonly [string, string]): Buffer =>
  stream("", `${before} BT /F 12 Tf 20 200 Td (${text}) Tj ET ${after}`);

type Place = readonly [number: number, offset: number] | readonly [number: number, container: number, index: number];

/** A file made to be read in several ways at once. The same seed makes the same file. */
export function adversarialPdf(seed: number): Buffer {
  const random = randomFrom(seed);
  const isSigned = random() < 0.2;
  // Files with signatures are refused for the least of it.
  const chance = (share: number) => random() < (isSigned ? share / 5 : share);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = (share: number) => (chance(share) ? pick(acts) : "") + (chance(share) ? pick(differs) : "");
  const parts: Buffer[] = [Buffer.from(chance(0.05) ? "From: mail\r\n\r\n%PDF-1.7\n" : "%PDF-1.7\n")];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  const add = (part: string | Buffer): number => {
    const offset = length();
    parts.push(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    return offset;
  };
  const object = (number: number, body: string | Buffer) =>
    add(Buffer.concat([Buffer.from(`${number} 0 obj\n`), Buffer.from(body as string), Buffer.from("\nendobj\n")]));
  const bodies = (share: number, text: string): [number, string | Buffer][] => [
    [1, `<</Type/Catalog/Pages 2 0 R${some(share)}>>`],
    [2, "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 400]>>"],
    [3, `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>${some(share)}>>`],
    [4, content(text, [chance(0.05) ? pick(leftovers) : "", chance(0.1) ? pick(leftovers) : ""])],
    [5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"],
    [11, "<</Type/OCG/Name(l)/Usage<</Print<</PrintState/ON>>/View<</ViewState/OFF>>>>>>"],
    [12, stream(chance(0.5) ? "/F(elsewhere.xml)" : "/Type/Metadata/Subtype/XML", "<x/>")],
    [
      13,
      `<</Type/Annot/Subtype/Widget/FT/Tx/T(f)/V(hidden value)/Rect[20 20 120 40]/F ${pick([0, 2, 4, 32, 36])}${chance(0.6) ? "/AP<</N 16 0 R>>" : ""}>>`,
    ],
    [
      14,
      `<</Type/Annot/Subtype/${pick(chance(0.4) ? ["Movie", "Screen"] : ["Link", "FreeText", "Text"])}/Rect[0 0 10 10]/Contents(note)/F ${pick([0, 2, 4, 32])}${some(share)}>>`,
    ],
    [15, `<</Type/Annot/Subtype/Stamp/Rect[50 50 90 90]/F ${pick([0, 4, 32, 36])}/AP<</N 16 0 R>>>>`],
    [
      16,
      stream(
        `/Type/XObject/Subtype/Form/BBox[0 0 50 50]${chance(0.1) ? "/Ref<</F(a.pdf)/Page 0>>" : ""}/Resources<</Font<</F 5 0 R>>>>`,
        "BT /F 9 Tf (drawn) Tj ET",
      ),
    ],
  ];
  const duplicate = (share: number, text: string) => {
    for (const [number, body] of bodies(0.4, text)) if (chance(share)) object(number, body);
  };
  let previous: number | undefined;
  const write = (places: readonly Place[], more = ""): void => {
    const trailer = `/Size 41/Root 1 0 R${previous === undefined ? "" : `/Prev ${previous}`}${more}`;
    const isStream = places.some((place) => place.length === 3) || chance(0.3);
    if (isStream && chance(0.3)) previous = hybrid(places, trailer);
    else previous = isStream ? xrefStream(places, trailer) : xrefTable(places, trailer);
    const said = chance(0.05) ? pick([0, 7, previous + 3]) : previous;
    add(`startxref\n${said}\n%%EOF\n`);
  };
  /** A table for old readers, and a stream for others, which may name what the table names, too. */
  const hybrid = (places: readonly Place[], trailer: string): number => {
    const inTable = places.filter((place) => place.length === 2);
    const inStream = places.filter((place) => place.length === 3 || chance(0.2));
    const offset = xrefStream(inStream, trailer);
    return xrefTable(inTable, `${trailer}/XRefStm ${offset}`);
  };
  const xrefTable = (places: readonly Place[], trailer: string): number => {
    const rows = places.map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n \n`);
    return add(`xref\n0 1\n0000000000 65535 f \n${rows.join("")}trailer\n<<${trailer}>>\n`);
  };
  const xrefStream = (places: readonly Place[], trailer: string): number => {
    const offset = length();
    const all: readonly Place[] = [...places, [39, offset]];
    const rows = all.map((place) => {
      const row = Buffer.alloc(6);
      row[0] = place.length === 3 ? 2 : 1;
      row.writeUInt32BE(place[1], 1);
      row[5] = place.length === 3 ? place[2] : 0;
      return row;
    });
    const packed = predicted(Buffer.concat(rows), 6, random);
    const index = all.map(([number]) => `${number} 1`).join(" ");
    return object(39, stream(`/Type/XRef${trailer}/W[1 4 1]/Index[${index}]${packed.entries}`, packed.data));
  };
  /** Packs what may be packed. */
  const pack = (objects: readonly [number, string | Buffer][], container: number): Place[] => {
    const plain = objects.filter(([, body]) => typeof body === "string") as [number, string][];
    let at = 0;
    const heads = plain.map(([number, body]) => {
      const head = `${number} ${at}`;
      at += body.length + 1;
      return head;
    });
    const first = `${heads.join(" ")} `;
    const packed = predicted(Buffer.from(first + plain.map(([, body]) => body).join(" "), "latin1"), 7, random);
    const offset = object(
      container,
      stream(`/Type/ObjStm/N ${plain.length}/First ${first.length}${packed.entries}`, packed.data),
    );
    return [[container, offset], ...plain.map(([number], index): Place => [number, container, index])];
  };

  if (chance(0.3)) duplicate(0.2, "before");
  const first = bodies(0.15, "I pay 100 EUR");
  const isPacked = chance(0.4);
  const loose = first.filter(([, body]) => !isPacked || typeof body !== "string");
  const places: Place[] = loose.map(([number, body]) => [number, object(number, body)]);
  if (chance(0.3)) duplicate(0.3, "I pay 1,000,000 EUR");
  write(isPacked ? [...places, ...pack(first, 30)] : places);
  const older = previous;
  for (let revision = 0; chance(0.35) && revision < 3; revision += 1) {
    const changed = bodies(0.15, `I pay ${revision + 2}00 EUR`).filter(() => chance(0.3));
    const loosely = changed.map(([number, body]): Place => [number, object(number, body)]);
    write(
      chance(0.3)
        ? [...loosely.filter(([number]) => [4, 12, 16].includes(number)), ...pack(changed, 31 + revision)]
        : loosely,
    );
  }
  if (isSigned) {
    const form = "/AcroForm<</Fields[20 0 R]/SigFlags 3>>";
    const signed: [number, string][] = [
      [1, `<</Type/Catalog/Pages 2 0 R${form}>>`],
      [20, "<</FT/Sig/T(Before)/V 40 0 R>>"],
      [40, `<</Type/Sig/Filter/Adobe.PPKLite${emptySignatureEntries}>>`],
    ];
    write(signed.map(([number, body]): Place => [number, object(number, body)]));
    const file = forged(withTrueRange(Buffer.concat(parts)), random);
    parts.splice(0, parts.length, file);
    if (random() < 0.3) write([[4, object(4, content("I pay 500 EUR", ["", ""]))]]);
  }
  if (chance(0.1)) add(`startxref\n${older}\n%%EOF\n`);
  if (chance(0.2)) duplicate(0.3, "after the end");
  return Buffer.concat(parts);
}

/** Sometimes with another digit in the contents of its signature, or in its range: none of them means nothing. */
function forged(pdf: Buffer, random: () => number): Buffer {
  if (random() < 0.7) return pdf;
  const from = pdf.lastIndexOf(emptySignatureEntries.slice(0, 20)) + "/Contents<".length;
  const to = pdf.indexOf("]", from);
  const changed = Buffer.from(pdf);
  const digits = [...pdf.toString("latin1", from, to).matchAll(/[\da-f](?=[\da-f]*(?:>| |$))/g)];
  const digit = digits[Math.floor(random() * digits.length)];
  changed.write(digit?.[0] === "0" ? "1" : "0", from + (digit?.index ?? 0), "latin1");
  return changed;
}

/** Deflated, with a PNG or TIFF predictor or without. */
function predicted(data: Buffer, columns: number, random: () => number): { entries: string; data: Buffer } {
  const kind = Math.floor(random() * 3);
  if (kind === 0) return { entries: "/Filter/FlateDecode", data: deflateSync(data) };
  const rows = Array.from({ length: Math.ceil(data.length / columns) }, (_, row) =>
    data.subarray(row * columns, (row + 1) * columns),
  );
  const parameters = (predictor: number) =>
    `/Filter/FlateDecode/DecodeParms<</Predictor ${predictor}/Columns ${columns}>>`;
  if (kind === 1) {
    const lines = rows.map((row) => row.map((byte, at) => (byte - (at > 0 ? (row[at - 1] ?? 0) : 0)) & 0xff));
    return { entries: parameters(2), data: deflateSync(Buffer.concat(lines)) };
  }
  const up = rows.map((row, index) =>
    Buffer.from([2, ...row.map((byte, at) => (byte - (rows[index - 1]?.[at] ?? 0)) & 0xff)]),
  );
  return { entries: parameters(12), data: deflateSync(Buffer.concat(up)) };
}
