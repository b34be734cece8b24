import { type ComponentType, lazy, Suspense } from "react";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { LinkTabs } from "../../ui/link-tabs.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { NotFoundPage } from "../not-found/not-found-page.tsx";
import { useTemplate } from "./queries.ts";
import { TemplateActions } from "./template-actions.tsx";
import { TemplateHead } from "./template-head.tsx";
import type { TemplateTabProps } from "./template-tab.ts";

/** Each is loaded when it is shown first: the editor alone is larger than the rest of the page. */
const tabs = {
  content: later(async () => (await import("./content/content-tab.tsx")).ContentTab),
  policy: later(async () => (await import("./policy/policy-tab.tsx")).PolicyTab),
  versions: later(async () => (await import("./versions/versions-tab.tsx")).VersionsTab),
  deployments: later(async () => (await import("./deployments/deployments-tab.tsx")).DeploymentsTab),
  statistics: later(async () => (await import("./statistics/statistics-tab.tsx")).StatisticsTab),
} as const;

type TabName = keyof typeof tabs;
const names = Object.keys(tabs) as TabName[];

export function TemplatePage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const wanted = params.get("tab") ?? "content";
  const current = names.find((name) => name === wanted);
  return current === undefined ? <NotFoundPage /> : <ShownTemplate id={id} current={current} />;
}

function ShownTemplate({ id, current }: { readonly id: string; readonly current: TabName }) {
  const texts = useTexts("templates");
  const { data: template, error, refetch } = useTemplate(id);
  const Tab = tabs[current];
  return (
    <Page
      title={template?.name ?? texts.template}
      intro={<Link to="/templates">{texts.backToTemplates}</Link>}
      actions={template && <TemplateActions template={template} />}
    >
      {template === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {template !== undefined && (
        <>
          <TemplateHead template={template} />
          <LinkTabs
            label={texts.tabs}
            tabs={names.map((name) => ({
              to: addressOf(id, name),
              text: texts.tabNames[name],
              isCurrent: name === current,
            }))}
          />
          <Suspense fallback={<Loading />}>
            <Tab templateId={id} />
          </Suspense>
        </>
      )}
    </Page>
  );
}

function addressOf(id: string, name: TabName): string {
  const page = `/templates/${encodeURIComponent(id)}`;
  return name === "content" ? page : `${page}/${name}`;
}

function later(load: () => Promise<ComponentType<TemplateTabProps>>) {
  return lazy(async () => ({ default: await load() }));
}
