import { defaultPage } from "../domain/page.ts";
import { renderTemplate } from "../templating/render-template.ts";
import { createTypesetter } from "../typesetting/typesetter.ts";
import { placeMissingGlyphs } from "./missing-glyphs.ts";
import type { Rendered, RenderJob } from "./render-job.ts";

export type Render = (job: RenderJob) => Omit<Rendered, "renderMs">;

/** Renders in this very thread, for as long as it takes: only for processes that may be killed. */
export function createRender(): Render {
  const typesetter = createTypesetter();
  return ({ content, ...job }) => {
    const { createdAt, locale } = job;
    if (content.kind === "html") return typesetter.typeset({ ...job, html: content.html });
    const { template, data, timeZone } = content;
    const html = renderTemplate({ template, data, locale, timeZone, now: createdAt });
    const typeset = typesetter.typeset({ ...job, html });
    return { ...typeset, warnings: placeMissingGlyphs(typeset.warnings, data) };
  };
}

/** Loads what the first document would have to wait for. */
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
