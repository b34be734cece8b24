/**
 * A character that no text for people may have: control characters other than tab, line feed and carriage return;
 * bidirectional overrides and isolates, which can show a text in another order than the one that is stored
 * (https://trojansource.codes); halves of surrogate pairs. With the flag g.
 */
export const unsafeCharacter = /[[\p{Cc}--[\t\n\r]]\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gv;

/** True when the text has one of them. */
export const hasUnsafeCharacter = (text: string): boolean => text.search(unsafeCharacter) !== -1;
