import { readPage } from "./pages.ts";

export { pages, readPage, root } from "./pages.ts";

/** Lines for a shell that stand together on a page. */
export interface PrintedBlock {
  readonly page: string;
  readonly line: number;
  /** What is to be typed, without prompts and without what is printed after it. */
  readonly text: string;
}

/** A command in the middle of a sentence. */
export interface PrintedInline {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

const fence = /^```(\S*)\n([\s\S]*?)^```/gm;
const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** The blocks of a page that are for a shell; a console shows prompts and answers as well. */
export function blocksOf(page: string, text = readPage(page)): PrintedBlock[] {
  return [...text.matchAll(fence)].flatMap(({ 1: kind = "", 2: content = "", index }) => {
    const line = lineAt(text, index) + 1;
    if (["sh", "bash", "shell"].includes(kind)) return [{ page, line, text: content }];
    if (kind !== "console") return [];
    const typed = content.split("\n").flatMap((one) => (one.startsWith("$ ") ? [one.slice(2)] : []));
    return [{ page, line, text: `${typed.join("\n")}\n` }];
  });
}

const programs = "npm|npx|node|docker|kubectl|openssl|psql|curl|nats|qpdf|pdfsig|deploy/[\\w/.-]+\\.sh";
const inline = new RegExp(`\`((?:${programs})(?: [^\`]+))\``, "g");

/** Commands with something after the name of the program; a name alone names the program. */
export function inlinesOf(page: string, text = readPage(page)): PrintedInline[] {
  const prose = text.replaceAll(fence, (block) => "\n".repeat(block.split("\n").length - 1));
  return [...prose.matchAll(inline)].map(({ 1: command = "", index }) => ({
    ...{ page, line: lineAt(prose, index), text: command },
  }));
}
