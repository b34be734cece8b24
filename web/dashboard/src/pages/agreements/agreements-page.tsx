import "./agreements.css";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import type { Agreement } from "#api/agreements.ts";
import type { QueryValues } from "../../api/client.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { momentOf } from "../../ui/local-time.ts";
import { Page } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { DayField, Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAgreements, useFileSearch } from "./queries.ts";
import { AgreementState } from "./state-badges.tsx";
import { agreementStatuses, dateFields, recipientsOf } from "./types.ts";

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
  /** Whether a filter is set, so that an empty list does not mean that there are no agreements. */
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

interface FiltersProps {
  readonly filter: AgreementFilter;
  /** Whether what they say is being looked for. */
  readonly isBusy: boolean;
}

/** They are in the address of the page, so that it can be kept and sent to somebody. */
function AgreementFilters({ filter, isBusy }: FiltersProps) {
  const texts = useTexts("agreements");
  const navigate = useNavigate();
  const show = (wanted: AgreementFilter) => navigate(pathOf(wanted), { replace: true });
  const withDate = (change: AgreementFilter) => show({ ...filter, ...change });
  return (
    <div className="agreement-filters">
      <SearchForm filter={filter} isBusy={isBusy} />
      <Select
        label={texts.status}
        options={[
          { id: anything, label: texts.anyStatus },
          ...agreementStatuses.map((id) => ({ id, label: texts.statuses[id] })),
        ]}
        value={filter.status ?? anything}
        onChange={(key) => show({ ...filter, status: key === anything ? undefined : String(key) })}
      />
      <Select
        label={texts.dateField}
        options={dateFields.map((id) => ({ id, label: texts.dateFields[id] }))}
        value={filter.dateField ?? "created"}
        onChange={(key) => withDate({ dateField: key === "created" ? undefined : String(key) })}
      />
      <DayField label={texts.from} value={filter.from} onChange={(from) => withDate({ from })} />
      <DayField label={texts.to} value={filter.to} onChange={(to) => withDate({ to })} />
      {isNarrowed(filter) && <Button onPress={() => show({})}>{texts.clearFilters}</Button>}
    </div>
  );
}

const anything = "*";

/** Searches when submitted, not with each letter, because the search reads many rows. */
function SearchForm({ filter, isBusy }: FiltersProps) {
  const texts = useTexts("agreements");
  const navigate = useNavigate();
  const inFiles = useFileSearch().data?.enabled === true;
  const [words, setWords] = useState(filter.search ?? "");
  useEffect(() => setWords(filter.search ?? ""), [filter.search]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    const wanted = words.trim();
    if (isId(wanted)) navigate(`/agreements/${wanted.toLowerCase()}`);
    else navigate(pathOf({ ...filter, search: wanted || undefined }), { replace: true });
  };
  return (
    <form className="agreement-search" onSubmit={search}>
      <TextField
        label={texts.search}
        type="search"
        placeholder={inFiles ? texts.searchHintFiles : texts.searchHint}
        maxLength={200}
        value={words}
        onChange={setWords}
      />
      <Button type="submit" isBusy={isBusy}>
        {texts.searchAction}
      </Button>
    </form>
  );
}

/** As it stands in the address of the page; days are those of the person's time zone. */
interface AgreementFilter {
  readonly search?: string | undefined;
  readonly status?: string | undefined;
  readonly dateField?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const names = ["search", "status", "dateField", "from", "to"] as const;
const known: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["status", agreementStatuses],
  ["dateField", dateFields],
]);

/** Parses the address; unknown parameters are ignored. */
const filterIn = (search: URLSearchParams): AgreementFilter =>
  Object.fromEntries(
    names.map((name) => {
      const value = search.get(name)?.slice(0, 200) ?? "";
      const isKnown = known.get(name)?.includes(value) ?? value !== "";
      return [name, isKnown ? value : undefined];
    }),
  );

function pathOf(filter: AgreementFilter): string {
  const search = new URLSearchParams();
  for (const name of names) if (filter[name]) search.set(name, filter[name]);
  return `/agreements${search.size === 0 ? "" : `?${search}`}`;
}

const isNarrowed = ({ search, status, from, to }: AgreementFilter): boolean => [search, status, from, to].some(Boolean);

/** What the API is asked. A whole address is looked up by its index; other words are searched for. */
function queryOf(filter: AgreementFilter, timeZone: string): QueryValues {
  const { search = "", status, dateField, from = "", to = "" } = filter;
  const words = search.trim();
  const since = momentOf(`${from}T00:00`, timeZone);
  const until = momentOf(`${dayAfter(to)}T00:00`, timeZone);
  const hasRange = since !== undefined || until !== undefined;
  return {
    status,
    ...(isAddress(words) ? { email: words } : { text: words }),
    ...(hasRange ? { dateField, from: since?.toISOString(), to: until?.toISOString() } : {}),
  };
}

/** 100 letters are the most that the API looks up. */
const isAddress = (words: string): boolean => words.length <= 100 && /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/.test(words);

/** The last day is included. */
function dayAfter(day: string): string {
  const start = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(start) ? "" : new Date(start + 86_400_000).toISOString().slice(0, 10);
}

/** Whether words are the id of an agreement. */
const isId = (words: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(words);
