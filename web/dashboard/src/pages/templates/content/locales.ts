import type { Template, Version } from "#api/templates.ts";

/** What there is in one language. */
export interface LocaleState {
  readonly locale: string;
  /** The version that is not archived; there is at most one. */
  readonly open: Version | undefined;
  /** The newest of all, from which a draft begins. */
  readonly newest: Version | undefined;
}

/** The languages of a template, its default first; also that one in which nothing is written yet. */
export function localesOf(template: Template, versions: readonly Version[], wanted: string | null): LocaleState[] {
  const named = new Set([template.defaultLocale, ...versions.map(({ locale }) => locale)]);
  const canonical = wanted === null ? undefined : canonicalLocale(wanted);
  if (canonical !== undefined) named.add(canonical);
  return [...named].map((locale) => {
    const own = versions.filter((version) => version.locale === locale);
    return { locale, open: own.find(({ status }) => status !== "ARCHIVED"), newest: own.at(-1) };
  });
}

/** Undefined for what is no language tag. */
export function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0];
  } catch {
    return undefined;
  }
}

/** Such as "German (de)", in the language of whoever reads it. */
export function localeName(locale: string, reader: string): string {
  try {
    const name = new Intl.DisplayNames([reader], { type: "language" }).of(locale);
    return name === undefined || name === locale ? locale : `${name} (${locale})`;
  } catch {
    return locale;
  }
}
