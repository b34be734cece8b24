// What of a clipboard nobody saw where it was copied.
import {
  attributeOf,
  childrenOf,
  type Document,
  declarationsIn,
  type Element,
  styleOf,
  textIn,
} from "./pasted-elements.ts";

const droppedNames = new Set(
  `head style script title meta link template noscript iframe object embed svg math img picture video audio canvas
  input button select textarea colgroup col`.split(/\s+/),
);

export function isHidden(element: Element): boolean {
  const name = element.tagName;
  // Names with a colon are of Office itself; of those only o:p has words.
  if (droppedNames.has(name) || (name.includes(":") && name !== "o:p" && !name.startsWith("st1:"))) return true;
  if (attributeOf(element, "hidden") !== undefined) return true;
  const style = attributeOf(element, "style");
  return style !== undefined && hides(declarationsIn(style));
}

const hides = (style: ReadonlyMap<string, string>): boolean =>
  /^none\b/.test(style.get("display") ?? "") ||
  /^all\b/.test(style.get("mso-hide") ?? "") ||
  /^ignore\b/.test(style.get("mso-list") ?? "") ||
  Number.parseFloat(style.get("opacity") ?? "1") === 0;

/** The classes that a style of the document hides, as Word has them for styles with hidden text. */
export function hiddenClassesIn(document: Document): ReadonlySet<string> {
  const sheets = childrenOf(document)
    .flatMap(childrenOf)
    .flatMap(childrenOf)
    .filter(({ nodeName }) => nodeName === "style");
  const texts = sheets.map((sheet) =>
    textIn(sheet)
      .split("*/")
      .map((part) => part.split("/*", 1)[0]),
  );
  const rules = texts.flatMap((parts) => parts.join("").split("}")).map((rule) => rule.split("{", 2));
  const hiding = rules.filter(([, declarations]) => declarations !== undefined && hides(declarationsIn(declarations)));
  return new Set(
    hiding.flatMap(([selectors = ""]) =>
      selectors.split(",").flatMap((selector) => /^\s*(?:p|span|li|div|a)?\.([\w-]+)\s*$/i.exec(selector)?.[1] ?? []),
    ),
  );
}

/** Why words are not seen, unless an element inside says otherwise. */
export interface Unseen {
  /** Its letters have no size. */
  readonly isEmpty?: boolean | undefined;
  readonly isInvisible?: boolean | undefined;
}

export function unseenIn(element: Element, around: Unseen): Unseen {
  if (attributeOf(element, "style") === undefined) return around;
  const style = styleOf(element);
  const size = style.get("font-size") ?? /(?:^|\s)(0|[\d.]+(?:[a-z]+|%))(?=[\s/])/.exec(style.get("font") ?? "")?.[1];
  const visibility = style.get("visibility");
  return {
    isEmpty: size === undefined ? around.isEmpty : (isNoSize(size) ?? around.isEmpty),
    isInvisible: visibility === undefined ? around.isInvisible : /^(?:hidden|collapse)\b/.test(visibility),
  };
}

/** Undefined where it depends on the size around it. */
function isNoSize(size: string): boolean | undefined {
  if (Number.parseFloat(size) === 0) return true;
  return /%|em\b|ex\b|ch\b|smaller|larger|inherit|unset/.test(size) && !/rem\b/.test(size) ? undefined : false;
}
