import type { BrandLook } from "#api/brands.ts";
import { contrastOf, leastContrast } from "#platform/contrast.ts";
import { element } from "./dom.ts";

/** The grounds that the accent is read on: the darkest of light screens, and the lightest of dark ones. */
const lightGround = "#eef0f5";
const darkGround = "#1a1e27";

/**
 * Gives the page the look of the sender: values of custom properties, which are colours and nothing else. What the page
 * says, who asks and what for, is not theirs to change.
 */
export function applyBrand(look: BrandLook | null, organizationName: string): void {
  if (look === null) return;
  const { colors, font, footer, logoUrl, faviconUrl, name } = look;
  const { style } = document.documentElement;
  const set = (property: string, value: string | null): void => {
    if (value !== null && value !== "") style.setProperty(property, value);
  };
  set("--brand-button", colors.button);
  set("--on-brand-button", colors.buttonText);
  set("--brand-header", colors.header);
  set("--on-brand-header", colors.headerText);
  if (colors.button) {
    set("--brand", legibleOn(lightGround, colors.button, "#000000"));
    set("--brand-dark", legibleOn(darkGround, colors.button, "#ffffff"));
  }
  if (font === "serif") set("--brand-font", 'Georgia, "Noto Serif", "Times New Roman", serif');
  if (faviconUrl !== null) document.querySelector('link[rel="icon"]')?.setAttribute("href", faviconUrl);
  if (logoUrl !== null) fill("brand-head", element("img", { src: logoUrl, alt: name ?? organizationName }));
  else if (name !== null && colors.header) fill("brand-head", element("span", {}, name));
  if (footer !== null) fill("brand-foot", element("p", {}, footer));
}

/** They stand outside of what the views replace. */
function fill(id: string, content: HTMLElement): void {
  const place = document.getElementById(id);
  if (place === null) return;
  place.replaceChildren(content);
  place.hidden = false;
}

/** The colour, or one that is nearer to this end of the scale, until it can be read there. */
function legibleOn(ground: string, color: string, end: string): string {
  for (let step = 0; step < 20; step += 1) {
    const mixed = mix(color, end, step / 20);
    if (contrastOf(mixed, ground) >= leastContrast) return mixed;
  }
  return end;
}

const mix = (from: string, to: string, share: number): string =>
  `#${[1, 3, 5]
    .map((at) => {
      const [a, b] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number];
      return Math.round(a + (b - a) * share)
        .toString(16)
        .padStart(2, "0");
    })
    .join("")}`;
