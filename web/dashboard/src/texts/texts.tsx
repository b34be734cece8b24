import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { I18nProvider } from "react-aria-components";
import type { SignedIn } from "#api/users.ts";
import { sessionKey } from "../api/begin-session.ts";
import type { en } from "./en/index.ts";
import { type WrittenTimes, writtenTimes } from "./written-times.ts";

/** All words of the dashboard, by the area that they belong to. */
export type Texts = typeof en;

export interface Language {
  readonly texts: Texts;
  /** How dates and numbers are written. */
  readonly locale: string;
  readonly timeZone: string;
  readonly times: WrittenTimes;
}

const LanguageContext = createContext<Language | undefined>(undefined);

/** The words of an area in the language of the person. */
export const useTexts = <Area extends keyof Texts>(area: Area): Texts[Area] => useLanguage().texts[area];

export function useLanguage(): Language {
  const language = useContext(LanguageContext);
  if (language === undefined) throw new Error("there is no language");
  return language;
}

/** In the language of the person, or else of the browser; shows nothing before the words are there. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const { data: signedIn } = useQuery<SignedIn | null>({ queryKey: sessionKey, enabled: false });
  const locale = signedIn?.user.locale || navigator.language || "en";
  const timeZone = signedIn?.user.timeZone || new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const texts = useLoadedTexts(isGerman(locale) ? "de" : "en");
  useEffect(() => {
    document.documentElement.lang = isGerman(locale) ? "de" : "en";
  }, [locale]);
  const language = useMemo(
    () => texts && { texts, locale, timeZone, times: writtenTimes(locale, timeZone) },
    [texts, locale, timeZone],
  );
  if (language === undefined) return null;
  return (
    <LanguageContext value={language}>
      <I18nProvider locale={isGerman(locale) ? locale : englishOf(locale)}>{children}</I18nProvider>
    </LanguageContext>
  );
}

const isGerman = (locale: string): boolean => locale.toLowerCase().split("-")[0] === "de";

/** Words of the controls are English wherever ours are. */
const englishOf = (locale: string): string => (locale.toLowerCase().startsWith("en") ? locale : "en");

/** The previous words stay until others have come. */
function useLoadedTexts(language: "de" | "en"): Texts | undefined {
  const [texts, setTexts] = useState<Texts>();
  useEffect(() => {
    let isWanted = true;
    const load =
      language === "de" ? import("./de/index.ts").then(({ de }) => de) : import("./en/index.ts").then(({ en }) => en);
    void load.then((loaded) => {
      if (isWanted) setTexts(loaded);
    });
    return () => {
      isWanted = false;
    };
  }, [language]);
  return texts;
}
