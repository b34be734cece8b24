import { type PlacedFinding, quoted } from "./place-findings.ts";
import type { JsonSchema } from "./template-source.ts";

/** How a template uses a datum. */
export type Use =
  | "number"
  | "date"
  /** Shown, or taken by a filter of texts. */
  | "text"
  | "list"
  /** Has properties. */
  | "object"
  /** Asked for its size: a list or a text. */
  | "sized"
  /** Tested, compared or given a name. */
  | "any";

/** A datum, by all the uses of it. */
interface SchemaNode {
  use(use: Use, offset: number): void;
  property(name: string, offset: number): SchemaNode;
  /** What stands for all items of a list. */
  item(): SchemaNode;
  /** The template needs it wherever there is what it belongs to. */
  require(): void;
  readonly isRequired: boolean;
  schema(): JsonSchema;
  conflicts(): PlacedFinding[];
}

/** A datum without uses yet; the path is for people, such as `items[].price`. */
export function createSchemaNode(path = ""): SchemaNode {
  const node: State = { path, uses: new Map(), properties: new Map(), item: undefined, isRequired: false };
  const note = (use: Use, offset: number): void => {
    node.uses.set(use, Math.min(offset, node.uses.get(use) ?? offset));
  };
  return {
    use: note,
    property: (name, offset) => {
      note("object", offset);
      const known = node.properties.get(name);
      if (known !== undefined) return known;
      const made = createSchemaNode(path === "" ? name : `${path}.${name}`);
      node.properties.set(name, made);
      return made;
    },
    item: () => {
      if (node.item === undefined) {
        node.item = createSchemaNode(`${path}[]`);
        // No item of a list may be null.
        node.item.require();
      }
      return node.item;
    },
    require: () => {
      node.isRequired = true;
    },
    get isRequired() {
      return node.isRequired;
    },
    schema: () => schemaOf(node),
    conflicts: () => conflictsOf(node),
  };
}

interface State {
  readonly path: string;
  /** With the first place of each. */
  readonly uses: Map<Use, number>;
  readonly properties: Map<string, SchemaNode>;
  item: SchemaNode | undefined;
  isRequired: boolean;
}

function schemaOf({ uses, properties, item, isRequired }: State): JsonSchema {
  // What is not needed may be null as well as absent.
  const type = (...names: string[]) => {
    const all = isRequired ? names : [...names, "null"];
    return { type: all.length === 1 ? all[0] : all };
  };
  if (uses.has("object")) {
    const required = Array.from(properties)
      .filter(([, property]) => property.isRequired)
      .map(([name]) => name);
    return {
      ...type("object"),
      properties: Object.fromEntries(Array.from(properties, ([name, property]) => [name, property.schema()])),
      ...(required.length === 0 ? {} : { required }),
    };
  }
  if (uses.has("list")) return { ...type("array"), items: item?.schema() ?? {} };
  if (uses.has("number")) return type("number");
  if (uses.has("date")) return { ...type("string"), anyOf: dateFormats(isRequired) };
  if (uses.has("sized")) return uses.has("text") ? type("string") : { ...type("array"), items: {} };
  return uses.has("text") ? type("string", "number", "boolean") : {};
}

const dateFormats = (isRequired: boolean) => [
  { format: "date" },
  { format: "date-time" },
  ...(isRequired ? [] : [{ type: "null" }]),
];

/** Uses that no datum satisfies together. */
const kinds: ReadonlyMap<Use, string> = new Map([
  ["object", "an object"],
  ["list", "a list"],
  ["number", "a number"],
  ["date", "a date"],
  ["text", "a text"],
]);

const isCompatible = (a: Use, b: Use): boolean => a === b || (isScalar(a) && isScalar(b) && hasText(a, b));
const isScalar = (use: Use): boolean => use === "number" || use === "date" || use === "text";
const hasText = (a: Use, b: Use): boolean => a === "text" || b === "text";

function conflictsOf({ path, uses, properties, item }: State): PlacedFinding[] {
  const used = [...uses].filter(([use]) => kinds.has(use)).sort((a, b) => a[1] - b[1]);
  const clash = used.find(([use], index) => used.slice(0, index).some(([before]) => !isCompatible(before, use)));
  const below = [...properties.values(), ...(item === undefined ? [] : [item])].flatMap((node) => node.conflicts());
  const before = used.find(([use]) => clash !== undefined && !isCompatible(use, clash[0]));
  if (clash === undefined || before === undefined) return below;
  const message = `${quoted(path)} is used as ${kinds.get(clash[0])} here, and as ${kinds.get(before[0])} elsewhere.`;
  return [{ code: "conflicting_use", message, offset: clash[1] }, ...below];
}

/**
 * A part of the template that is rendered as a whole or not at all, and whose data belong together: the template, or the
 * body of a loop.
 */
export interface Frame {
  /** How many conditions and loops are around what stands in it directly. */
  readonly depth: number;
  /** False when it may be left out, or is not about all items. Set when a jump may leave out the rest. */
  isCertain: boolean;
}

/** Where a value comes from. */
export interface Flow {
  readonly node: SchemaNode;
  readonly frame: Frame;
}

/** A list that filters made: what its items are. Undefined: not known. */
export type ListFlow = { readonly item: Flow };

export type AnyFlow = Flow | ListFlow | undefined;

/** The frame of one single item of a list, which says nothing about the other items. */
export const uncertain: Frame = { depth: -1, isCertain: false };

export const isList = (flow: AnyFlow): flow is ListFlow => flow !== undefined && "item" in flow;

export const useFlow = (flow: AnyFlow, use: Use, offset: number): void => {
  if (flow !== undefined && !isList(flow)) flow.node.use(use, offset);
};

/** The items of a value that is used as a list. */
export function itemOf(flow: AnyFlow, offset: number): Flow {
  if (flow === undefined) return { node: createSchemaNode(), frame: uncertain };
  if (isList(flow)) return flow.item;
  flow.node.use("list", offset);
  return { node: flow.node.item(), frame: flow.frame };
}
