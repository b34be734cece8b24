/** How a text of some locale is set. */
export interface Language {
  /** ISO 639, two or three letters; decides how words are divided. */
  readonly lang: string;
  /** ISO 3166-1, two letters. */
  readonly region?: string;
  readonly dir: "ltr" | "rtl";
}

/** The language of a BCP 47 tag; of an undetermined one for what is none. */
export function languageOf(locale: string): Language {
  const parsed = parse(locale);
  const region = parsed?.region;
  return {
    lang: parsed?.language ?? "und",
    ...(region !== undefined && /^[A-Z]{2}$/.test(region) ? { region } : {}),
    dir: isRightToLeft(parsed) ? "rtl" : "ltr",
  };
}

function parse(locale: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(locale);
  } catch {
    return undefined;
  }
}

const rightToLeftScripts: ReadonlySet<string> = new Set([
  "Adlm",
  "Arab",
  "Hebr",
  "Mand",
  "Nkoo",
  "Rohg",
  "Syrc",
  "Thaa",
]);

const isRightToLeft = (locale: Intl.Locale | undefined): boolean =>
  rightToLeftScripts.has(locale?.maximize().script ?? "");
