import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PersonExport } from "#api/exports.ts";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { Loaded, RowButtons } from "../access/parts.tsx";
import { ExportSchedules } from "./export-schedules.tsx";
import { PersonFields, personIn } from "./people-tab.tsx";
import { type AskedExport, askedExportKey, pageSize, privacyKey, useActorNames, useRefresh } from "./queries.ts";

/** Copies of what is kept of people, to be given to them, and of all that the organization has. */
export function ExportsTab() {
  // Whom they are about is not stored in clear; who has just asked for them sees it until the page is left.
  const queries = useQueryClient();
  const [about, setAbout] = useState<About>(
    () => new Map(queries.getQueryData<readonly AskedExport[]>(askedExportKey)),
  );
  useEffect(() => queries.removeQueries({ queryKey: askedExportKey }), [queries]);
  return (
    <>
      <ExportList about={about} setAbout={setAbout} />
      <ExportSchedules />
    </>
  );
}

type About = ReadonlyMap<string, string>;

function ExportList({ about, setAbout }: { readonly about: About; readonly setAbout: (about: About) => void }) {
  const texts = useTexts("privacy");
  const exports = useExports();
  const [asking, setAsking] = useState<"person" | "organization">();
  const columns = useColumns(about);
  return (
    <Section
      title={texts.tabNames.exports}
      intro={texts.exportsIntro}
      actions={
        <>
          <Button onPress={() => setAsking("organization")}>{texts.askOrganizationExport}</Button>
          <Button kind="primary" onPress={() => setAsking("person")}>
            {texts.askExport}
          </Button>
        </>
      }
    >
      <Loaded query={exports}>
        {({ pages }) => (
          <Table
            label={texts.tabNames.exports}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.noExportTitle} text={texts.noExportText} />}
          />
        )}
      </Loaded>
      <MoreRows list={exports} />
      {asking === "person" && (
        <AskExportDialog
          onAsked={({ id }, person) => setAbout(new Map([...about, [id, person]]))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === "organization" && <AskOrganizationDialog onClose={() => setAsking(undefined)} />}
    </Section>
  );
}

/** Read again while one is being made. */
function useExports() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...privacyKey, "exports"],
    queryFn: ({ pageParam }) =>
      api.list<PersonExport>("/v1/privacy/exports", { limit: pageSize, cursor: pageParam || undefined }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === "pending")) ? 3_000 : false,
  });
}

const tones = { pending: "info", completed: "success", failed: "danger", expired: "warning" } as const;

function useColumns(about: ReadonlyMap<string, string>): readonly Column<PersonExport>[] {
  const texts = useTexts("privacy");
  const { locale } = useLanguage();
  const nameOf = useActorNames();
  const size = (bytes: number): string => {
    const [unit, of] = bytes < 1_000_000 ? (["kilobyte", 1_000] as const) : (["megabyte", 1_000_000] as const);
    return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 0 }).format(
      Math.ceil(bytes / of),
    );
  };
  return [
    {
      id: "asked",
      title: texts.exportAsked,
      cell: ({ id, kind, format, scheduleId, createdAt, createdBy }) => (
        <span className="stacked">
          <Time value={createdAt} />
          <small>
            {[
              kind === "person" ? about.get(id) : texts.exportKinds[kind],
              formatNames[format ?? ""],
              scheduleId === null ? nameOf(createdBy) : texts.scheduled,
            ]
              .filter(Boolean)
              .join(" · ")}
          </small>
        </span>
      ),
    },
    {
      id: "state",
      title: texts.state,
      cell: ({ status }) => <Badge tone={tones[status]}>{texts.exportStates[status]}</Badge>,
    },
    {
      id: "size",
      title: texts.exportSize,
      // While it is made: how far it has come.
      cell: ({ kind, status, files, bytes }) => {
        if (status !== "completed" && (status !== "pending" || files === 0)) return "–";
        return kind === "acceptances" ? size(bytes) : texts.exportFiles(files, size(bytes));
      },
    },
    {
      id: "until",
      title: texts.exportUntil,
      cell: ({ expiresAt }) => (expiresAt === null ? "–" : <RelativeTime value={expiresAt} />),
    },
    { id: "buttons", title: "", align: "end", cell: (made) => <Downloads made={made} /> },
  ];
}

const formatNames: Readonly<Record<string, string>> = { csv: "CSV", jsonl: "JSON Lines" };

function Downloads({ made: { id, contentUrl, parts, format } }: { readonly made: PersonExport }) {
  const texts = useTexts("privacy");
  if (contentUrl === null) return null;
  if (format !== null) {
    return (
      <RowButtons>
        <a className="button button-plain" href={contentUrl} download={`acceptances-${id}.${format}`}>
          <span>{texts.download}</span>
        </a>
      </RowButtons>
    );
  }
  return (
    <RowButtons>
      {Array.from({ length: parts }, (_, index) => index + 1).map((part) => (
        <a
          key={part}
          className="button button-plain"
          href={`${contentUrl}?part=${part}`}
          download={`export-${id}-${part}.zip`}
        >
          <span>{parts === 1 ? texts.download : texts.downloadPart(part)}</span>
        </a>
      ))}
    </RowButtons>
  );
}

interface AskExportProps {
  readonly onAsked: (made: PersonExport, person: string) => void;
  readonly onClose: () => void;
}

function AskExportDialog({ onAsked, onClose }: AskExportProps) {
  const texts = useTexts("privacy");
  const sendOnce = useSendOnce();
  const refresh = useRefresh();
  const ask = async (values: FormValues) => {
    const person = personIn(values, texts.nobodyNamed);
    onAsked(await sendOnce<PersonExport>("/v1/privacy/exports", person), Object.values(person).join(", "));
    await refresh();
    onClose();
  };
  return (
    <Dialog title={texts.askExport} isOpen onClose={onClose}>
      <Form submit={texts.askExport} onSubmit={ask} onCancel={onClose}>
        <p>{texts.askExportText}</p>
        <PersonFields />
      </Form>
    </Dialog>
  );
}

function AskOrganizationDialog({ onClose }: Pick<AskExportProps, "onClose">) {
  const texts = useTexts("privacy");
  const sendOnce = useSendOnce();
  const refresh = useRefresh();
  const ask = async () => {
    await sendOnce<PersonExport>("/v1/privacy/exports", { organization: true });
    await refresh();
    onClose();
  };
  return (
    <Dialog title={texts.askOrganizationExport} isOpen onClose={onClose}>
      <Form submit={texts.askOrganizationExport} onSubmit={ask} onCancel={onClose}>
        <p>{texts.askOrganizationExportText}</p>
      </Form>
    </Dialog>
  );
}
