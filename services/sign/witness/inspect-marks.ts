import { type Area, areaOf, identity, type Matrix, matrixOf, product, type WitnessedMark } from "./messages.ts";
import { isKeyword, type PdfValue, readValues } from "./pdf-objects.ts";
import type { Step } from "./read-pages.ts";
import { type Added, type AddedObjects, Difference } from "./structure.ts";

/** What was drawn after the page that people have seen. */
export interface Drawn {
  readonly steps: readonly Step[];
  /** What is in force where it begins. */
  readonly matrices: readonly Matrix[];
  /** From the page's own space to the page as it is shown. */
  readonly toShown: Matrix;
  /** Undefined where only pdf.js could read the file. */
  readonly added: Added | undefined;
}

/** Steps that marks are drawn with and that draw nothing by themselves; how they look is for the marks to say. */
const harmless = new Set([
  ...["beginText", "endText", "setFont", "setLeading", "setTextRise", "nextLine", "setCharSpacing", "setHScale"],
  ...["setFillRGBColor", "setStrokeRGBColor", "setFillColor", "setStrokeColor", "setLineWidth", "setLineCap"],
  ...["setLineJoin", "setDash", "beginMarkedContent", "beginMarkedContentProps", "endMarkedContent"],
]);

/**
 * Everything that was added must be the marks: their texts and no others, their pictures, their lines, each where its
 * mark has it as the page is shown. Throws a Difference.
 */
export function inspectMarks(marks: readonly WitnessedMark[], drawn: Drawn): void {
  let matrices = [...drawn.matrices];
  let text = identity;
  let said = "";
  let pictures = 0;
  const current = (): Matrix => matrices.at(-1) ?? identity;
  const shown = (matrix: Matrix): Matrix => product(drawn.toShown, matrix);

  for (const { name, given } of drawn.steps) {
    if (name === "save") matrices.push(current());
    else if (name === "restore") matrices = matrices.length > 1 ? matrices.slice(0, -1) : matrices;
    else if (name === "transform") matrices[matrices.length - 1] = product(current(), requireMatrix(given));
    else if (name === "paintFormXObjectBegin") matrices.push(product(current(), matrixOf([given[0]]) ?? identity));
    else if (name === "paintFormXObjectEnd" || name === "endAnnotation") matrices.pop();
    else if (name === "beginAnnotation") {
      // Wherever on the page: a field is drawn from its beginning.
      matrices.push(product(requireMatrix([given[2]]), requireMatrix([given[3]])));
    } else if (name === "setTextMatrix") text = requireMatrix(given);
    else if (name === "moveText") text = product(text, [1, 0, 0, 1, Number(given[0]), Number(given[1])]);
    else if (name === "showText" || name === "showSpacedText") {
      said += textOf(given[0]);
      requireText(marks, shown(product(current(), text)));
    } else if (name === "constructPath") requireLine(marks, areaOf(shown(current()), boxOf(given[2])));
    else if (name === "paintImageXObject") {
      pictures += 1;
      requirePicture(marks, areaOf(shown(current()), [0, 0, 1, 1]));
    } else if (name === "setGState") requireNoMask(given[0]);
    else if (name !== "endPath" && !harmless.has(name)) throw new Difference("something is drawn that is no mark");
  }
  if (drawn.added !== undefined) pictures = inspectPictures(marks, drawn.added, drawn.toShown);
  const drawings = marks.filter(({ kind }) => kind === "image").length;
  if (pictures > drawings) throw new Difference("a picture is drawn that is no mark");
  if (!saysAll(said, marks, drawings - pictures))
    throw new Difference("a text is drawn that is not what the marks say");
}

function requireMatrix(given: readonly unknown[]): Matrix {
  const matrix = matrixOf(given);
  if (matrix === undefined) throw new Difference("something is drawn that is no mark");
  return matrix;
}

/** pdf.js says so before each picture that something shines through; anything else would change how marks look. */
function requireNoMask(given: unknown): void {
  if (JSON.stringify(given) !== '[["SMask",false]]') throw new Difference("something is drawn that is no mark");
}

const textOf = (glyphs: unknown): string =>
  (Array.isArray(glyphs) ? glyphs : [])
    .map((glyph: unknown) =>
      typeof glyph === "object" && glyph !== null && "unicode" in glyph ? String(glyph.unicode) : "",
    )
    .join("");

function boxOf(given: unknown): [number, number, number, number] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = Array.from((given ?? []) as ArrayLike<number>);
  return [x1, y1, x2, y2];
}

/** Points; lines are as thick as that, and letters begin a little beside their place. */
const slack = 4;

/**
 * It is not turned, and begins right of and below the corner of a mark; how far it goes, the font decides. It leans as
 * the style of a signature has it, if at all, and then begins within the width of that signature.
 */
function requireText(marks: readonly WitnessedMark[], [a, b, c, d, x, y]: Matrix): void {
  const isLevel = a > 0 && d > 0 && Math.abs(b) < 0.001;
  const leans = (slant: number): boolean => Math.abs(c - slant * d) < 0.001;
  const isThere = marks.some(
    (mark) =>
      x >= mark.x - slack &&
      -y >= mark.y - slack &&
      (leans(0) || (leans(mark.slant) && x <= mark.x + mark.width + slack)),
  );
  if (!isLevel || !isThere) throw new Difference("a mark does not stand in its place");
}

/** Within a mark; or a line, which may be as long as the text above it. */
function requireLine(marks: readonly WitnessedMark[], area: Area): void {
  const isThin = area.top - area.bottom <= slack;
  const isThere = marks.some(
    (mark) => isWithin(area, mark) || (isThin && area.left >= mark.x - slack && -area.top >= mark.y - slack),
  );
  if (!isThere) throw new Difference("something is drawn beside the marks");
}

function requirePicture(marks: readonly WitnessedMark[], area: Area): void {
  const isThere = marks.some((mark) => mark.kind === "image" && isWithin(area, mark));
  if (!isThere) throw new Difference("a picture is drawn that is no mark");
}

const isWithin = ({ left, right, top, bottom }: Area, { x, y, width, height }: WitnessedMark): boolean =>
  left >= x - slack && right <= x + width + slack && -top >= y - slack && -bottom <= y + height + slack;

/** Pictures are looked for in what is drawn itself; pdf.js would have to unpack all those of the page for it. */
function inspectPictures(marks: readonly WitnessedMark[], { contents, objects, looks }: Added, shown: Matrix): number {
  let pictures = 0;
  const inspect = (content: Buffer, named: AddedObjects, start: Matrix): void => {
    const matrices: Matrix[] = [start];
    let operands: PdfValue[] = [];
    const values = readValues(content);
    for (let value = values.next(); value !== undefined; value = values.next()) {
      if (!isKeyword(value)) {
        operands.push(value);
        continue;
      }
      const matrix = matrices.at(-1) ?? start;
      if (value.keyword === "q") matrices.push(matrix);
      else if (value.keyword === "Q") matrices.pop();
      else if (value.keyword === "cm") matrices[matrices.length - 1] = product(matrix, requireMatrix(operands));
      else if (value.keyword === "Do") {
        const object = named.get(String(operands[0]));
        if (object?.kind === "form")
          inspect(object.content, object.objects, product(matrix, requireMatrix(object.matrix)));
        else if (object === undefined) throw new Difference("something is drawn that is no mark");
        else {
          pictures += 1;
          requirePicture(marks, areaOf(matrix, [0, 0, 1, 1]));
        }
      } else if (value.keyword === "BI" || value.keyword === "sh") {
        throw new Difference("something is drawn that is no mark");
      }
      operands = [];
    }
  };
  for (const content of contents) inspect(content, objects, shown);
  // The place of a field is that of its form; pdf.js tells where its texts stand.
  for (const look of looks) {
    if (look.kind === "form") inspect(look.content, look.objects, product(shown, requireMatrix(look.matrix)));
  }
  return pictures;
}

/** What stands for letters that no font has. */
const replacement = "\u25a1";

/** Scripts whose letters change, or change places, when they are drawn. */
const isSimple =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{N}\p{P}\p{S}]*$/u;

/**
 * Whether what is drawn is what the marks say, each of them once and nothing besides. Blanks do not count, since lines are
 * broken at them. Where letters run to the left or change when they meet, it has to be made of the same letters. `unseen`
 * pictures cannot be shown, and have a text in their place.
 */
function saysAll(said: string, marks: readonly WitnessedMark[], unseen: number): boolean {
  const drawings = marks.filter(({ kind }) => kind === "image").length;
  const texts = (withTexts: boolean): string =>
    lettersOf(
      marks.flatMap(({ kind, texts: all }) => (kind === "image" && !withTexts ? all.slice(0, -1) : all)).join(""),
    );
  const drawn = lettersOf(said);
  if (unseen === 0) return isSame(drawn, texts(false));
  if (unseen === drawings) return isSame(drawn, texts(true));
  // Which of them could be shown does not matter here.
  return isMadeOf(drawn, texts(true)) && isMadeOf(texts(false), drawn);
}

const lettersOf = (text: string): string =>
  text.normalize("NFKC").replaceAll(/[\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "");

function isSame(drawn: string, wanted: string): boolean {
  if (!isSimple.test(wanted)) return isMadeOf(drawn, wanted) && isMadeOf(wanted, drawn);
  const [letters, all] = [[...drawn], [...wanted]];
  return letters.length === all.length && letters.every((one, index) => one === all[index] || one === replacement);
}

/** Whether all letters of the first are in the second, without the marks that stand on them, except those replaced. */
function isMadeOf(first: string, second: string): boolean {
  const counts = new Map<string, number>();
  for (const letter of baseLetters(second)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let missing = 0;
  for (const letter of baseLetters(first)) {
    const left = counts.get(letter) ?? 0;
    if (left > 0) counts.set(letter, left - 1);
    else if (letter !== replacement) missing += 1;
  }
  return missing <= (counts.get(replacement) ?? 0);
}

const baseLetters = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
