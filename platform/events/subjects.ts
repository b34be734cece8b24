/** True when the subject is covered by the pattern: `*` stands for one token, a final `>` for one or more. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const expected = pattern.split(".");
  const tokens = subject.split(".");
  for (const [index, token] of expected.entries()) {
    if (token === ">") return tokens.length > index;
    if (tokens[index] === undefined || (token !== "*" && token !== tokens[index])) return false;
  }
  return tokens.length === expected.length;
}

/** One pattern that covers all of these: the pattern itself, or what they begin with and `>`. */
export function coveringPattern(patterns: readonly string[]): string {
  const [first = ">", ...others] = patterns;
  if (others.every((pattern) => pattern === first)) return first;
  // `>` needs a token of its own, so no pattern may be used up by what is shared.
  const shortest = Math.min(...patterns.map((pattern) => pattern.split(".").length));
  const shared: string[] = [];
  for (const token of first.split(".").slice(0, shortest - 1)) {
    const index = shared.length;
    if (token === ">" || others.some((pattern) => pattern.split(".")[index] !== token)) break;
    shared.push(token);
  }
  return [...shared, ">"].join(".");
}
