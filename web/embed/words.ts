import { languages } from "./languages.ts";

/** Our own few words; everything that is agreed to comes with the rendering. */
export interface Words {
  readonly loading: string;
  readonly loadFailed: string;
  readonly expired: string;
  readonly unsafe: string;
  readonly retry: string;
  readonly reference: string;
  readonly before: string;
  readonly readToEnd: string;
  readonly openDocument: string;
  readonly wait: string;
  readonly waitOver: string;
  readonly done: string;
  readonly tickBox: string;
  readonly required: string;
  readonly typeName: string;
  readonly missing: string;
  readonly statement: string;
  readonly age: string;
  readonly fullAge: string;
  readonly purposes: string;
  readonly documents: string;
  readonly newTab: string;
  readonly read: string;
  readonly close: string;
  readonly staysOpen: string;
  readonly sending: string;
  readonly failed: string;
  readonly thanks: string;
  readonly recorded: string;
  readonly declined: string;
  readonly alreadyAccepted: string;
  readonly draft: string;
}

/** Words in the language of the locale, English where we do not speak it. */
export function chooseWords(locale: string, own: Partial<Words> = {}): { words: Words; language: string } {
  const language = locale.toLowerCase().split("-")[0] ?? "";
  const isSpoken = Object.hasOwn(languages, language);
  const words = isSpoken ? languages[language as keyof typeof languages] : languages.en;
  return { words: { ...words, ...own }, language: isSpoken || Object.keys(own).length > 0 ? locale : "en" };
}

/** Puts a value where the words leave room for it. */
export const fill = (words: string, value: string | number): string => words.replace("{}", () => String(value));

export function formatSeconds(seconds: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "long" }).format(seconds);
}
