import { type Block, decoded } from "./text-blocks.ts";

interface Words {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** A paragraph of what was shown; "unchanged" stands for this many that were left out. */
type DifferenceBlock =
  | { readonly kind: "unchanged"; readonly count: number }
  | { readonly kind: "same" | "added" | "removed" | "markup"; readonly as: string; readonly text: string }
  | { readonly kind: "changed"; readonly as: string; readonly words: readonly Words[] };

/** What has changed from one text to another, as it was shown. */
interface Difference {
  readonly blocks: readonly DifferenceBlock[];
}

/** Whether the difference leads exactly from the one text to the other. */
export function isDifferenceOf({ blocks }: Difference, from: readonly Block[], to: readonly Block[]): boolean {
  const at = { from: 0, to: 0 };
  for (const block of blocks) {
    const steps = block.kind === "unchanged" ? block.count : 1;
    for (let step = 0; step < steps; step += 1) if (!isStep(block, from, to, at)) return false;
  }
  return at.from === from.length && at.to === to.length;
}

/** Moves on in the texts that the block stands for. */
function isStep(
  block: DifferenceBlock,
  from: readonly Block[],
  to: readonly Block[],
  at: { from: number; to: number },
): boolean {
  const [older, newer] = [from[at.from], to[at.to]];
  if (block.kind !== "added") at.from += 1;
  if (block.kind !== "removed") at.to += 1;
  const isSame = older !== undefined && older.text === newer?.text;
  switch (block.kind) {
    case "unchanged":
      return isSame && older.kind === newer.kind;
    case "same":
      return isSame && older.kind === newer.kind && newer.text === block.text && newer.kind === block.as;
    case "markup":
      return isSame && newer.text === block.text && newer.kind === block.as;
    case "removed":
      return older?.text === block.text && older.kind === block.as;
    case "added":
      return newer?.text === block.text && newer.kind === block.as;
    case "changed":
      return (
        older?.text === sideOf(block.words, "added") &&
        newer?.text === sideOf(block.words, "removed") &&
        newer.kind === block.as
      );
  }
}

const sideOf = (words: readonly Words[], without: Words["kind"]): string =>
  words.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join("");

/** What the words around the text name. */
export interface Named {
  readonly label: string;
  readonly changeSummary: string | null;
}

/**
 * The difference that the service wrote; "too long" where it says that it is left out. Undefined for anything else:
 * everything around it, seen or unseen, has to be the service's own words and what is named.
 */
export function readDifference(html: string, named: Named): Difference | "too long" | undefined {
  const lines = html.split("\n");
  const saying = sayings.find((one) => lines[0] === lineOf("title", one.lang, `<strong>${one.changes}</strong>`));
  if (saying === undefined || !isIntroduced(lines, saying, named)) return undefined;
  const rest = lines.slice(named.changeSummary === null ? 2 : 3);
  if (rest.length === 1 && rest[0] === lineOf("too-long", saying.lang, saying.changesTooLong)) return "too long";
  const saysSame = rest[0] === lineOf("same-wording", saying.lang, saying.sameWording);
  const blocks: DifferenceBlock[] = [];
  for (const line of saysSame ? rest.slice(1) : rest) {
    const block = readBlock(line, saying);
    if (block === undefined) return undefined;
    blocks.push(block);
  }
  return saysSame === blocks.every(({ kind }) => kind === "unchanged") ? { blocks } : undefined;
}

const lineOf = (kind: string, lang: string, inner: string): string => `<p class="assent-${kind}"${lang}>${inner}</p>`;

function isIntroduced([, since, summary]: readonly string[], { changedSince, lang }: Saying, named: Named): boolean {
  const { label, changeSummary } = named;
  return (
    since === lineOf("since", lang, written(changedSince.replace("{}", () => label))) &&
    (changeSummary === null || summary === lineOf("summary", "", written(changeSummary.replaceAll(/\s+/g, " "))))
  );
}

const linePattern = /^<p class="assent-([a-z]+) assent-as-([a-z0-9]{0,16})">(.*)<\/p>$/s;

const countPattern = /^<p class="assent-unchanged assent-count-([1-9]\d{0,8})"/;

function readBlock(line: string, saying: Saying): DifferenceBlock | undefined {
  const [, count] = countPattern.exec(line) ?? [];
  if (count !== undefined) {
    const said = lineOf(`unchanged assent-count-${count}`, saying.lang, saying.unchangedParts.replace("{}", count));
    return line === said ? { kind: "unchanged", count: Number(count) } : undefined;
  }
  const [, kind, as = "", inner = ""] = linePattern.exec(line) ?? [];
  if (kind === "markup") {
    const before = unseen(`${saying.otherForm} `, saying);
    const text = inner.startsWith(before) ? plain(inner.slice(before.length)) : undefined;
    return text === undefined ? undefined : { kind, as, text };
  }
  const words = readWords(inner, saying);
  if (words === undefined) return undefined;
  if (kind === "changed") return { kind, as, words };
  const [one, ...others] = words;
  const isOne = one !== undefined && others.length === 0 && one.kind === kind;
  return isOne ? { kind: one.kind, as, text: one.text } : undefined;
}

function readWords(inner: string, saying: Saying): Words[] | undefined {
  const end = unseen(` (${saying.endOfWords}) `, saying);
  const marks = [
    { kind: "added", before: `<ins>${unseen(` ${saying.insertedWords} `, saying)}`, after: `${end}</ins>` },
    { kind: "removed", before: `<del>${unseen(` ${saying.deletedWords} `, saying)}`, after: `${end}</del>` },
  ] as const;
  const words: Words[] = [];
  for (let at = 0; at < inner.length; ) {
    const mark = marks.find(({ before }) => inner.startsWith(before, at));
    const start = at + (mark?.before.length ?? 0);
    const next = inner.indexOf("<", start);
    const stop = next === -1 ? inner.length : next;
    const text = plain(inner.slice(start, stop));
    if (text === undefined || (mark !== undefined && !inner.startsWith(mark.after, stop))) return undefined;
    words.push({ kind: mark?.kind ?? "same", text });
    at = stop + (mark?.after.length ?? 0);
  }
  return words;
}

/** Undefined for what is no text, or not written as the service writes it. */
function plain(html: string): string | undefined {
  const text = decoded(html);
  return text !== "" && written(text) === html ? text : undefined;
}

/** A text as the service writes it in HTML. */
export const written = (text: string): string =>
  text.replaceAll(/[&<>"'\r\u00a0]/g, (character) => escapes[character] ?? "");

const escapes: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\r": "&#13;", "\u00a0": "&nbsp;" },
};

const unseen = (text: string, { lang }: Saying): string => `<span class="assent-unseen"${lang}>${written(text)}</span>`;

/** What the service says around a difference. `{}` is where a value goes. */
interface Saying {
  /** The attributes of words that are not in the language of the text. */
  readonly lang: string;
  readonly changes: string;
  readonly changedSince: string;
  readonly sameWording: string;
  readonly changesTooLong: string;
  readonly unchangedParts: string;
  readonly insertedWords: string;
  readonly deletedWords: string;
  readonly endOfWords: string;
  readonly otherForm: string;
}

const english = {
  lang: "",
  changes: "What has changed",
  changedSince: "Compared with version {}, which you accepted before.",
  sameWording: "The wording is the same.",
  changesTooLong: "The text was largely rewritten. Please read all of it.",
  unchangedParts: "Unchanged paragraphs: {}",
  insertedWords: "inserted:",
  deletedWords: "deleted:",
  endOfWords: "end of change",
  otherForm: "only its form has changed:",
};

const sayings: readonly Saying[] = [
  english,
  { ...english, lang: ' lang="en" dir="ltr"' },
  {
    lang: "",
    changes: "Was sich geändert hat",
    changedSince: "Verglichen mit Version {}, der Sie früher zugestimmt haben.",
    sameWording: "Der Wortlaut ist derselbe.",
    changesTooLong: "Der Text wurde weitgehend neu geschrieben. Bitte lesen Sie ihn ganz.",
    unchangedParts: "Unveränderte Absätze: {}",
    insertedWords: "eingefügt:",
    deletedWords: "gestrichen:",
    endOfWords: "Ende der Änderung",
    otherForm: "nur die Form hat sich geändert:",
  },
  {
    lang: "",
    changes: "Ce qui a changé",
    changedSince: "Par rapport à la version {}, que vous avez acceptée auparavant.",
    sameWording: "Le libellé est identique.",
    changesTooLong: "Le texte a été en grande partie réécrit. Veuillez le lire en entier.",
    unchangedParts: "Paragraphes inchangés : {}",
    insertedWords: "ajouté :",
    deletedWords: "supprimé :",
    endOfWords: "fin de la modification",
    otherForm: "seule la forme a changé :",
  },
  {
    lang: "",
    changes: "Qué ha cambiado",
    changedSince: "En comparación con la versión {}, que usted aceptó antes.",
    sameWording: "La redacción es la misma.",
    changesTooLong: "El texto se ha reescrito en gran parte. Léalo entero.",
    unchangedParts: "Párrafos sin cambios: {}",
    insertedWords: "añadido:",
    deletedWords: "eliminado:",
    endOfWords: "fin del cambio",
    otherForm: "solo ha cambiado la forma:",
  },
  {
    lang: "",
    changes: "Che cosa è cambiato",
    changedSince: "Rispetto alla versione {}, accettata in precedenza.",
    sameWording: "Il testo è lo stesso.",
    changesTooLong: "Il testo è stato in gran parte riscritto. Leggerlo per intero.",
    unchangedParts: "Paragrafi invariati: {}",
    insertedWords: "aggiunto:",
    deletedWords: "eliminato:",
    endOfWords: "fine della modifica",
    otherForm: "è cambiata solo la forma:",
  },
  {
    lang: "",
    changes: "O que mudou",
    changedSince: "Em comparação com a versão {}, que aceitou anteriormente.",
    sameWording: "A redação é a mesma.",
    changesTooLong: "O texto foi reescrito em grande parte. Leia-o por inteiro.",
    unchangedParts: "Parágrafos inalterados: {}",
    insertedWords: "acrescentado:",
    deletedWords: "eliminado:",
    endOfWords: "fim da alteração",
    otherForm: "só a forma mudou:",
  },
];
