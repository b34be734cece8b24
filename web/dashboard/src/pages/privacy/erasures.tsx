import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ErasureReport, PersonErasure } from "#api/person-erasures.ts";
import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { saveFile } from "../../ui/download-button.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { Loaded } from "../access/parts.tsx";
import { ItemsTable, OutcomeTiles } from "./people-tab.tsx";
import { privacyKey, useActorNames, useErasures } from "./queries.ts";

/** Reports of erasures, which say of nobody whom they were about. */
export function ErasuresTab() {
  const texts = useTexts("privacy");
  const erasures = useErasures();
  const nameOf = useActorNames();
  const columns: readonly Column<PersonErasure>[] = [
    {
      id: "at",
      title: texts.erasure,
      cell: ({ id, createdAt }) => (
        <Link to={`/privacy/erasures/${id}`}>
          <Time value={createdAt} />
        </Link>
      ),
    },
    { id: "who", title: texts.who, cell: ({ createdBy }) => nameOf(createdBy) },
    { id: "ground", title: texts.ground, cell: ({ ground }) => texts.eraseGrounds.get(ground) ?? ground },
    { id: "state", title: texts.state, cell: (erasure) => <ErasureState erasure={erasure} /> },
    {
      id: "counts",
      title: texts.outcome,
      cell: ({ erased, restricted, kept }) => texts.outcomeCounts(erased, restricted, kept),
    },
  ];
  return (
    <Section title={texts.tabNames.erasures} intro={texts.erasuresIntro}>
      <Loaded query={erasures}>
        {({ pages }) => (
          <Table
            label={texts.tabNames.erasures}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.noErasureTitle} text={texts.noErasureText} />}
          />
        )}
      </Loaded>
      <MoreRows list={erasures} />
    </Section>
  );
}

function ErasureState({ erasure: { status, dryRun } }: { readonly erasure: Pick<PersonErasure, "status" | "dryRun"> }) {
  const texts = useTexts("privacy");
  return (
    <span className="inline">
      <Badge tone={status === "running" ? "info" : "success"}>{texts.erasureStates[status]}</Badge>
      {dryRun && <Badge>{texts.dryRun}</Badge>}
    </span>
  );
}

/** The report of one, item by item. */
export function ErasurePage({ params }: PageParams) {
  const texts = useTexts("privacy");
  const nameOf = useActorNames();
  const { organization } = useSession();
  const report = useReport(params.get("id") ?? "");
  // Whoever has just erased somebody comes from a button that is gone.
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById("page-title")?.focus();
  }, []);
  return (
    <Page title={texts.erasureTitle} intro={<Link to="/privacy/erasures">{texts.allErasures}</Link>}>
      <Loaded query={report}>
        {({ pages }) => {
          const [{ body: erasure }] = pages as [{ body: ErasureReport }];
          const { status, dryRun, ground, createdAt, createdBy, completedAt, failures, id } = erasure;
          return (
            <>
              {status === "running" && (
                <Notice>{failures < 3 ? texts.erasureRunning : texts.erasureFails(failures)}</Notice>
              )}
              <Section title={texts.facts}>
                <Facts
                  facts={[
                    [texts.organization, organization.name],
                    [texts.state, <ErasureState key="state" erasure={erasure} />],
                    [texts.ground, texts.eraseGrounds.get(ground) ?? ground],
                    [texts.who, nameOf(createdBy)],
                    [texts.when, <Time key="when" value={createdAt} seconds />],
                    [texts.completed, completedAt === null ? "–" : <Time key="done" value={completedAt} seconds />],
                    [texts.erasureId, <code key="id">{id}</code>],
                  ]}
                />
              </Section>
              <Section title={texts.reportTitle} intro={texts.reportIntro} actions={<DownloadReport id={id} />}>
                <OutcomeTiles counts={erasure} isAhead={dryRun} />
                <ItemsTable items={pages.flatMap(({ body }) => body.items)} isAhead={dryRun} />
                <MoreRows list={report} />
              </Section>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** All pages in one file, also those that are not shown yet. */
function DownloadReport({ id }: { readonly id: string }) {
  const texts = useTexts("privacy");
  const api = useApi();
  const { run, isBusy, error } = useAction(async () => {
    const { body, next } = await readReport(api, id, "");
    const items = [...body.items];
    for (let cursor = next; cursor !== undefined; ) {
      const page = await readReport(api, id, cursor);
      items.push(...page.body.items);
      cursor = page.next;
    }
    const json = `${JSON.stringify({ ...body, items }, null, 2)}\n`;
    saveFile(new Blob([json], { type: "application/json" }), `erasure-${id}.json`);
  });
  return (
    <>
      <Button isBusy={isBusy} onPress={() => void run()}>
        {texts.downloadReport}
      </Button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}

const readReport = (api: ReturnType<typeof useApi>, id: string, cursor: string) =>
  api.getPage<ErasureReport>(`/v1/privacy/erasures/${encodeURIComponent(id)}`, { cursor: cursor || undefined });

/** Read again until everything was looked at. */
function useReport(id: string) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...privacyKey, "erasure", id],
    queryFn: ({ pageParam }) => readReport(api, id, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.body.status === "running" ? 2_000 : false),
  });
}
