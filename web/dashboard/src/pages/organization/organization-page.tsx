import type { AuditEvent } from "#api/organizations.ts";
import "../access/access.css";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FileSearch as Setting } from "#api/privacy.ts";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Form, Switch } from "../../ui/form.tsx";
import { optionOf, settingOf, useLocaleOptions, useTimeZoneOptions } from "../../ui/locale-options.ts";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { deviceOf, Loaded } from "../access/parts.tsx";
import { fileSearchKey, useFileSearch } from "../agreements/queries.ts";
import { SealCertificate } from "./seal-certificate.tsx";

/** The organization: its settings, what it may use, its seal, and for owners what has happened in it. */
export function OrganizationPage() {
  const texts = useTexts("organization");
  const { organization, can } = useSession();
  const isOwner = can("dashboard:admin");
  const settings = useSettings();
  const plan = texts.plans.get(organization.plan) ?? organization.plan;
  return (
    <Page title={texts.title}>
      <Section title={texts.details}>
        {isOwner && <SettingsForm />}
        <Facts
          facts={[
            ...(isOwner ? [] : settings),
            [texts.id, <code key="id">{organization.id}</code>],
            [texts.created, <Time key="created" value={organization.createdAt} />],
          ]}
        />
      </Section>
      <Section title={texts.limits} intro={texts.planHelp}>
        <Facts facts={[[texts.plan, organization.sandbox ? `${plan} (${texts.sandbox})` : plan], ...useLimits()]} />
        <p className="quiet">{texts.limitsHelp}</p>
      </Section>
      {isOwner && <PublicationRules />}
      {isOwner && <Corrections />}
      {isOwner && <FileSearch />}
      <SealCertificate />
      {isOwner && <AuditTrail />}
    </Page>
  );
}

function useSettings(): (readonly [string, string])[] {
  const texts = useTexts("organization");
  const { name, locale, timeZone } = useSession().organization;
  const languages = new Intl.DisplayNames(useLanguage().locale, { type: "language", fallback: "code" });
  return [
    [texts.name, name],
    [texts.locale, locale === null ? texts.ofBrowser : (languages.of(locale) ?? locale)],
    [texts.timeZone, timeZone ?? texts.ofBrowser],
  ];
}

function useLimits(): (readonly [string, string])[] {
  const { limitNames, perMinute } = useTexts("organization");
  const { limits } = useSession().organization;
  const numbers = new Intl.NumberFormat(useLanguage().locale);
  return (["accept", "render", "sign", "other"] as const).map((group) => [
    limitNames[group],
    perMinute(numbers.format(limits[group])),
  ]);
}

/** The name, and what users who are invited begin with. */
function SettingsForm() {
  const texts = useTexts("organization");
  const { save, saved } = useTexts("common");
  const api = useApi();
  const { organization, refresh } = useSession();
  const { name, locale, timeZone } = organization;
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Form
      submit={save}
      aside={isSaved && <Notice tone="success">{saved}</Notice>}
      onSubmit={async (values) => {
        setIsSaved(false);
        await api.send("PATCH", "/v1/dashboard/organization", {
          name: values.text("name").trim(),
          locale: settingOf(values.text("locale")),
          timeZone: settingOf(values.text("timeZone")),
        });
        await refresh();
        setIsSaved(true);
      }}
    >
      <TextField name="name" label={texts.name} defaultValue={name} maxLength={255} isRequired />
      <Select
        name="locale"
        label={texts.locale}
        hint={texts.defaultsHelp}
        options={useLocaleOptions(locale, texts.ofBrowser)}
        defaultValue={optionOf(locale)}
      />
      <Select
        name="timeZone"
        label={texts.timeZone}
        options={useTimeZoneOptions(timeZone, texts.ofBrowser)}
        defaultValue={optionOf(timeZone)}
      />
    </Form>
  );
}

const rulesPath = "/v1/click/publication-rules";

/** Whether texts need a second person. */
function PublicationRules() {
  const texts = useTexts("organization");
  const api = useApi();
  const queries = useQueryClient();
  const rules = useQuery({ queryKey: [rulesPath], queryFn: () => api.get<{ fourEyes: boolean }>(rulesPath) });
  const { run, isBusy, error } = useAction(async (fourEyes: boolean) => {
    queries.setQueryData([rulesPath], await api.send("PUT", rulesPath, { fourEyes }));
    await queries.invalidateQueries({ queryKey: ["templates"] });
  });
  return (
    <Section title={texts.publication}>
      <Loaded query={rules}>
        {({ fourEyes }) => (
          <Switch isSelected={fourEyes} isDisabled={isBusy} onChange={(isOn) => void run(isOn)}>
            {texts.fourEyes}
          </Switch>
        )}
      </Loaded>
      {error !== undefined && <ErrorNotice error={error} />}
      <p className="quiet">{texts.fourEyesHelp}</p>
    </Section>
  );
}

/** Whether the compatible interface may correct what was sent. */
function Corrections() {
  const texts = useTexts("organization");
  const api = useApi();
  const { organization, refresh } = useSession();
  const { run, isBusy, error } = useAction(async (envelopeCorrections: boolean) => {
    await api.send("PATCH", "/v1/dashboard/organization", { envelopeCorrections });
    await refresh();
  });
  return (
    <Section title={texts.corrections}>
      <Switch isSelected={organization.envelopeCorrections} isDisabled={isBusy} onChange={(isOn) => void run(isOn)}>
        {texts.envelopeCorrections}
      </Switch>
      {error !== undefined && <ErrorNotice error={error} />}
      <p className="quiet">{texts.envelopeCorrectionsHelp}</p>
    </Section>
  );
}

const pageSize = 25;

/** Who did what, page by page. */
function AuditTrail() {
  const texts = useTexts("organization");
  const api = useApi();
  const events = useInfiniteQuery({
    queryKey: ["audit-events"],
    queryFn: ({ pageParam }) =>
      api.list<AuditEvent>("/v1/dashboard/audit-events", { limit: pageSize, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const columns = useColumns();
  const next = events.data?.pages.at(-1)?.next;
  return (
    <Section title={texts.trail} intro={texts.trailHelp}>
      <Loaded query={events}>
        {({ pages }) => (
          <Table
            label={texts.trail}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.emptyTitle} text={texts.emptyText} />}
          />
        )}
      </Loaded>
      <Pager next={next} isBusy={events.isFetchingNextPage} onMore={() => void events.fetchNextPage()} />
    </Section>
  );
}

function useColumns(): readonly Column<AuditEvent>[] {
  const texts = useTexts("organization");
  return [
    { id: "at", title: texts.when, cell: ({ at }) => <Time value={at} seconds /> },
    { id: "who", title: texts.who, cell: (event) => actorOf(event) ?? texts.somebody, isRowHeader: true },
    { id: "what", title: texts.what, cell: (event) => <What event={event} /> },
    { id: "where", title: texts.where, cell: (event) => <Where event={event} /> },
  ];
}

const actorOf = ({ actorId, actorName }: AuditEvent): string | null => actorName ?? actorId;

function What({ event }: { readonly event: AuditEvent }) {
  const { actions } = useTexts("organization");
  const { action, actorId, subjectId, subjectName } = event;
  const words = actions.get(action) ?? action;
  const isOfAnother = subjectName !== null && subjectId !== actorId;
  return (
    <span className="stacked">
      <span>{isOfAnother ? `${words}: ${subjectName}` : words}</span>
      <AuditDetails event={event} />
    </span>
  );
}

function Where({ event: { ip, userAgent, requestId } }: { readonly event: AuditEvent }) {
  const { requestNumber } = useTexts("organization");
  const { browser, system } = deviceOf(userAgent ?? "");
  const from = [ip, [browser, system].filter(Boolean).join(", ")].filter(Boolean).join(" · ");
  return (
    <span className="stacked">
      <span>{from || "–"}</span>
      {requestId && <small title={requestNumber}>{requestId}</small>}
    </span>
  );
}

/** What an event tells beside what was done, in words as far as there are any. */
function AuditDetails({ event: { action, details } }: { readonly event: AuditEvent }) {
  const { names, values, browserDefault } = useTexts("people").trail;
  const wordsOf = (name: string, value: string): string =>
    value === "" ? browserDefault : (values.get(`${name} ${value}`) ?? value);
  return Object.entries(details).map(([name, value]) => (
    <small key={name}>{`${names.get(`${action} ${name}`) ?? names.get(name) ?? name}: ${wordsOf(name, value)}`}</small>
  ));
}

/** Whether agreements are found by the words of their files. */
function FileSearch() {
  const texts = useTexts("organization");
  const api = useApi();
  const queries = useQueryClient();
  // While files of before are read, it can be watched.
  const setting = useFileSearch(({ enabled, files, filesRead }) => enabled && filesRead < files);
  const numbers = new Intl.NumberFormat(useLanguage().locale);
  const { run, isBusy, error } = useAction(async (enabled: boolean) => {
    queries.setQueryData(fileSearchKey, await api.send<Setting>("PUT", "/v1/privacy/file-search", { enabled }));
  });
  return (
    <Section title={texts.fileSearch}>
      <Loaded query={setting}>
        {({ enabled, files, filesRead }) => (
          <>
            <Switch isSelected={enabled} isDisabled={isBusy} onChange={(isOn) => void run(isOn)}>
              {texts.fileSearchOn}
            </Switch>
            {enabled && <p>{texts.fileSearchRead(numbers.format(filesRead), numbers.format(files))}</p>}
          </>
        )}
      </Loaded>
      {error !== undefined && <ErrorNotice error={error} />}
      <p className="quiet">{texts.fileSearchHelp}</p>
    </Section>
  );
}
