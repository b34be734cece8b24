import type { EventType } from "./types.ts";

interface EventArea {
  /** What the types begin with, such as "agreement". */
  readonly name: string;
  readonly types: readonly EventType[];
}

/** Sent when somebody asks for it, whatever an endpoint wants. */
const testType = "webhook.test";

/** The types that an endpoint may ask for, by their areas, in the order in which the API lists them. */
export function eventAreas(types: readonly EventType[]): EventArea[] {
  const areas = new Map<string, EventType[]>();
  for (const type of types) {
    if (type.type === testType) continue;
    const name = areaOf(type.type);
    areas.set(name, [...(areas.get(name) ?? []), type]);
  }
  return [...areas].map(([name, ofArea]) => ({ name, types: ofArea }));
}

/** Those whose name or description has every word of the search. */
export function searchAreas(areas: readonly EventArea[], search: string): EventArea[] {
  const words = search.toLowerCase().split(" ").filter(Boolean);
  const matches = ({ type, description }: EventType): boolean => {
    const text = `${type} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return areas
    .map(({ name, types }) => ({ name, types: types.filter(matches) }))
    .filter(({ types }) => types.length > 0);
}

/** The whole choice after that of one area was changed, among what the search shows of it. */
export function withAreaChoice(
  chosen: readonly string[],
  shown: readonly EventType[],
  ofArea: readonly string[],
): string[] {
  const visible = new Set(shown.map(({ type }) => type));
  return [...chosen.filter((type) => !visible.has(type)), ...ofArea];
}

const areaOf = (type: string): string => type.split(".")[0] ?? type;
