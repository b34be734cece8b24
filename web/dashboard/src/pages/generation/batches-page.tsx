import { useState } from "react";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { CreateBatchDialog } from "./create-batch-dialog.tsx";
import { GenerationTabs } from "./generation-tabs.tsx";
import { useBatches } from "./queries.ts";
import { RowPages } from "./row-pages.tsx";
import { BatchState } from "./state-badges.tsx";
import { StatusFilter, statusIn } from "./status-filter.tsx";
import { type Batch, batchStatuses } from "./types.ts";

export function BatchesPage() {
  const texts = useTexts("generation");
  const mayChange = useSession().can("gen:write");
  const search = useSearch();
  const state = statusIn(search, "state", batchStatuses);
  const templateId = search.get("new") ?? "";
  const list = useBatches({ state });
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(templateId !== "");
  const close = () => {
    setIsCreating(false);
    if (templateId !== "") navigate("/generation/batches", { replace: true });
  };
  const create = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.createBatch}
    </Button>
  );
  const columns: Column<Batch>[] = [
    {
      id: "batch",
      title: texts.batch,
      cell: ({ id, counts }) => <Link to={`/generation/batches/${id}`}>{texts.documentCount(counts.total)}</Link>,
    },
    { id: "state", title: texts.state, cell: ({ status }) => <BatchState status={status} /> },
    { id: "outcome", title: texts.outcome, cell: ({ counts }) => texts.outcomeOf(counts) },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: "completed",
      title: texts.ended,
      cell: ({ completedAt }) => (completedAt ? <Time value={completedAt} /> : "–"),
    },
  ];
  return (
    <Page title={texts.batches} intro={texts.batchesIntro} actions={create}>
      <GenerationTabs current="batches" />
      <StatusFilter label={texts.state} name="state" words={texts.batchStates} statuses={batchStatuses} />
      <RowPages
        list={list}
        label={texts.batches}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          state === undefined ? (
            <EmptyState
              title={texts.noBatches}
              text={mayChange ? texts.noBatchesText : texts.noBatchesForYou}
              action={create}
            />
          ) : (
            <EmptyState title={texts.noneMatch} text={texts.noneMatchText} />
          )
        }
      />
      {mayChange && <CreateBatchDialog templateId={templateId} isOpen={isCreating} onClose={close} />}
    </Page>
  );
}
