import { Link, useSearch } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { LinkTabs } from "../../ui/link-tabs.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { ContentSection } from "./content-section.tsx";
import { useDraft } from "./draft.ts";
import { Preview } from "./preview.tsx";
import { useTemplate } from "./queries.ts";
import "./generation.css";
import { SettingsSection } from "./settings-section.tsx";
import { TemplateState } from "./state-badges.tsx";
import { TemplateActions } from "./template-actions.tsx";
import type { Template } from "./types.ts";
import { VersionsSection } from "./versions-section.tsx";

export function GenTemplatePage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("generation");
  const { data: template, error, refetch } = useTemplate(id);
  if (template !== undefined) return <Loaded template={template} />;
  return (
    <Page title={texts.template} intro={<Link to="/generation">{texts.backToTemplates}</Link>}>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />}
    </Page>
  );
}

const tabs = ["content", "preview", "versions", "settings"] as const;

function Loaded({ template }: { readonly template: Template }) {
  const texts = useTexts("generation");
  const mayChange = useSession().can("gen:write");
  const search = useSearch();
  const current = tabs.find((name) => name === search.get("tab")) ?? "content";
  const draft = useDraft(template);
  const path = `/generation/templates/${template.id}`;
  const intro = (
    <span className="gen-badges">
      <Link to="/generation">{texts.backToTemplates}</Link>
      <TemplateState template={template} />
    </span>
  );
  return (
    <Page title={template.name} intro={intro}>
      {mayChange && <TemplateActions template={template} draft={draft} />}
      <LinkTabs
        label={texts.templateTabs}
        tabs={tabs.map((name) => ({
          to: name === "content" ? path : `${path}?tab=${name}`,
          text: texts.tabNames[name],
          isCurrent: name === current,
        }))}
      />
      {current === "content" && <ContentSection template={template} draft={draft} mayChange={mayChange} />}
      {current === "preview" && <Preview template={template} draft={draft} mayRender={mayChange} />}
      {current === "versions" && <VersionsSection template={template} />}
      {current === "settings" && <SettingsSection template={template} mayChange={mayChange} />}
    </Page>
  );
}
