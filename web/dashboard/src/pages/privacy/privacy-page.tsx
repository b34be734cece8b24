import "../access/access.css";
import "./privacy.css";
import type { PageParams } from "../../app/routes.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { LinkTabs, Page } from "../../ui/page.tsx";
import { NotFoundPage } from "../not-found/not-found-page.tsx";
import { ErasuresTab } from "./erasures.tsx";
import { ExportsTab } from "./exports-tab.tsx";
import { HoldsTab } from "./holds-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import { ActsTab, DeletionsTab } from "./records-tabs.tsx";
import { RetentionTab } from "./retention-tab.tsx";

const tabs = {
  people: PeopleTab,
  erasures: ErasuresTab,
  exports: ExportsTab,
  retention: RetentionTab,
  holds: HoldsTab,
  deletions: DeletionsTab,
  acts: ActsTab,
} as const;
type TabName = keyof typeof tabs;
const names = Object.keys(tabs) as TabName[];

/** What of people is kept, for how long, and what was done about it. */
export function PrivacyPage({ params }: PageParams) {
  const texts = useTexts("privacy");
  const wanted = params.get("tab") ?? "people";
  const current = names.find((name) => name === wanted);
  if (current === undefined) return <NotFoundPage />;
  const Tab = tabs[current];
  return (
    <Page title={texts.title} intro={texts.intro}>
      <LinkTabs
        label={texts.tabs}
        tabs={names.map((name) => ({
          to: name === "people" ? "/privacy" : `/privacy/${name}`,
          text: texts.tabNames[name],
          isCurrent: name === current,
        }))}
      />
      <Tab />
    </Page>
  );
}
