import { type FilteredValueToken, type PropertyAccessToken, type Token, TypeGuards, type Value } from "liquidjs";
import type { FilterArgument } from "./filters/filter-spec.ts";
import { filterSpecs } from "./filters/filter-specs.ts";
import { nameOf } from "./liquid-state.ts";
import {
  type AnyFlow,
  type Flow,
  type Frame,
  isList,
  itemOf,
  type ListFlow,
  type Use,
  uncertain,
  useFlow,
} from "./schema-node.ts";

/** Reads what expressions use, and tells where their values come from. */
export interface ExpressionReader {
  /** A value that is used so when no filter says otherwise. */
  value(value: Value, use: Use): AnyFlow;
  condition(value: Value): void;
  operand(token: Token): void;
  collection(token: Token | FilteredValueToken): AnyFlow;
  token(token: Token, use: Use): void;
  /** What follows is rendered sometimes only. */
  enter(): void;
  leave(): void;
  depth(): number;
  /** True when what stands here is rendered whenever the frame is. */
  isCertain(frame: Frame): boolean;
}

export function createExpressionReader(root: Flow, names: ReadonlyMap<string, AnyFlow>): ExpressionReader {
  let depth = 0;
  const isCertain = (frame: Frame): boolean => frame.isCertain && frame.depth === depth;

  const path = (token: PropertyAccessToken, isLenient: boolean): AnyFlow => {
    const [first, ...rest] = token.props.map(nameOf);
    for (const prop of token.props)
      if (TypeGuards.isPropertyAccessToken(prop)) useFlow(path(prop, false), "any", prop.begin);
    if (typeof first !== "string") return undefined;
    const start = names.has(first) ? names.get(first) : ownProperty(root, first, token, isLenient);
    return rest.reduce<AnyFlow>((flow, name) => member(flow, name, token, isLenient), start);
  };
  const ownProperty = (flow: Flow, name: string, { begin }: Token, isLenient: boolean): Flow => {
    const node = flow.node.property(name, begin);
    if (!isLenient && isCertain(flow.frame)) node.require();
    return { node, frame: flow.frame };
  };
  const member = (flow: AnyFlow, name: string | number | undefined, token: Token, isLenient: boolean): AnyFlow => {
    if (flow === undefined) return undefined;
    if (name === "size") {
      useFlow(flow, "sized", token.begin);
      return undefined;
    }
    if (name === "first" || name === "last" || typeof name === "number") {
      return { node: itemOf(flow, token.begin).node, frame: uncertain };
    }
    if (isList(flow)) return undefined;
    if (name !== undefined) return ownProperty(flow, name, token, isLenient);
    // A computed name can be an index of a list or the name of a property, so nothing is inferred.
    flow.node.use("any", token.begin);
    return undefined;
  };
  const operand = (token: Token, use: Use, isLenient: boolean): AnyFlow => {
    if (!TypeGuards.isPropertyAccessToken(token)) return undefined;
    const flow = path(token, isLenient);
    useFlow(flow, use, token.begin);
    return flow;
  };

  const initial = (value: Value, use: Use, isLenient: boolean): AnyFlow => {
    const tokens = value.initial.postfix;
    const [only] = tokens;
    if (tokens.length === 1 && only !== undefined) return operand(only, use, isLenient);
    const numbers = comparedWithNumbers(tokens);
    for (const token of tokens) operand(token, numbers.has(token) ? "number" : "any", isLenient);
    return undefined;
  };
  const filtered = (value: Value, use: Use, isLenient: boolean): AnyFlow => {
    const [first] = value.filters;
    const isOptional = isLenient || first?.name === "default";
    let flow = initial(value, first === undefined ? use : "any", isOptional);
    for (const filter of value.filters) {
      const offset = value.initial.postfix[0]?.begin ?? 0;
      flow = throughFilter(flow, filter as FilterUse, offset);
      const kinds = filterSpecs[filter.name]?.arguments ?? [];
      for (const [index, token] of filter.args.entries()) {
        if (!Array.isArray(token)) operand(token, argumentUses[kinds[index] ?? "any"], false);
      }
    }
    if (value.filters.length > 0) useFlow(flow, use, value.initial.postfix[0]?.begin ?? 0);
    return flow;
  };
  const throughFilter = (flow: AnyFlow, filter: FilterUse, offset: number): AnyFlow => {
    const { input = "any" } = filterSpecs[filter.name] ?? {};
    const change = Object.hasOwn(listFilters, filter.name) ? listFilters[filter.name] : undefined;
    if (change !== undefined) return change({ flow, property: propertyOf(filter), offset, isCertain });
    useFlow(flow, input, offset);
    return passing.has(filter.name) ? flow : undefined;
  };
  return {
    value: (value, use) => filtered(value, use, false),
    condition: (value) => {
      filtered(value, "any", true);
    },
    operand: (token) => {
      operand(token, "any", true);
    },
    collection: (token) => {
      if (TypeGuards.isRangeToken(token)) for (const end of [token.lhs, token.rhs]) operand(end, "number", false);
      return operand(token, "list", false);
    },
    token: (token, use) => {
      operand(token, use, false);
    },
    enter: () => {
      depth += 1;
    },
    leave: () => {
      depth -= 1;
    },
    depth: () => depth,
    isCertain,
  };
}

interface FilterUse {
  readonly name: string;
  readonly args: readonly unknown[];
}

const argumentUses: Readonly<Record<FilterArgument, Use>> = {
  any: "any",
  text: "text",
  number: "number",
  property: "text",
  list: "list",
  currency: "text",
  digits: "number",
  dateFormat: "text",
  timeFormat: "text",
};

/** Filters that give what they were given. */
const passing: ReadonlySet<string> = new Set(["default"]);

/** The values that stand on the other side of a number: `age >= 18`. */
function comparedWithNumbers(postfix: readonly Token[]): ReadonlySet<Token> {
  const found = new Set<Token>();
  const operands: Token[] = [];
  for (const token of postfix) {
    if (!TypeGuards.isOperatorToken(token)) operands.push(token);
    else if (token.operator !== "not") {
      const [left, right] = operands.splice(-2);
      if (left !== undefined && right !== undefined) {
        if (TypeGuards.isNumberToken(left)) found.add(right);
        if (TypeGuards.isNumberToken(right)) found.add(left);
      }
      // In place of its result.
      operands.push(token);
    }
  }
  return found;
}

const propertyOf = ({ args: [token] }: FilterUse): string | undefined =>
  TypeGuards.isQuotedToken(token) ? token.content : undefined;

interface ListUse {
  readonly flow: AnyFlow;
  readonly property: string | undefined;
  readonly offset: number;
  isCertain(frame: Frame): boolean;
}

/** The value of a property of all items. */
function propertyOfItems({ flow, property = "", offset, isCertain }: ListUse, use: Use, isNeeded: boolean): ListFlow {
  const item = itemOf(flow, offset);
  let { node } = item;
  for (const name of property === "" ? [] : property.split(".")) {
    node = node.property(name, offset);
    if (isNeeded && isCertain(item.frame)) node.require();
  }
  node.use(use, offset);
  return { item: { node, frame: item.frame } };
}

const sameList = ({ flow, offset }: ListUse): ListFlow => ({ item: itemOf(flow, offset) });
const oneItem = ({ flow, offset }: ListUse): Flow => ({ node: itemOf(flow, offset).node, frame: uncertain });

const listFilters: Readonly<Record<string, (use: ListUse) => AnyFlow>> = {
  first: oneItem,
  last: oneItem,
  reverse: sameList,
  uniq: sameList,
  compact: sameList,
  concat: sameList,
  map: (use) => propertyOfItems(use, "any", true),
  where: (use) => {
    propertyOfItems(use, "any", false);
    return sameList(use);
  },
  sort: (use) => {
    if (use.property !== undefined) propertyOfItems(use, "any", false);
    return sameList(use);
  },
  sort_natural: (use) => {
    if (use.property !== undefined) propertyOfItems(use, "any", false);
    return sameList(use);
  },
  sum: (use) => {
    propertyOfItems(use, "number", true);
    return undefined;
  },
  join: (use) => {
    propertyOfItems({ ...use, property: undefined }, "text", false);
    return undefined;
  },
};
