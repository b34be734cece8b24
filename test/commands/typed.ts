import { expect } from "@jest/globals";
import type { Clone } from "./clone.ts";
import { helpers, type PlannedBlock, plannedInlines, plannedPages } from "./plan.ts";
import { blocksOf, inlinesOf, type PrintedBlock, pages } from "./printed.ts";

export interface Typed {
  readonly where: string;
  readonly plan: Omit<PlannedBlock, "begins">;
  readonly lines: string;
}

/** The blocks of a page with the plan of each; undefined for one that nobody has planned. */
export function plannedBlocksOf(page: string): ReadonlyArray<readonly [PrintedBlock, PlannedBlock | undefined]> {
  const left = [...(plannedPages.find((planned) => planned.page === page)?.blocks ?? [])];
  return blocksOf(page).map((block) => {
    const at = left.findIndex(({ begins }) => block.text.startsWith(begins));
    return [block, at === -1 ? undefined : left.splice(at, 1)[0]];
  });
}

const typedAs = (
  text: string,
  { before = "", instead = [], after = "" }: Omit<PlannedBlock, "begins">,
  port: number,
): string =>
  [before, instead.reduce((line, [what, by]) => line.replaceAll(all(what), by), text), after]
    .join("\n")
    .replaceAll(/(127\.0\.0\.1|localhost):8080/g, `$1:${port}`);

const all = (what: string | RegExp): string | RegExp =>
  typeof what === "string" || what.global ? what : new RegExp(what.source, `${what.flags}g`);

const mark = "%%% ";

/** Types the blocks of a page in one shell, and looks at what each of them printed. */
export async function walk(clone: Clone, page: string, port: number, env: Record<string, string> = {}): Promise<void> {
  const blocks = plannedBlocksOf(page).flatMap(([{ line, text }, plan]): Typed[] =>
    plan === undefined || plan.ranBy !== undefined
      ? []
      : [{ where: `${page}:${line}`, plan, lines: typedAs(text, plan, port) }],
  );
  await type(clone, blocks, env);
}

/** Types every command that stands within a sentence of these pages. */
export async function typeInlines(clone: Clone, port: number, env: Record<string, string> = {}): Promise<void> {
  const seen = new Set<string>();
  const commands = pages.flatMap(inlinesOfPage(seen, port));
  await type(clone, commands, env);
}

const inlinesOfPage =
  (seen: Set<string>, port: number) =>
  (page: string): Typed[] =>
    inlinesOf(page).flatMap(({ line, text }) => {
      const plan = plannedInlines.find((planned) => planned.text === text);
      if (plan === undefined || plan.ranBy !== undefined || seen.has(text)) return [];
      seen.add(text);
      return [{ where: `${page}:${line}`, plan, lines: typedAs(text, plan, port) }];
    });

async function type(clone: Clone, blocks: readonly Typed[], env: Record<string, string>): Promise<void> {
  const script = blocks.map(({ where, lines }) => `echo; echo "${mark}${where}"\n${lines}\n`).join("");
  const output = await clone.shell(helpers + script, env);
  const parts = output.split(`\n${mark}`).slice(1);
  expect(parts).toHaveLength(blocks.length);
  for (const [n, { where, plan }] of blocks.entries()) requireAnswer(where, plan, parts[n] ?? "");
}

function requireAnswer(
  where: string,
  { says = [], refuses = [] }: Omit<PlannedBlock, "begins">,
  printed: string,
): void {
  const missing = says.filter((pattern) => !pattern.test(printed)).map(String);
  const errors = [...printed.matchAll(/"?(?:errorCode|error)"?:\s*["']([A-Za-z_]+)["']/g)].map(
    ([, code]) => code ?? "",
  );
  const unexpected = errors.filter((code) => !refuses.includes(code) && !says.some((pattern) => pattern.test(code)));
  const isUndefined = /^undefined$/m.test(printed);
  if (missing.length === 0 && unexpected.length === 0 && !isUndefined) return;
  const why = [...missing.map((one) => `does not say ${one}`), ...unexpected, ...(isUndefined ? ["undefined"] : [])];
  throw new Error(`${where}: ${why.join(", ")}\n${printed.slice(0, 6_000)}`);
}
