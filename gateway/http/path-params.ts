import type { Request } from "express";
import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { paramsOf, type Route, type TextParam } from "../routes/route.ts";
import type { CompileSchema, Validate } from "./validate.ts";

/** By the names of the path parameters that are no UUIDs. */
export type TextValidators = ReadonlyMap<string, Validate>;

export const compileTexts = ({ texts = {} }: Route, compileSchema: CompileSchema): TextValidators =>
  new Map(Object.entries<TextParam>(texts).map(([name, { schema }]) => [name, compileSchema(schema)]));

/** Ids in the form in which they are written; texts exactly as they were sent, percent-decoded. */
export const readParams = (params: Request["params"], { notFound = {} }: Route): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const text = String(value);
      return [name, Object.hasOwn(notFound, name) ? text.toLowerCase() : text];
    }),
  );

/** The texts of a path that make a bad request, rather than name nothing. */
export const textProblems = (
  params: Readonly<Record<string, string>>,
  { texts = {} }: Route,
  validators: TextValidators,
): FieldProblem[] =>
  Object.entries<TextParam>(texts)
    .filter(([, { otherwise }]) => otherwise === undefined)
    .flatMap(([name]) => (validators.get(name)?.(params[name]) ?? []).map((problem) => ({ ...problem, field: name })));

/** What has not the form of a name names nothing, which is all that a caller learns; the service is not asked. */
export function requireExistingNames(
  params: Readonly<Record<string, string>>,
  { path, notFound = {}, texts = {} }: Route,
  validators: TextValidators,
): void {
  const codes: Readonly<Record<string, ErrorCode>> = notFound;
  const kinds: Readonly<Record<string, TextParam>> = texts;
  for (const name of paramsOf(path)) {
    const value = params[name] ?? "";
    const code = codes[name];
    if (code !== undefined && !isUuid(value)) throw new DomainError(code);
    const { otherwise } = kinds[name] ?? {};
    const problems = otherwise === undefined ? [] : (validators.get(name)?.(value) ?? []);
    if (otherwise !== undefined && problems.length > 0) throw new DomainError(otherwise);
  }
}
