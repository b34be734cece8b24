/**
 * Which of these languages somebody reads who wants those, the one wanted most first; undefined when it is none of them.
 * Language and script have to fit: traditional Chinese is not simplified. Of several regions the same one is chosen, else
 * that of the language's other countries, as in Angola Portuguese is written as in Portugal.
 */
export function languageFor<Tag extends string>(wanted: Iterable<string>, spoken: readonly Tag[]): Tag | undefined {
  const offers = spoken.map((tag) => ({ tag, locale: likely(tag) }));
  for (const tag of wanted) {
    const asked = likely(tag);
    if (asked === undefined) continue;
    const fit = offers.filter(({ locale }) => locale?.language === asked.language && locale.script === asked.script);
    const home = likely(asked.language)?.region;
    const found =
      fit.find(({ locale }) => locale?.region === asked.region) ??
      fit.find(({ locale }) => locale?.region !== home) ??
      fit[0];
    if (found !== undefined) return found.tag;
  }
  return undefined;
}

/** With the script and the region that most people mean: `pt` is `pt-Latn-BR`. */
function likely(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.replaceAll("_", "-")).maximize();
  } catch {
    return undefined;
  }
}

/** What a browser would like to read (`Accept-Language`, RFC 9110 §12.5.4), the most wanted first. */
export const acceptedLanguages = (header = ""): string[] =>
  header
    .slice(0, 200)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((text) => text.trim());
      const quality = parameters.find((one) => one.startsWith("q="))?.slice(2) ?? "1";
      return { tag, quality: Number(quality) || 0 };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);

/** Whether a language is written from left to right or from right to left. */
export const directionOf = (tag: string): "ltr" | "rtl" =>
  /^(ar|arc|ckb|dv|fa|ha-arab|he|iw|khw|ks|ps|sd|ug|ur|yi)\b/i.test(tag) ? "rtl" : "ltr";
