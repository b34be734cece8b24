/**
 * What a value of an answer must look like: the name of a kind (with `?` when it may be null), the texts that are
 * possible, a list of one shape, or an object that must have these fields and may have others.
 */
export type Shape =
  | Kind
  | `${Kind}?`
  | readonly string[]
  | { readonly listOf: Shape }
  | { readonly orNull: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

type Kind = keyof typeof kinds;

const kinds = {
  uuid: (value: unknown) => matches(value, /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  text: (value: unknown) => typeof value === "string",
  time: (value: unknown) => matches(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  day: (value: unknown) => matches(value, /^\d{4}-\d\d-\d\d$/),
  hash: (value: unknown) => matches(value, /^sha256:[0-9a-f]{64}$/),
  count: (value: unknown) => Number.isInteger(value) && (value as number) >= 0,
  number: (value: unknown) => typeof value === "number",
  flag: (value: unknown) => typeof value === "boolean",
  object: (value: unknown) => isObject(value),
};

const matches = (value: unknown, pattern: RegExp): boolean => typeof value === "string" && pattern.test(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fields = (of: Readonly<Record<string, Shape>>): Shape => ({ fields: of });
export const listOf = (shape: Shape): Shape => ({ listOf: shape });
export const orNull = (shape: Shape): Shape => ({ orNull: shape });

/** What is wrong with a value; nothing when it has the shape. */
export function problemsOf(shape: Shape, value: unknown, path = "body"): string[] {
  const wrong = (expected: string) => [`${path} should be ${expected} and is ${JSON.stringify(value)?.slice(0, 100)}`];
  if (typeof shape === "string") {
    const kind = shape.replace("?", "") as Kind;
    const isFine = kinds[kind](value) || (shape.endsWith("?") && value === null);
    return isFine ? [] : wrong(shape);
  }
  if ("orNull" in shape) return value === null ? [] : problemsOf(shape.orNull, value, path);
  if ("listOf" in shape) {
    if (!Array.isArray(value)) return wrong("a list");
    return value.flatMap((item, index) => problemsOf(shape.listOf, item, `${path}[${index}]`));
  }
  if (!("fields" in shape)) return shape.includes(value as string) ? [] : wrong(`one of ${shape.join(", ")}`);
  if (!isObject(value)) return wrong("an object");
  return Object.entries(shape.fields).flatMap(([name, field]) =>
    Object.hasOwn(value, name) ? problemsOf(field, value[name], `${path}.${name}`) : [`${path}.${name} is missing`],
  );
}
