import { createHash } from "node:crypto";
import { inspectMarks } from "./inspect-marks.ts";
import { identity, type Matrix, matrixOf, product, toShown, type WitnessedMark, type WitnessJob } from "./messages.ts";
import { type PageReader, type ReadPage, readPages, type Step } from "./read-pages.ts";
import { type Added, compareStructure, Difference, openBoth } from "./structure.ts";

/**
 * Whether the file that is about to be sealed shows what people have seen, and their marks, and nothing else. Undefined when
 * it does; else what differs.
 */
export async function compareFiles(job: WitnessJob, only?: readonly number[]): Promise<string | undefined> {
  try {
    const added = compareStructures(bufferOf(job.shown), bufferOf(job.sealed));
    // Where nothing is drawn besides what our own renderer wrote, drawing its pages twice would tell no more.
    if (job.isCertificate && added !== undefined && [...added.values()].every(drawsNothing)) return undefined;
    await comparePages(job, added, only);
    return undefined;
  } catch (error) {
    if (error instanceof Difference) return error.message;
    throw error;
  }
}

const drawsNothing = ({ contents, objects, looks }: Added): boolean =>
  contents.length === 0 && objects.size === 0 && looks.length === 0;

/** Undefined for files that are not written as they should be: these are compared by pdf.js alone, with their pictures. */
function compareStructures(shown: Buffer, sealed: Buffer): ReadonlyMap<number, Added> | undefined {
  try {
    const files = openBoth(shown, sealed);
    return files && compareStructure(files.shown, files.sealed);
  } catch (error) {
    if (error instanceof Difference) throw error;
    return undefined;
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

async function comparePages(
  { shown, sealed, marks }: Pick<WitnessJob, "shown" | "sealed" | "marks">,
  added: ReadonlyMap<number, Added> | undefined,
  only: readonly number[] | undefined,
): Promise<void> {
  const before = await readPages(shown, added === undefined);
  const after = await readPages(sealed, added === undefined);
  try {
    if (before.pages !== after.pages) throw new Difference(`it has ${after.pages} pages instead of ${before.pages}`);
    const onPages = Map.groupBy(marks, ({ page }) => page);
    for (const number of only ?? Array.from({ length: before.pages }, (_, index) => index + 1)) {
      const pages = [await before.read(number), await after.read(number)] as const;
      try {
        comparePage([before, after], pages, onPages.get(number) ?? [], added && (added.get(number) ?? nothing));
      } catch (error) {
        throw error instanceof Difference ? new Difference(`page ${number}: ${error.message}`) : error;
      }
    }
  } finally {
    await before.close();
    await after.close();
  }
}

const nothing: Added = { contents: [], objects: new Map(), looks: [] };

function comparePage(
  [before, after]: readonly [PageReader, PageReader],
  [old, all]: readonly [ReadPage, ReadPage],
  marks: readonly WitnessedMark[],
  added: Added | undefined,
): void {
  for (const key of ["view", "rotate", "userUnit"] as const) {
    if (JSON.stringify(old[key]) !== JSON.stringify(all[key])) throw new Difference("its size or its turn differs");
  }
  compareRemarks(old, all);
  const [wanted, found] = [split(old.steps), split(all.steps)];
  const isSame = (one: readonly Step[], other: readonly Step[]): boolean =>
    one.length === other.length && digest(before, one) === digest(after, other);

  // pdf.js takes back at the end what the page leaves in force, and so does what is put around it.
  const isWrapped = found.content.length > wanted.content.length && wanted.content.length > 0;
  const steps = isWrapped ? withoutRestores(wanted.content) : wanted.content;
  const start = isWrapped ? 1 : 0;
  const isKept = !isWrapped || found.content[0]?.name === "save";
  const end = start + steps.length;
  if (!isKept || !isSame(steps, found.content.slice(start, end))) throw new Difference("what is drawn differs");
  const looks = found.remarks.slice(0, wanted.remarks.length);
  if (!isSame(wanted.remarks, looks)) throw new Difference("its fields or remarks look different");
  requireUntouched(found.content, end);
  inspectMarks(marks, {
    steps: [...found.content.slice(end), ...found.remarks.slice(looks.length)],
    matrices: matricesAfter(found.content.slice(0, end)),
    toShown: toShown(all.view, all.rotate),
    added,
  });
}

/** Places of signatures may come after them: our seal, and marks where the page itself must stay as it is. */
function compareRemarks({ remarks: old }: ReadPage, { remarks: all }: ReadPage): void {
  let known = 0;
  // Not always behind them: pop-ups, which are not drawn, come last.
  const added = all.filter((one) => {
    if (one !== old[known]) return true;
    known += 1;
    return false;
  });
  if (known < old.length) throw new Difference("its fields or remarks differ");
  const isSeal = added.every((one) => one.includes('"fieldType":"Sig"'));
  if (!isSeal) throw new Difference("a field or remark was added");
}

const digest = (reader: PageReader, steps: readonly Step[]): string => {
  const hash = createHash("sha256");
  reader.digestOf(steps, hash);
  return hash.digest("hex");
};

/** Fields and remarks are drawn after the page. */
function split(steps: readonly Step[]): { readonly content: readonly Step[]; readonly remarks: readonly Step[] } {
  const at = steps.findIndex(({ name }) => name === "beginAnnotation");
  return at < 0 ? { content: steps, remarks: [] } : { content: steps.slice(0, at), remarks: steps.slice(at) };
}

function withoutRestores(steps: readonly Step[]): readonly Step[] {
  let end = steps.length;
  while (steps[end - 1]?.name === "restore") end -= 1;
  return steps.slice(0, end);
}

/** Steps after which the same marks would look otherwise, or stand elsewhere. */
const lasting = new Set([
  ...["transform", "setGState", "clip", "eoClip", "setTextRenderingMode", "setCharSpacing", "setWordSpacing"],
  ...["setHScale", "setTextRise"],
]);

/**
 * What the page sets must be taken back where the marks begin. A page that takes back more than it has set aside takes back
 * what was put around it, and what it sets then would last.
 */
function requireUntouched(steps: readonly Step[], end: number): void {
  const levels = [false];
  const isTouched = (): boolean => levels.at(-1) ?? false;
  for (const [index, { name }] of steps.entries()) {
    if (index >= end && name !== "restore") break;
    if (name === "save" || name === "paintFormXObjectBegin") levels.push(isTouched());
    else if (name === "restore" || name === "paintFormXObjectEnd") {
      if (levels.length > 1) levels.pop();
    } else if (lasting.has(name)) levels[levels.length - 1] = true;
  }
  if (isTouched()) throw new Difference("what the page leaves in force would change the marks");
}

/** What is in force after these steps, and what comes back when something is taken back. */
function matricesAfter(steps: readonly Step[]): Matrix[] {
  const matrices: Matrix[] = [identity];
  const push = (matrix: Matrix): unknown => matrices.push(product(matrices.at(-1) ?? identity, matrix));
  for (const { name, given } of steps) {
    if (name === "save") push(identity);
    else if (name === "paintFormXObjectBegin") push(matrixOf([given[0]]) ?? identity);
    else if ((name === "restore" || name === "paintFormXObjectEnd") && matrices.length > 1) matrices.pop();
    else if (name === "transform") {
      matrices[matrices.length - 1] = product(matrices.at(-1) ?? identity, matrixOf(given) ?? identity);
    }
  }
  return matrices;
}
