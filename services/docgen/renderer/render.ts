import { answerJobs } from "#platform/child-processes/fork-child.ts";
import { defaultPage } from "../domain/page.ts";
import { renderTemplate } from "../templating/render-template.ts";
import { createTypesetter } from "../typesetting/typesetter.ts";
import { fillWord } from "../word/fill-word.ts";
import { RenderError, type Rendered, type RenderJob, type RenderOutcome, type RenderWarning } from "./render-job.ts";

export type Render = (job: RenderJob) => Omit<Rendered, "renderMs">;

/** Renders in the current thread and blocks it: only for processes that may be killed. */
export function createRender(): Render {
  const typesetter = createTypesetter();
  return ({ content, ...job }) => {
    const { createdAt, locale } = job;
    if (content.kind === "html") return typesetter.typeset({ ...job, html: content.html });
    if (content.kind === "word") {
      // Pictures that templates of HTML may not show are refused alike, before LibreOffice reads them.
      const onPicture = (address: string) => void typesetter.typeset({ ...job, html: `<img src="${address}" alt="">` });
      const pdf = fillWord(content.file, { ...content, locale, now: createdAt, onPicture });
      return { pdf, pages: 0, warnings: [] };
    }
    const { template, data, timeZone } = content;
    const html = renderTemplate({ template, data, locale, timeZone, now: createdAt });
    const typeset = typesetter.typeset({ ...job, html });
    return { ...typeset, warnings: placeMissingGlyphs(typeset.warnings, data) };
  };
}

/** Loads in advance what the first document would otherwise wait for. */
export function warmUp(render: Render): void {
  const content =
    "<h1>{{ title }}</h1><table><tr><td>{{ 1 | number }}</td></tr></table><ol><li><b>a</b> <i>b</i></li></ol>";
  render({
    content: { kind: "template", template: { format: "html", content }, data: { title: "A" }, timeZone: "UTC" },
    title: "A",
    page: defaultPage,
    locale: "en",
    profile: "pdf",
    createdAt: new Date(0),
    images: new Map(),
    attachments: [],
  });
}

/** Locates the first occurrence of each missing glyph's character in the data, if there is one. */
export function placeMissingGlyphs(
  warnings: readonly RenderWarning[],
  data: Readonly<Record<string, unknown>>,
): readonly RenderWarning[] {
  const places = new Map<string, string>();
  const wanted = new Set(warnings.flatMap((warning) => characterOf(warning) ?? []));
  if (wanted.size === 0) return warnings;
  for (const [path, text] of textsOf(data)) {
    for (const character of wanted) {
      if (!text.includes(character)) continue;
      places.set(character, path);
      wanted.delete(character);
    }
    if (wanted.size === 0) break;
  }
  return warnings.map((warning) => {
    const path = places.get(characterOf(warning) ?? "");
    return path === undefined ? warning : { ...warning, path };
  });
}

/** The character that has no glyph: `U+6C49` names it. */
function characterOf({ code, char }: RenderWarning): string | undefined {
  const digits = /^U\+([0-9A-F]{4,6})$/.exec(char ?? "")?.[1];
  return code === "missing_glyph" && digits !== undefined
    ? String.fromCodePoint(Number.parseInt(digits, 16))
    : undefined;
}

/** Every text with its path, in the order of the data. Not recursive, since data may be nested to any depth. */
function* textsOf(data: Readonly<Record<string, unknown>>): Generator<readonly [path: string, text: string]> {
  const open: Array<readonly [path: string, value: unknown]> = [["data", data]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, value] = next;
    if (typeof value === "string") yield [path, value];
    else open.push(...childrenOf(path, value).reverse());
  }
}

function childrenOf(path: string, value: unknown): Array<readonly [path: string, value: unknown]> {
  if (Array.isArray(value)) return value.map((item, index) => [`${path}[${index}]`, item] as const);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, item]) => [pathTo(path, name), item] as const);
}

const pathTo = (path: string, name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;

/**
 * Turns this program into a renderer process: it reports that it is ready and answers each job with the result of
 * `render`.
 */
export const answerRenders = (render: (job: RenderJob) => Omit<Rendered, "renderMs">): void =>
  answerJobs((job: RenderJob) => answer(render, job));

function answer(render: (job: RenderJob) => Omit<Rendered, "renderMs">, job: RenderJob): RenderOutcome {
  const start = performance.now();
  try {
    const rendered = render(job);
    return { kind: "rendered", rendered: { ...rendered, renderMs: performance.now() - start } };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const { code, message, details, cause } = error;
    return { kind: "refused", code, message, details, notes: notesOf(cause) };
  }
}

const maxNotes = 5;
const maxNoteLength = 200;

/** What stands in quotation marks may come from the document. */
const notesOf = (cause: unknown): string[] =>
  Array.isArray(cause)
    ? cause.slice(0, maxNotes).map((note) =>
        String(note)
          .replaceAll(/(["'`]).*\1/gs, "…")
          .slice(0, maxNoteLength),
      )
    : [];
