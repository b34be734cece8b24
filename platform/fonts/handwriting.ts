/** The ways in which a typed signature is written; the first is the default. */
export const signatureStyles = ["dancing-script", "caveat", "great-vibes"] as const;
export type SignatureStyle = (typeof signatureStyles)[number];

const alphabets = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}`;
const eastAsian = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;

/**
 * The scripts of which each style has a handwriting. Fonts with Chinese, Japanese and Korean characters are large, so the
 * third style writes these in print.
 */
const scripts: Readonly<Record<SignatureStyle, RegExp>> = {
  "dancing-script": new RegExp(`[${alphabets}${eastAsian}]`, "u"),
  caveat: new RegExp(`[${alphabets}${eastAsian}]`, "u"),
  "great-vibes": new RegExp(`[${alphabets}]`, "u"),
};

export const styleOf = (name: string): SignatureStyle =>
  signatureStyles.find((one) => one === name) ?? signatureStyles[0];

/** Whether a name looks handwritten in this style; printed letters tell their styles apart by slant, serifs and weight. */
export const isHandwritten = (style: SignatureStyle, text: string): boolean => scripts[style].test(text);

/** Kana first ask for the Japanese forms of characters. */
export const mayBeJapanese = (text: string): boolean => /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);

/** Code points of the Chinese and Japanese characters of a text. */
export const characterCodes = (text: string): number[] =>
  Array.from(
    text.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu),
    ([one]) => one.codePointAt(0) ?? 0,
  );
