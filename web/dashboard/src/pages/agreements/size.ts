import { useLanguage } from "../../texts/texts.tsx";

const units = ["byte", "kilobyte", "megabyte"] as const;

/** Says how large a file is. */
export function useSize(): (bytes: number) => string {
  const { locale } = useLanguage();
  return (bytes) => {
    const step = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
    const format = { style: "unit", unit: units[step] ?? "byte", maximumFractionDigits: step === 2 ? 1 : 0 } as const;
    return new Intl.NumberFormat(locale, format).format(bytes / 1_000 ** step);
  };
}
