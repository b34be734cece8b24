import { useMemo } from "react";
import { useLanguage } from "../texts/texts.tsx";

/** Numbers as the person writes them. */
export function useNumbers() {
  const { locale } = useLanguage();
  return useMemo(() => {
    const counts = new Intl.NumberFormat(locale);
    const shares = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
    return {
      count: (value: number): string => counts.format(value),
      /** Of a number between 0 and 1. */
      share: (value: number): string => shares.format(value),
    };
  }, [locale]);
}
