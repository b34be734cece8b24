import type { Adopted } from "#api/ceremony.ts";
import { characterCodes, isHandwritten, mayBeJapanese } from "#platform/fonts/handwriting.ts";
import { element } from "./dom.ts";

/** A signature as it will stand in the document. */
export function pictureOf({ typed, font, drawnPng }: Adopted): HTMLElement {
  if (drawnPng !== "") {
    return element("img", { src: `data:image/png;base64,${drawnPng}`, alt: "", class: "drawn" });
  }
  const written = element("span", { dir: "auto" });
  writeName(written, font, typed);
  return written;
}

/** Writes a name in a style, once more when the letters that its script needs are there. */
export function writeName(place: HTMLElement, font: Adopted["font"], name: string): void {
  // A name without a handwriting for its script looks as it is sealed: upright, leaning, or bold and leaning.
  const look = `typed font-${font}`;
  place.className = isHandwritten(font, name) ? look : `${look} plain`;
  place.textContent = name;
  place.style.setProperty("--length", String(Math.max(1, name.length)));
  const needed = sheets.filter(({ letters }) => letters.test(name));
  if (needed.length === 0) return;
  const choose = (): void => {
    const hands = families[font];
    const ordered = mayBeJapanese(name) ? [...hands].reverse() : hands;
    const codes = characterCodes(name);
    const hand = ordered.find(([, family]) => hasAll(family, codes));
    if (place.textContent === name && codes.length > 0) place.className = `${look} ${hand?.[0] ?? "plain"}`;
  };
  Promise.all(needed.map(({ load }) => load())).then(choose, () => undefined);
}

const families: Readonly<Record<Adopted["font"], readonly (readonly [look: string, family: string])[]>> = {
  "dancing-script": [
    ["chinese", "Ma Shan Zheng"],
    ["japanese", "Yomogi"],
  ],
  caveat: [
    ["chinese", "Zhi Mang Xing"],
    ["japanese", "Yuji Boku"],
  ],
  "great-vibes": [],
};

/** Each names some hundred files, of which the browser loads those with the letters of the name. */
const sheets = [
  {
    letters: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
    load: () =>
      Promise.all([
        import("@fontsource/ma-shan-zheng/400.css"),
        import("@fontsource/zhi-mang-xing/400.css"),
        import("@fontsource/yomogi/400.css"),
        import("@fontsource/yuji-boku/400.css"),
      ]),
  },
  {
    letters: /\p{Script=Hangul}/u,
    load: () =>
      Promise.all([import("@fontsource/nanum-pen-script/400.css"), import("@fontsource/nanum-brush-script/400.css")]),
  },
];

/** Whether the files of a font are said to have all of these. */
function hasAll(family: string, codes: readonly number[]): boolean {
  const ranges = [...document.fonts]
    .filter((face) => face.family.replaceAll('"', "") === family)
    .flatMap(({ unicodeRange }) => unicodeRange.split(","))
    .map((range) => range.trim().slice(2).split("-"))
    .map(([first = "", last = first]) => [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const);
  return codes.every((code) => ranges.some(([first, last]) => first <= code && code <= last));
}
