import { objectOf } from "./rendering.ts";

/** Takes over the few values of a theme that are safe to take over; the others are the customer's own. */
export function applyTheme(root: HTMLElement, theme: unknown): void {
  const { accentColor, fontFamily, borderRadius } = objectOf(theme);
  if (isCss("color", accentColor)) {
    root.style.setProperty("--accent", accentColor);
    const readable = readableOn(root, accentColor);
    if (readable !== undefined) root.style.setProperty("--on-accent", readable);
  }
  if (isCss("font-family", fontFamily)) root.style.setProperty("--font", fontFamily);
  if (isCss("border-radius", borderRadius)) root.style.setProperty("--radius", borderRadius);
}

// A variable of a page, or an image, could be anything.
const isCss = (property: string, value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= 200 &&
  !/[;{}]|url\(|var\(/i.test(value) &&
  CSS.supports(property, value);

/** Black or white, whichever reads better; one of them always has a contrast of 4.5 or more. */
function readableOn(root: HTMLElement, color: string): string | undefined {
  const probe = document.createElement("span");
  probe.style.color = color;
  root.append(probe);
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(probe).color)?.slice(1);
  probe.remove();
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}
