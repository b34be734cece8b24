/** What a content stream does to the drawing that follows it. */
export interface ContentFacts {
  /** Operators that close what the stream leaves open: text, marked content, saved graphics states (`q`). */
  readonly ending: readonly string[];
  /** The number of `Q` operators without a matching `q`. */
  readonly unmatched: number;
  /** Whether it draws after an unmatched `Q`; such drawing would change once there is a state to restore. */
  readonly drawsOn: boolean;
  readonly operators: number;
  /** Names of the objects it draws or paints with, once for each use. */
  readonly used: readonly string[];
}

/**
 * Operators (ISO 32000-2 annex A) with their number of operands; colour operators take as many as the colour
 * has components.
 */
const operands: ReadonlyMap<string, number> = new Map(
  [
    [
      "q",
      "Q",
      "h",
      "S",
      "s",
      "f",
      "F",
      "f*",
      "B",
      "B*",
      "b",
      "b*",
      "n",
      "W",
      "W*",
      "BT",
      "ET",
      "T*",
      "EMC",
      "BX",
      "EX",
    ],
    ["w", "J", "j", "M", "ri", "i", "gs", "Tc", "Tw", "Tz", "TL", "Tr", "Ts", "Tj", "TJ", "'", "CS", "cs", "G", "g"],
    ["d", "m", "l", "Tf", "Td", "TD", "DP", "BDC", "d0"],
    ["RG", "rg", '"'],
    ["re", "v", "y", "K", "k"],
    [],
    ["cm", "c", "Tm", "d1"],
  ].flatMap((names, count) => names.map((name): [string, number] => [name, count])),
);
for (const name of ["sh", "Do", "MP", "BMC"]) (operands as Map<string, number>).set(name, 1);
const colours = new Set(["SC", "SCN", "sc", "scn"]);
/** Operators that draw nothing and whose settings end with the graphics state. */
const quiet = new Set(
  "q Q cm w J j M d ri i gs Tc Tw Tz TL Tf Tr Ts CS cs SC SCN sc scn G g RG rg K k W W* n".split(" "),
);
const structural = new Set("q Q n BT ET MP DP BMC BDC EMC BX EX".split(" "));
/** pdf.js gives up a content stream with more operands before one operator. */
const maxOperands = 33;
const maxDepth = 20;

/** Undefined when the stream is malformed or has inline images, since readers may then parse it differently. */
export function readContent(bytes: Buffer): ContentFacts | undefined {
  const tokens = createTokens(bytes);
  const used: string[] = [];
  let [depth, unmatched, marked, operators, given] = [0, 0, 0, 0, 0];
  let [isChanged, isLost, drawsOn, isText] = [false, false, false, false];
  let last = "";
  for (;;) {
    const token = tokens.next();
    if (token === undefined) return undefined;
    if (token === "") break;
    if (!isOperator(token)) {
      given += 1;
      last = token;
      if (given > maxOperands) return undefined;
      continue;
    }
    if (!colours.has(token) && operands.get(token) !== given) return undefined;
    given = 0;
    operators += 1;
    if (token === "Do" || token === "scn" || token === "SCN") used.push(last);
    last = "";
    if (token === "BMC" || token === "BDC") marked += 1;
    if (token === "EMC") marked -= 1;
    if (token === "BT" || token === "ET") {
      if (isText === (token === "BT")) return undefined;
      isText = !isText;
    }
    if (marked < 0) return undefined;
    if (token === "q") depth += 1;
    else if (token === "Q") {
      if (depth > 0) depth -= 1;
      else {
        unmatched += 1;
        isLost ||= isChanged;
      }
    } else if (quiet.has(token) && !structural.has(token)) isChanged ||= depth === 0;
    else if (!structural.has(token)) drawsOn ||= isLost;
  }
  if (given > 0) return undefined;
  const ending = [...(isText ? ["ET"] : []), ...repeated("EMC", marked), ...repeated("Q", depth)];
  return { ending, unmatched, drawsOn, operators, used };
}

export const repeated = (operator: string, count: number): string[] => Array.from({ length: count }, () => operator);

const isOperator = (token: string): boolean => /^[A-Za-z'"]/.test(token);

const blanks = new Set([0, 9, 10, 12, 13, 32]);
const delimiters = new Set(Array.from("()<>[]{}/%", (character) => character.charCodeAt(0)));

/**
 * Returns operators as they are, names with their slash, and everything else as a single character; empty at
 * the end, undefined on a syntax error.
 */
function createTokens(bytes: Buffer): { next(): string | undefined } {
  let at = 0;
  const isRegular = (byte: number | undefined): boolean =>
    byte !== undefined && !blanks.has(byte) && !delimiters.has(byte);
  const skipBlanks = (): void => {
    for (;;) {
      while (blanks.has(bytes[at] ?? -1)) at += 1;
      if (bytes[at] !== 0x25) return;
      while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at += 1;
    }
  };
  const word = (): string => {
    const from = at;
    while (isRegular(bytes[at])) at += 1;
    return bytes.toString("latin1", from, at);
  };
  const text = (): string | undefined => {
    let depth = 0;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === 0x5c) at += 1;
      else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth === 0) {
          at += 1;
          return "0";
        }
      }
    }
    return undefined;
  };
  const hexText = (): string | undefined => {
    const end = bytes.indexOf(">", at);
    const isPlain = end > 0 && /^<[0-9A-Fa-f\s\0]*$/.test(bytes.toString("latin1", at, end));
    at = end + 1;
    return isPlain ? "0" : undefined;
  };
  const list = (end: string, depth: number): string | undefined => {
    for (;;) {
      skipBlanks();
      if (bytes.toString("latin1", at, at + end.length) === end) {
        at += end.length;
        return "0";
      }
      const one = next(depth + 1);
      if (one === undefined || one === "") return undefined;
      if (isOperator(one) && one !== "true" && one !== "false" && one !== "null") return undefined;
    }
  };
  const next = (depth = 0): string | undefined => {
    skipBlanks();
    const byte = bytes[at];
    if (byte === undefined) return "";
    if (depth > maxDepth) return undefined;
    if (byte === 0x28) return text();
    if (byte === 0x2f) {
      at += 1;
      return `/${word()}`;
    }
    if (byte === 0x5b) {
      at += 1;
      return list("]", depth);
    }
    if (byte === 0x3c) {
      if (bytes[at + 1] !== 0x3c) return hexText();
      at += 2;
      return list(">>", depth);
    }
    const found = word();
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(found)) return "0";
    const isKnown = operands.has(found) || colours.has(found) || /^(?:true|false|null)$/.test(found);
    return isKnown ? found : undefined;
  };
  return { next };
}
