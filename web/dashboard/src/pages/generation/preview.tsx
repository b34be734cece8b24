import { useState } from "react";
import type { GenDocument } from "#api/generation-documents.ts";
import type { GenTemplate as Template } from "#api/generation-templates.ts";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { PdfPages } from "../../ui/pdf/pdf-pages.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../ui/states.tsx";
import { Select } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { type DraftState, parseData } from "./draft.ts";
import { documentPath, newestVersions, useGenerationChanges, useUsage } from "./queries.ts";

interface PreviewProps {
  readonly template: Template;
  readonly draft: DraftState;
  readonly mayRender: boolean;
}

/** A preview is a document like any other; it is not kept longer than this. */
const keptSeconds = 86_400;
const pauseMs = 1_000;

/** Renders a published version with the sample data, as it is written now. */
export function Preview({ template, draft, mayRender }: PreviewProps) {
  const texts = useTexts("generation");
  if (template.publishedVersion === null) return <EmptyState title={texts.noPreview} text={texts.noPreviewText} />;
  if (!mayRender) return <EmptyState title={texts.noPreview} text={texts.noPreviewForYou} />;
  return <Rendering template={template} draft={draft} latest={template.publishedVersion} />;
}

function Rendering({ template, draft, latest }: Omit<PreviewProps, "mayRender"> & { readonly latest: number }) {
  const texts = useTexts("generation");
  const wanted = Number(useSearch().get("version"));
  const versions = newestVersions(latest);
  const [version, setVersion] = useState(versions.includes(wanted) ? wanted : latest);
  const [made, setMade] = useState<GenDocument>();
  const data = parseData(draft.sample);
  const render = useRender(template.id);
  const action = useAction(async () => setMade(await render(version, data ?? {})));
  const isOlder = version === latest && (template.hasChanges || draft.isChanged);
  return (
    <Section title={texts.tabNames.preview} intro={texts.previewHelp}>
      <Cost />
      <div className="gen-filters">
        <Select
          label={texts.version}
          options={versions.map((id) => ({ id: String(id), label: texts.versionNumber(id) }))}
          value={String(version)}
          onChange={(key) => setVersion(Number(key))}
        />
        <Button kind="primary" isBusy={action.isBusy} isDisabled={data === undefined} onPress={() => void action.run()}>
          {texts.render}
        </Button>
      </div>
      {data === undefined && <Notice tone="danger">{texts.sampleWrong}</Notice>}
      {isOlder && <Notice tone="warning">{texts.previewOlder}</Notice>}
      {action.isBusy && <p role="status">{texts.rendering}</p>}
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      {made !== undefined && action.error === undefined && <Made document={made} />}
    </Section>
  );
}

/** What is left of the plan. */
function Cost() {
  const texts = useTexts("generation");
  const { data: usage } = useUsage();
  if (usage === undefined) return <p className="gen-aside">{texts.cost}</p>;
  const { hour } = usage;
  return (
    <p className="gen-aside">
      {texts.cost} {texts.left(Math.max(0, hour.limit - hour.used), hour.limit)}
    </p>
  );
}

function useRender(templateId: string) {
  const api = useApi();
  const sendOnce = useSendOnce();
  const { documentsChanged } = useGenerationChanges();
  return async (version: number, data: object): Promise<GenDocument> => {
    const request = { templateId, version, data, expiresIn: keptSeconds, metadata: { purpose: "preview" } };
    try {
      let document = await sendOnce<GenDocument>("/v1/gen/documents", request);
      while (document.status === "queued" || document.status === "rendering") {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        document = await api.get<GenDocument>(documentPath(document.id));
      }
      return document;
    } finally {
      void documentsChanged();
    }
  };
}

function Made({ document }: { readonly document: GenDocument }) {
  const texts = useTexts("generation");
  const { contentUrl, pages, bytes, renderMs, warnings, output } = document;
  if (contentUrl === null) return <Notice tone="danger">{document.error?.message ?? texts.notMade}</Notice>;
  return (
    <>
      <p>
        {texts.made(pages, Math.max(1, Math.round(bytes / 1_000)), renderMs)}{" "}
        <a href={contentUrl} download={output.fileName}>
          {texts.download}
        </a>
      </p>
      {warnings.length > 0 && (
        <Notice tone="warning">
          {[...new Set(warnings.map(({ message }) => message))].map((message) => (
            <p key={message}>{message}</p>
          ))}
        </Notice>
      )}
      <div className="gen-paper">
        <PdfPages key={document.id} source={contentUrl} label={output.fileName} />
      </div>
    </>
  );
}
