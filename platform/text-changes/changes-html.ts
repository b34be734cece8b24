import { escapeHtml } from "../restricted-html/serialize.ts";
import type { Difference, DifferenceBlock, Words } from "./block-changes.ts";

export interface ToldChanges {
  /** Undefined when it would be too long to be read. */
  readonly difference: Difference | undefined;
  /** Of the text that the person accepted. */
  readonly label: string;
  /** In the words of the author. */
  readonly changeSummary: string | null;
  /** Of both texts. */
  readonly locale: string;
}

/**
 * What a person is shown of what has changed, as restricted HTML of paragraphs, one to a line. What was inserted and
 * deleted is said in words, too: few screen readers tell of ins and del by themselves, and nobody should need a color.
 * A page may hide those words from the eye (assent-unseen). `readDifference` reads it back.
 */
export function changesHtml({ difference, label, changeSummary, locale }: ToldChanges): string {
  const language = locale.toLowerCase().split("-")[0] ?? "";
  const isSpoken = Object.hasOwn(languages, language);
  const words: ChangeWords = languages[isSpoken ? (language as keyof typeof languages) : "en"];
  const say: Say = { words, lang: isSpoken ? "" : ' lang="en" dir="ltr"' };
  const line = (kind: string, text: string) => `<p class="assent-${kind}"${say.lang}>${text}</p>`;
  const blocks = difference?.blocks ?? [];
  return [
    line("title", `<strong>${words.changes}</strong>`),
    line("since", escapeHtml(words.changedSince.replace("{}", () => label))),
    ...(changeSummary === null
      ? []
      : [`<p class="assent-summary">${escapeHtml(changeSummary.replaceAll(/\s+/g, " "))}</p>`]),
    ...(difference === undefined ? [line("too-long", words.changesTooLong)] : []),
    ...(difference !== undefined && blocks.every(({ kind }) => kind === "unchanged")
      ? [line("same-wording", words.sameWording)]
      : []),
    ...blocks.map((block) => blockHtml(block, say)),
  ].join("\n");
}

interface Say {
  readonly words: ChangeWords;
  /** The attributes of our own words, where the text is in a language that we do not speak. */
  readonly lang: string;
}

function blockHtml(block: DifferenceBlock, say: Say): string {
  if (block.kind === "unchanged") {
    const text = say.words.unchangedParts.replace("{}", String(block.count));
    return `<p class="assent-unchanged assent-count-${block.count}"${say.lang}>${text}</p>`;
  }
  return `<p class="assent-${block.kind} assent-as-${block.as}">${innerOf(block, say)}</p>`;
}

function innerOf(block: Exclude<DifferenceBlock, { kind: "unchanged" }>, say: Say): string {
  if (block.kind === "changed") return block.words.map((words) => wordsHtml(words, say)).join("");
  const { kind, text } = block;
  if (kind === "markup") return `${unseen(`${say.words.otherForm} `, say)}${escapeHtml(text)}`;
  return wordsHtml({ kind, text }, say);
}

function wordsHtml({ kind, text }: Words, say: Say): string {
  if (kind === "same") return escapeHtml(text);
  const [element, before] = kind === "added" ? ["ins", say.words.insertedWords] : ["del", say.words.deletedWords];
  const after = ` (${say.words.endOfWords}) `;
  return `<${element}>${unseen(` ${before} `, say)}${escapeHtml(text)}${unseen(after, say)}</${element}>`;
}

const unseen = (text: string, { lang }: Say): string => `<span class="assent-unseen"${lang}>${escapeHtml(text)}</span>`;

/** What is said around a difference. `{}` is where a value goes. */
interface ChangeWords {
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

/** In the languages that our pages speak. */
const languages = {
  en: {
    changes: "What has changed",
    changedSince: "Compared with version {}, which you accepted before.",
    sameWording: "The wording is the same.",
    changesTooLong: "The text was largely rewritten. Please read all of it.",
    unchangedParts: "Unchanged paragraphs: {}",
    insertedWords: "inserted:",
    deletedWords: "deleted:",
    endOfWords: "end of change",
    otherForm: "only its form has changed:",
  },
  de: {
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
  fr: {
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
  es: {
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
  it: {
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
  pt: {
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
} as const satisfies Record<string, ChangeWords>;
