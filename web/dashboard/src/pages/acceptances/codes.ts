/** The words for a code of the API, or the code itself when it is a later version's. */
export const wordsFor = (words: ReadonlyMap<string, string>, code: string): string => words.get(code) ?? code;
