import type { WitnessedMark } from "./messages.ts";

/** What stands for letters that no font has. */
const replacement = "\u25a1";

/** Scripts whose letters change, or change places, when they are drawn. */
const isSimple =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{N}\p{P}\p{S}]*$/u;

/**
 * Whether what is drawn is what the marks say, each of them once and nothing besides. Blanks do not count, since lines are
 * broken at them. Where letters run to the left or change when they meet, it has to be made of the same letters. `unseen`
 * pictures cannot be shown, and have a text in their place.
 */
export function saysAll(said: string, marks: readonly WitnessedMark[], unseen: number): boolean {
  const drawings = marks.filter(({ kind }) => kind === "image").length;
  const texts = (withTexts: boolean): string =>
    lettersOf(
      marks.flatMap(({ kind, texts: all }) => (kind === "image" && !withTexts ? all.slice(0, -1) : all)).join(""),
    );
  const drawn = lettersOf(said);
  if (unseen === 0) return isSame(drawn, texts(false));
  if (unseen === drawings) return isSame(drawn, texts(true));
  // Which of them could be shown does not matter here.
  return isMadeOf(drawn, texts(true)) && isMadeOf(texts(false), drawn);
}

const lettersOf = (text: string): string =>
  text.normalize("NFKC").replaceAll(/[\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "");

function isSame(drawn: string, wanted: string): boolean {
  if (!isSimple.test(wanted)) return isMadeOf(drawn, wanted) && isMadeOf(wanted, drawn);
  const [letters, all] = [[...drawn], [...wanted]];
  return letters.length === all.length && letters.every((one, index) => one === all[index] || one === replacement);
}

/** Whether all letters of the first are in the second, without the marks that stand on them, except those replaced. */
function isMadeOf(first: string, second: string): boolean {
  const counts = new Map<string, number>();
  for (const letter of baseLetters(second)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let missing = 0;
  for (const letter of baseLetters(first)) {
    const left = counts.get(letter) ?? 0;
    if (left > 0) counts.set(letter, left - 1);
    else if (letter !== replacement) missing += 1;
  }
  return missing <= (counts.get(replacement) ?? 0);
}

const baseLetters = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
