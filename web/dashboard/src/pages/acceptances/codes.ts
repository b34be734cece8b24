/** The text for a code of the API, or the code itself when a later version introduced it. */
export const wordsFor = (words: ReadonlyMap<string, string>, code: string): string => words.get(code) ?? code;
