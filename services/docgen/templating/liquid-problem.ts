/** Thrown while rendering for a value that is not what the template needs. */
export class ValueProblem extends Error {
  /** A kind of JSON value, or a few words. */
  readonly expected: string;
  /** JSON pointer; undefined when it is not known here. */
  readonly path: string | undefined;

  constructor(expected: string, path?: string) {
    super(`a value must be ${expected}`);
    this.name = "ValueProblem";
    this.expected = expected;
    this.path = path;
  }
}

/** Thrown while rendering for what is wrong with the template, whatever its data. */
export class TemplateProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TemplateProblem";
  }
}

/** A path of names as JSON pointer (RFC 6901). */
export const pointerOf = (names: readonly string[]): string =>
  names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
