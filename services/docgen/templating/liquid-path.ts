import { type Context, evalTokenValue, type PropertyAccessToken, type Token, TypeGuards, toValueSync } from "liquidjs";
import { stateOf } from "./liquid-state.ts";

/** A name in a path; undefined for one that is computed. */
export function nameOf(token: PropertyAccessToken["props"][number]): string | number | undefined {
  if (TypeGuards.isWordToken(token) || TypeGuards.isQuotedToken(token)) return token.content;
  return TypeGuards.isNumberToken(token) ? token.content : undefined;
}

/** Where in the data a name leads now; undefined when it is not to a datum. */
export function dataPathOf(token: Token | undefined, context: Context): string[] | undefined {
  if (token === undefined || !TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return undefined;
  const names: string[] = [];
  for (const prop of token.props) {
    const name = nameOf(prop) ?? toValueSync(evalTokenValue(prop, context) as unknown as IterableIterator<unknown>);
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    names.push(String(name));
  }
  const [root = "", ...rest] = names;
  const { loops, assigned } = stateOf(context);
  const loop = loops.findLast(({ variable }) => variable === root);
  if (loop !== undefined) return loop.path === undefined ? undefined : [...loop.path, String(loop.index), ...rest];
  return root === "forloop" || assigned.has(root) ? undefined : names;
}
