/**
 * Control characters other than tabs and line breaks, what turns a text around (https://trojansource.codes), and halves of
 * surrogate pairs.
 */
const unsafe =
  "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069\\p{Surrogate}]";

/**
 * Characters that take no room, and line breaks that are none in HTML. The marks U+200E, U+200F and U+061C are not among
 * them: they only put a neighbour in its place, where languages of both directions meet.
 */
const invisible = "[\\u00ad\\u180e\\u200b\\u2028\\u2029\\u2060-\\u2064\\u206a-\\u206f\\ufeff\\u{e0001}]";

/**
 * Joiners that join nothing. U+200C and U+200D belong between letters of scripts such as those of Persian and Hindi, and
 * the latter between pictures, of which it makes one; elsewhere they only make texts differ that look the same.
 */
const looseJoiner =
  "(?<!(?![\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}\\p{Script=Hangul}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Inherited}])[\\p{L}\\p{M}]\\p{M}*)" +
  "(?:\\u200c|\\u200d(?!(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]\\u200d)\\p{Extended_Pictographic}))";

const hidden = new RegExp(`${unsafe}|${invisible}|${looseJoiner}`, "gu");

/** Most texts are of these characters only, and a look at them is cheap. */
const plain = /^[\n\t -~\u00a1-\u00ac\u00ae-\u05ff]*$/;

/**
 * A text that somebody has given as somebody else is shown it: characters that could turn it around, hide in it or
 * control something are named, `[U+202E]`, so that a reader sees that they are there. What is stored stays as it was sent.
 */
export const visibleText = (text: string): string =>
  plain.test(text) ? text : text.replaceAll(hidden, (character) => `[${characterName(character)}]`);

/** The name of a character in messages: `U+202E`. */
export const characterName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
