/** The least contrast between a text and what is behind it (WCAG 2.2, 1.4.3). */
export const leastContrast = 4.5;

/** The contrast of two colours, `#rrggbb` each, from 1 to 21, as WCAG 2.2 defines it. */
export function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Rounded down to hundredths: what is written as 4.5 is enough. */
export const contrastText = (contrast: number): string => (Math.floor(contrast * 100) / 100).toFixed(2);

/** Black or white, whichever reads better; one of them always has a contrast of 4.5 or more. */
export const readableOn = (background: string): string =>
  contrastOf("#ffffff", background) >= contrastOf("#000000", background) ? "#ffffff" : "#000000";

const luminanceOf = (color: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const linear = (share: number): number => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
