import type { Batch, BatchItem } from "#api/generation-documents.ts";
import { documentStatuses, hasEnded } from "./queries.ts";
import "./generation.css";
import "./charts.css";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { Link, useSearch } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { BatchState, DocumentState, RowPages, StatusFilter, statusIn } from "./parts.tsx";
import { batchPath, useBatch, useBatchItems, useGenerationChanges } from "./queries.ts";

export function BatchPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("generation");
  const { data: batch, error, refetch } = useBatch(id);
  const title = batch === undefined ? texts.batch : texts.batchOfCount(batch.counts.total);
  return (
    <Page title={title} intro={<Link to="/generation/batches">{texts.backToBatches}</Link>}>
      {batch === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {batch !== undefined && (
        <>
          <BatchActions batch={batch} />
          <Section title={texts.progress}>
            <BatchProgress counts={batch.counts} />
            <Facts
              facts={[
                [texts.state, <BatchState key="state" status={batch.status} />],
                [texts.created, <Time key="created" value={batch.createdAt} seconds />],
                [texts.ended, batch.completedAt ? <Time key="ended" value={batch.completedAt} seconds /> : "–"],
                [texts.batchId, <code key="id">{batch.id}</code>],
              ]}
            />
          </Section>
          <Items batch={batch} />
        </>
      )}
    </Page>
  );
}

function BatchActions({ batch }: { readonly batch: Batch }) {
  const texts = useTexts("generation");
  const api = useApi();
  const mayChange = useSession().can("gen:write");
  const { batchIs } = useGenerationChanges();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = async () => batchIs(await api.send<Batch>("POST", `${batchPath(batch.id)}/cancel`));
  const hasFiles = batch.counts.completed > 0;
  const canCancel = mayChange && !hasEnded(batch);
  if (!hasFiles && !canCancel) return null;
  return (
    <div className="form-buttons">
      {hasFiles && (
        <a className="button button-primary" href={`${batchPath(batch.id)}/archive`} download={`batch-${batch.id}.zip`}>
          {texts.archive}
        </a>
      )}
      {canCancel && (
        <Button kind="danger" onPress={() => setIsAsking(true)}>
          {texts.cancelBatch}
        </Button>
      )}
      <ConfirmDialog
        title={texts.cancelTitle}
        text={texts.cancelText(batch.counts.queued)}
        action={texts.cancelBatch}
        isOpen={isAsking}
        onConfirm={cancel}
        onClose={() => setIsAsking(false)}
      />
    </div>
  );
}

function Items({ batch }: { readonly batch: Batch }) {
  const texts = useTexts("generation");
  const state = statusIn(useSearch(), "state", documentStatuses);
  const list = useBatchItems(batch, state);
  const columns: Column<BatchItem>[] = [
    { id: "item", title: texts.item, cell: (item) => <ItemName item={item} /> },
    { id: "state", title: texts.state, cell: ({ status }) => <DocumentState status={status} /> },
    { id: "pages", title: texts.pages, align: "end", cell: ({ pages }) => (pages === 0 ? "–" : pages) },
    { id: "error", title: texts.problem, cell: ({ error }) => error?.message ?? "–" },
  ];
  return (
    <Section title={texts.items}>
      <StatusFilter label={texts.state} name="state" words={texts.documentStates} statuses={documentStatuses} />
      <RowPages
        list={list}
        label={texts.items}
        columns={columns}
        rowKey={({ index }) => String(index)}
        empty={<EmptyState title={texts.noneMatch} text={texts.noItemsMatch} />}
      />
    </Section>
  );
}

function ItemName({ item: { index, ref, contentUrl } }: { readonly item: BatchItem }) {
  const texts = useTexts("generation");
  const name = ref ?? texts.itemNumber(index + 1);
  return contentUrl === null ? (
    name
  ) : (
    <a href={contentUrl} download>
      {name}
    </a>
  );
}

const parts = ["completed", "failed", "cancelled"] as const;

/** How far it is; what has failed and what was cancelled stand out in the bar. */
function BatchProgress({ counts }: Pick<Batch, "counts">) {
  const texts = useTexts("generation");
  const ended = counts.total - counts.queued;
  return (
    <div className="gen-progress">
      <div
        role="progressbar"
        aria-label={texts.progress}
        aria-valuemin={0}
        aria-valuemax={counts.total}
        aria-valuenow={ended}
        aria-valuetext={texts.outcomeOf(counts)}
        className="gen-bar"
      >
        {parts.map((part) => (
          <span key={part} data-part={part} style={{ width: `${(100 * counts[part]) / counts.total}%` }} />
        ))}
      </div>
      <p>{texts.outcomeOf(counts)}</p>
    </div>
  );
}
