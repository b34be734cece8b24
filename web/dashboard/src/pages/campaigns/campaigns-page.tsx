import { useMemo, useState } from "react";
import type { Campaign } from "#api/campaigns.ts";
import { Link } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CampaignDialog } from "./campaign-form.tsx";
import { CampaignStatus } from "./parts.tsx";
import { useCampaigns } from "./queries.ts";

/** Who is asked for an acceptance by a date. */
export function CampaignsPage() {
  const texts = useTexts("campaigns");
  const mayWrite = useSession().can("click:write");
  const [isAdding, setIsAdding] = useState(false);
  const add = mayWrite && (
    <Button kind="primary" onPress={() => setIsAdding(true)}>
      {texts.newCampaign}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={add}>
      <CampaignList />
      {isAdding && <CampaignDialog onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function CampaignList() {
  const texts = useTexts("campaigns");
  const list = useCampaigns(25);
  const columns = useColumns();
  if (list.data === undefined) {
    return list.error ? <ErrorState error={list.error} retry={() => void list.refetch()} /> : <Loading />;
  }
  return (
    <>
      <Table
        label={texts.title}
        columns={columns}
        rows={list.data.pages.flatMap(({ items }) => items)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.noneTitle} text={texts.noneText} />}
      />
      <MoreRows list={list} />
    </>
  );
}

function useColumns(): Column<Campaign>[] {
  const texts = useTexts("campaigns");
  return useMemo(
    () => [
      { id: "name", title: texts.name, cell: ({ id, name }) => <Link to={`/campaigns/${id}`}>{name}</Link> },
      { id: "status", title: texts.status, cell: (campaign) => <CampaignStatus campaign={campaign} /> },
      {
        id: "due",
        title: texts.due,
        cell: ({ dueAt, reminders }) => <Time value={dueAt} zone={reminders?.timeZone} />,
      },
      {
        id: "progress",
        title: texts.accepted,
        align: "end",
        cell: ({ counts }) => texts.acceptedOf(counts.accepted, counts.people),
      },
    ],
    [texts],
  );
}
