import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { findOffice } from "../office.ts";

/** A file that LibreOffice made, and what LibreOffice prints of it when it is asked directly. */
export interface OfficeFile {
  readonly name: string;
  readonly format: string;
  readonly bytes: Uint8Array;
  /** Words that were written into it. */
  readonly words: readonly string[];
  readonly pdf: Uint8Array;
}

interface Source {
  readonly text: string;
  readonly words: readonly string[];
}

/** The kinds of files that are made, with the sources that they are made of. */
const kinds: readonly { readonly format: string; readonly extension: string; make(random: Random): Source }[] = [
  { format: "docx", extension: "fodt", make: letter },
  { format: "odt", extension: "fodt", make: letter },
  { format: "xlsx", extension: "fods", make: sheet },
  { format: "docx", extension: "fodt", make: letter },
  { format: "rtf", extension: "fodt", make: letter },
  { format: "pptx", extension: "fodp", make: slides },
  { format: "doc", extension: "fodt", make: letter },
];

/** Files of these formats in many shapes, the same for a seed. LibreOffice makes all of a format at once. */
export function makeOfficeFiles(count: number, seed: number, formats: readonly string[]): OfficeFile[] {
  const made = kinds.filter(({ format }) => formats.includes(format));
  const folder = mkdtempSync(join(tmpdir(), "office-files-"));
  try {
    const sources = Array.from({ length: count }, (_, n) => {
      const kind = made[n % made.length] as (typeof kinds)[number];
      const source = kind.make(randomOf(seed + n));
      const name = `file-${n}`;
      mkdirSync(join(folder, kind.format), { recursive: true });
      writeFileSync(join(folder, `${kind.format}/${name}.${kind.extension}`), source.text);
      return { ...source, name, ...kind };
    });
    const placeOf = ({ format, name }: { format: string; name: string }, extension: string) =>
      join(folder, format, `${name}.${extension}`);
    for (const format of new Set(sources.map((one) => one.format))) {
      const all = sources.filter((one) => one.format === format);
      const into = ["--convert-to", format, "--outdir", join(folder, format)];
      soffice(
        folder,
        into,
        all.map((one) => placeOf(one, one.extension)),
      );
    }
    const printed = join(folder, "printed");
    soffice(
      folder,
      ["--convert-to", "pdf", "--outdir", printed],
      sources.map((one) => placeOf(one, one.format)),
    );
    return sources.map(({ name, format, words }) => ({
      ...{ name, format, words },
      bytes: readFileSync(join(folder, format, `${name}.${format}`)),
      pdf: readFileSync(join(printed, `${name}.pdf`)),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file of a source. */
export function officeFileOf(source: string, extension: string, format: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "office-file-"));
  try {
    writeFileSync(join(folder, `a.${extension}`), source);
    soffice(folder, ["--convert-to", format, "--outdir", folder], [join(folder, `a.${extension}`)]);
    return readFileSync(join(folder, `a.${format}`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function soffice(folder: string, args: readonly string[], files: readonly string[]): void {
  const profile = new URL(`file://${join(folder, "profile")}`).href;
  const program = findOffice(process.env.PATH ?? "");
  if (program === undefined) throw new Error("there is no soffice on PATH");
  execFileSync(program, [`-env:UserInstallation=${profile}`, "--headless", ...args, ...files], {
    cwd: folder,
    stdio: "ignore",
    env: { ...process.env, HOME: folder },
  });
}

interface Random {
  below(limit: number): number;
  one<T>(values: readonly T[]): T;
}

/** The same numbers for a seed, far apart for seeds that are near. */
function randomOf(seed: number): Random {
  const numbers = fc.sample(fc.nat(), { seed, numRuns: 400 });
  let at = 0;
  const below = (limit: number): number => {
    at += 1;
    return (numbers[at % numbers.length] as number) % limit;
  };
  return { below, one: (values) => values[below(values.length)] as (typeof values)[number] };
}

const namespaces = [
  ["office", "office"],
  ["text", "text"],
  ["table", "table"],
  ["draw", "drawing"],
  ["style", "style"],
  ["presentation", "presentation"],
]
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat(
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
  )
  .join(" ");

/** A flat file, which LibreOffice reads as one of packages. */
export const flat = (kind: "text" | "spreadsheet" | "presentation", body: string, styles = ""): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}">
${styles}<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;

const vocabulary = [
  ...["Agreement", "party", "signature", "shall", "notice", "thirty", "days", "Vergütung", "Schuldnerin", "prévu"],
  ...["côté", "договор", "подпись", "συμφωνία", "umowa", "żądanie", "İmza", "&amp;", "&lt;clause&gt;", "100 %", "§ 7"],
];

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CABzGMSjNgCABFmBnWWuTKCwAAAABJRU5ErkJggg==";

const breaks = `<office:automatic-styles><style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style><style:style style:name="T" style:family="table"><style:table-properties style:width="16cm"/></style:style></office:automatic-styles>`;

function letter(random: Random): Source {
  const words: string[] = [];
  const sentence = (): string => {
    const mark = `W${random.below(1_000_000)}`;
    words.push(mark);
    return [mark, ...Array.from({ length: 4 + random.below(30) }, () => random.one(vocabulary))].join(" ");
  };
  const parts: readonly (() => string)[] = [
    () => `<text:p>${sentence()}</text:p>`,
    () => `<text:h text:outline-level="${1 + random.below(3)}">${sentence()}</text:h>`,
    () => `<text:p text:style-name="B">${sentence()}</text:p>`,
    () =>
      `<text:list>${times(1 + random.below(4), () => `<text:list-item><text:p>${sentence()}</text:p></text:list-item>`)}</text:list>`,
    () => {
      const columns = 1 + random.below(4);
      const row = () =>
        `<table:table-row>${times(columns, () => `<table:table-cell><text:p>${sentence()}</text:p></table:table-cell>`)}</table:table-row>`;
      return `<table:table table:name="t${random.below(1e6)}" table:style-name="T"><table:table-column table:number-columns-repeated="${columns}"/>${times(1 + random.below(5), row)}</table:table>`;
    },
    () =>
      `<text:p>${sentence()} <text:a xlink:type="simple" xlink:href="https://example.com/${random.below(100)}">${sentence()}</text:a></text:p>`,
    () =>
      `<text:p>${sentence()}<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>${sentence()}</text:p></text:note-body></text:note></text:p>`,
    () =>
      `<text:p>${sentence()}<draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:image><office:binary-data>${pixel}</office:binary-data></draw:image></draw:frame></text:p>`,
    () => `<text:p>${sentence()}<text:tab/>Date:<text:tab/>Signature:</text:p>`,
  ];
  const body = times(3 + random.below(25), () => random.one(parts)());
  return { text: flat("text", body, breaks), words };
}

function sheet(random: Random): Source {
  const words: string[] = [];
  const cell = (): string => {
    if (random.below(3) === 0) {
      return `<table:table-cell office:value-type="float" office:value="${random.below(10_000)}"/>`;
    }
    const mark = `W${random.below(1_000_000)}`;
    words.push(mark);
    return `<table:table-cell office:value-type="string"><text:p>${mark}</text:p></table:table-cell>`;
  };
  const columns = 1 + random.below(5);
  const table = (): string =>
    `<table:table table:name="S${random.below(1e6)}">${times(1 + random.below(60), () => `<table:table-row>${times(columns, cell)}<table:table-cell table:formula="of:=1+1" office:value-type="float" office:value="2"/></table:table-row>`)}</table:table>`;
  return { text: flat("spreadsheet", times(1 + random.below(3), table)), words };
}

function slides(random: Random): Source {
  const words: string[] = [];
  const page = (): string => {
    const mark = `W${random.below(1_000_000)}`;
    words.push(mark);
    return `<draw:page draw:name="p${random.below(1e6)}"><draw:frame svg:width="12cm" svg:height="3cm" svg:x="1cm" svg:y="${1 + random.below(8)}cm"><draw:text-box><text:p>${mark} ${random.one(vocabulary)}</text:p></draw:text-box></draw:frame></draw:page>`;
  };
  return { text: flat("presentation", times(1 + random.below(6), page)), words };
}

const times = (count: number, make: () => string): string => Array.from({ length: count }, make).join("");
