import { createSchemaNode, type SchemaNode, type Use } from "./schema-node.ts";

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

/** A frame in which nothing is certain: that of one item of many. */
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
