import { useMemo } from "react";
import { useLanguage } from "../texts/texts.tsx";
import type { Option } from "./text-field.tsx";

/** In these lists: as the browser has it, which the API knows as null. */
const ofBrowser = "browser";

/** What an option of these lists means to the API, and the other way round. */
export const settingOf = (option: string): string | null => (option === "" || option === ofBrowser ? null : option);
export const optionOf = (setting: string | null): string => setting ?? ofBrowser;

/** Those that mails and the signing page are written in. */
const mailLanguages = ["en", "de", "fr", "es", "it", "pt-BR", "pt-PT", "nl", "pl", "ja", "zh-Hans", "ar", "he"];

/** Of the mails and pages that somebody gets, and what is set. */
export function useMailLanguages(current: string | null): readonly Option[] {
  const { locale } = useLanguage();
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
    const ids = new Set([...mailLanguages, ...(current === null ? [] : [current])]);
    return [...ids].map((id) => ({ id, label: names.of(id) ?? id }));
  }, [current, locale]);
}

/** The languages of our words, in the forms that write dates and numbers differently. */
const locales = ["en", "en-GB", "en-US", "de", "de-AT", "de-CH"];

/** What is set is among the options, whatever it is. */
export function useLocaleOptions(current: string | null, ofBrowserText: string): readonly Option[] {
  const { locale } = useLanguage();
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
    const known = [...locales, ...(current === null ? [] : [current])];
    return optionsOf(known, ofBrowserText, (id) => names.of(id) ?? id);
  }, [current, locale, ofBrowserText]);
}

export function useTimeZoneOptions(current: string | null, ofBrowserText: string): readonly Option[] {
  return useMemo(() => {
    const known = ["UTC", ...Intl.supportedValuesOf("timeZone"), ...(current === null ? [] : [current])];
    return optionsOf(known, ofBrowserText, (id) => id.replaceAll("_", " "));
  }, [current, ofBrowserText]);
}

function optionsOf(ids: readonly string[], ofBrowserText: string, labelOf: (id: string) => string): readonly Option[] {
  return [{ id: ofBrowser, label: ofBrowserText }, ...[...new Set(ids)].map((id) => ({ id, label: labelOf(id) }))];
}
