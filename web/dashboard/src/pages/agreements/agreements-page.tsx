import { useMemo } from "react";
import type { Agreement } from "#api/agreements.ts";
import { Link, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { AgreementFilters } from "./agreement-filters.tsx";
import { filterIn, isNarrowed, queryOf } from "./filter.ts";
import { useAgreements } from "./queries.ts";
import { AgreementState } from "./state-badges.tsx";
import { recipientsOf } from "./types.ts";
import "./agreements.css";

const pageSize = 25;

export function AgreementsPage() {
  const texts = useTexts("agreements");
  const search = useSearch();
  const filter = useMemo(() => filterIn(search), [search]);
  const { timeZone } = useLanguage();
  const list = useAgreements(queryOf(filter, timeZone), pageSize);
  return (
    <Page title={texts.title} intro={texts.intro} actions={<Create />}>
      <AgreementFilters filter={filter} isBusy={list.isPlaceholderData} />
      <AgreementList list={list} isNarrowed={isNarrowed(filter)} />
    </Page>
  );
}

/** Only for those who may. */
function Create() {
  const { create } = useTexts("agreements");
  if (!useSession().can("sign:write")) return null;
  return (
    <ButtonLink to="/agreements/new" kind="primary">
      {create}
    </ButtonLink>
  );
}

interface AgreementListProps {
  readonly list: ReturnType<typeof useAgreements>;
  /** Whether the person has narrowed it down, so that no row does not mean that there is none. */
  readonly isNarrowed: boolean;
}

function AgreementList({ list, isNarrowed: isSome }: AgreementListProps) {
  const texts = useTexts("agreements");
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
        empty={<Nothing isNarrowed={isSome} />}
      />
      <MoreRows list={list} />
    </>
  );
}

function useColumns(): readonly Column<Agreement>[] {
  const texts = useTexts("agreements");
  return useMemo(
    () => [
      {
        id: "subject",
        title: texts.subject,
        cell: ({ id, emailSubject }) => <Link to={`/agreements/${id}`}>{emailSubject ?? texts.untitled}</Link>,
      },
      {
        id: "status",
        title: texts.status,
        width: "short",
        cell: (agreement) => <AgreementState agreement={agreement} />,
      },
      { id: "recipients", title: texts.recipients, cell: (agreement) => <Who agreement={agreement} /> },
      {
        id: "progress",
        title: texts.progress,
        width: "short",
        cell: (agreement) => {
          const all = recipientsOf(agreement);
          return texts.progressOf(all.filter(({ status }) => status === "completed").length, all.length);
        },
      },
      { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
      { id: "sent", title: texts.lastDate, cell: ({ sentAt }) => (sentAt === null ? "–" : <Time value={sentAt} />) },
    ],
    [texts],
  );
}

const mostNames = 2;

function Who({ agreement }: { readonly agreement: Agreement }) {
  const { andMore } = useTexts("agreements");
  const names = recipientsOf(agreement).map(({ name, email, roleName }) => name ?? email ?? roleName ?? "–");
  if (names.length === 0) return "–";
  const more = names.length - mostNames;
  return (
    <>
      {names.slice(0, mostNames).join(", ")}
      {more > 0 && <span className="agreement-quiet"> {andMore(more)}</span>}
    </>
  );
}

function Nothing({ isNarrowed: isSome }: { readonly isNarrowed: boolean }) {
  const texts = useTexts("agreements");
  const maySend = useSession().can("sign:write");
  if (isSome) return <EmptyState title={texts.noneMatch} text={texts.noneMatchText} />;
  if (!maySend) return <EmptyState title={texts.emptyTitle} text={texts.emptyReadOnly} />;
  return <EmptyState title={texts.emptyTitle} text={texts.emptyText} action={<Create />} />;
}
