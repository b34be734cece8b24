import type { Agreement } from "#api/agreements.ts";
import { Link, useSearch } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { LinkTabs } from "../../ui/link-tabs.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { AgreementActions } from "./agreement-actions.tsx";
import { DocumentsTab } from "./documents-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { useAgreement } from "./queries.ts";

const tabs = ["overview", "documents", "history"] as const;
type Tab = (typeof tabs)[number];

export function AgreementPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("agreements");
  const tab = tabIn(useSearch());
  const { data: agreement, error, refetch } = useAgreement(id);
  return (
    <Page
      title={agreement === undefined ? texts.title : (agreement.emailSubject ?? texts.untitled)}
      intro={<Link to="/agreements">{texts.back}</Link>}
    >
      {agreement === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {agreement !== undefined && (
        <>
          <AgreementActions agreement={agreement} />
          <LinkTabs
            label={texts.tabs}
            tabs={tabs.map((name) => ({ to: pathOf(id, name), text: texts[name], isCurrent: name === tab }))}
          />
          <Current agreement={agreement} tab={tab} />
        </>
      )}
    </Page>
  );
}

const tabIn = (search: URLSearchParams): Tab => tabs.find((name) => name === search.get("tab")) ?? "overview";

const pathOf = (id: string, tab: Tab): string =>
  `/agreements/${encodeURIComponent(id)}${tab === "overview" ? "" : `?tab=${tab}`}`;

function Current({ agreement, tab }: { readonly agreement: Agreement; readonly tab: Tab }) {
  if (tab === "documents") return <DocumentsTab agreement={agreement} />;
  if (tab === "history") return <HistoryTab agreement={agreement} />;
  return <OverviewTab agreement={agreement} />;
}
