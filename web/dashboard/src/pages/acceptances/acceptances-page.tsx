import "./acceptances.css";
import { useEffect, useMemo, useState } from "react";
import { type Api, useApi } from "../../api/client.ts";
import { ApiError, wrongInput } from "../../api/errors.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues, RadioGroup } from "../../ui/form.tsx";
import { localOf, momentOf } from "../../ui/local-time.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { ReceiptList } from "./parts.tsx";
import { type ReceiptFilter, receiptPath, useTemplateNames } from "./queries.ts";

const pageSize = 25;

/** The search is in the address of the page, so that it can be kept and sent to somebody. */
export function AcceptancesPage() {
  const texts = useTexts("acceptances");
  const search = useSearch();
  const filter = useMemo(() => filterIn(search), [search]);
  const isNarrowed = Object.values(filter).some(Boolean);
  const mayExport = useSession().can("privacy:admin");
  return (
    <Page title={texts.title} intro={texts.intro} actions={mayExport && <ExportButton filter={filter} />}>
      <ReceiptSearch filter={filter} isNarrowed={isNarrowed} />
      <ReceiptList
        filter={filter}
        pageSize={pageSize}
        empty={isNarrowed ? <EmptyState title={texts.noMatchTitle} text={texts.noMatchText} /> : <NothingAccepted />}
      />
    </Page>
  );
}

const filterIn = (search: URLSearchParams): ReceiptFilter =>
  Object.fromEntries(filterNames.map((name) => [name, search.get(name) || undefined]));

function NothingAccepted() {
  const texts = useTexts("acceptances");
  const mayAccept = useSession().can("click:write");
  if (!mayAccept) return <EmptyState title={texts.noneTitle} text={texts.noneReadOnly} />;
  return <EmptyState title={texts.noneTitle} text={texts.noneText} action={<CopyLine text={acceptLine()} />} />;
}

/** Ready to be pasted into a shell that has an API key and the name of a published text. */
function acceptLine(): string {
  const headers = `-H "Authorization: Bearer $API_KEY" -H "X-Idempotency-Key: $(uuidgen)"`;
  const body = '{"templateSlug":"terms-of-service","userRef":"user-42","action":"CHECKBOX_AND_BUTTON"}';
  return `curl -X POST ${window.location.origin}/v1/click/accept ${headers} -H "Content-Type: application/json" -d '${body}'`;
}

const filterNames = ["userRef", "templateId", "versionId", "revision", "from", "to"] as const;

/** Asks for all that the search finds as a file, which is then made on the page of exports. */
function ExportButton({ filter: { revision, ...filter } }: { readonly filter: ReceiptFilter }) {
  const texts = useTexts("acceptances");
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const ask = async (values: FormValues) => {
    const acceptances = { format: values.text("format"), ...filter, ...(revision && { revision: Number(revision) }) };
    await sendOnce("/v1/privacy/exports", { acceptances });
    navigate("/privacy/exports");
  };
  const formats = [
    { id: "csv", label: "CSV", hint: texts.csvHelp },
    { id: "jsonl", label: "JSON Lines", hint: texts.jsonlHelp },
  ];
  return (
    <>
      <Button onPress={() => setIsAsking(true)}>{texts.export}</Button>
      <Dialog title={texts.exportTitle} isOpen={isAsking} onClose={close}>
        <Form submit={texts.export} onSubmit={ask} onCancel={close}>
          <p>{texts.exportText}</p>
          <RadioGroup name="format" label={texts.exportFormat} options={formats} defaultValue="csv" />
        </Form>
      </Dialog>
    </>
  );
}

interface ReceiptSearchProps {
  readonly filter: ReceiptFilter;
  readonly isNarrowed: boolean;
}

/** By person, text and time; the number of a receipt leads to it. */
function ReceiptSearch({ filter, isNarrowed }: ReceiptSearchProps) {
  const texts = useTexts("acceptances");
  const { timeZone } = useLanguage();
  const api = useApi();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(filter, timeZone));
  useEffect(() => setDraft(draftOf(filter, timeZone)), [filter, timeZone]);
  const field = (name: keyof Draft) => ({
    name,
    value: draft[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const { versionId, revision } = filter;
  const search = async () => {
    const found = filterOf(draft, timeZone, texts);
    // A version, which the statistics lead to, belongs to the text that was chosen then.
    const wanted = found.templateId === filter.templateId ? { ...found, versionId, revision } : found;
    if (wanted.userRef !== undefined && (await isReceipt(api, wanted.userRef))) {
      navigate(`/acceptances/receipts/${wanted.userRef}`);
      return;
    }
    navigate(addressOf(wanted), { replace: true });
  };
  const clear = isNarrowed && (
    <Button onPress={() => navigate("/acceptances", { replace: true })}>{texts.clear}</Button>
  );
  return (
    <search className="receipt-search">
      <Form asksBeforeLeaving={false} submit={texts.search} onSubmit={search} aside={clear}>
        <TextField {...field("userRef")} type="search" label={texts.find} hint={texts.findHelp} maxLength={255} />
        <TemplateChoice value={draft.templateId} onChange={(templateId) => setDraft({ ...draft, templateId })} />
        <TextField {...field("from")} type="datetime-local" label={texts.from} hint={texts.inZone(timeZone)} />
        <TextField {...field("to")} type="datetime-local" label={texts.to} />
      </Form>
      {versionId && <p className="quiet">{texts.onlyVersion(revision)}</p>}
      <p>
        <Link to={filter.templateId ? `/templates/${filter.templateId}/statistics` : "/templates"}>
          {texts.whoAccepted(filter.templateId !== undefined)}
        </Link>
      </p>
    </search>
  );
}

const anything = "*";

function TemplateChoice({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const texts = useTexts("acceptances");
  const { data: templates = [] } = useTemplateNames();
  const known = templates.map(({ id, name }) => ({ id, label: name }));
  // What the address names is chosen, also when the list does not have it.
  const named = value === "" || known.some(({ id }) => id === value) ? [] : [{ id: value, label: value }];
  return (
    <Select
      label={texts.template}
      options={[{ id: anything, label: texts.anyTemplate }, ...named, ...known]}
      value={value || anything}
      onChange={(key) => onChange(key === anything ? "" : String(key))}
    />
  );
}

/** What the fields hold. */
interface Draft {
  readonly userRef: string;
  readonly templateId: string;
  /** As the clocks of the person show it. */
  readonly from: string;
  readonly to: string;
}

function draftOf({ userRef = "", templateId = "", from, to }: ReceiptFilter, timeZone: string): Draft {
  const local = (moment: string | undefined): string => {
    const date = new Date(moment ?? "");
    return Number.isNaN(date.getTime()) ? "" : localOf(date, timeZone);
  };
  return { userRef, templateId, from: local(from), to: local(to) };
}

type Words = Readonly<Record<"badTime" | "badRange", string>>;

/** Throws what the form shows at its fields. */
function filterOf(draft: Draft, timeZone: string, { badTime, badRange }: Words): ReceiptFilter {
  const moment = (name: "from" | "to"): string | undefined => {
    if (draft[name] === "") return undefined;
    const found = momentOf(draft[name], timeZone);
    if (found === undefined) throw wrongInput(badTime, name);
    return found.toISOString();
  };
  const [from, to] = [moment("from"), moment("to")];
  if (from !== undefined && to !== undefined && to <= from) throw wrongInput(badRange, "to");
  return { userRef: draft.userRef || undefined, templateId: draft.templateId || undefined, from, to };
}

function addressOf(wanted: ReceiptFilter): string {
  const search = new URLSearchParams();
  for (const name of filterNames) if (wanted[name]) search.set(name, wanted[name]);
  return `/acceptances${search.size === 0 ? "" : `?${search}`}`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Names of persons may look like receipt ids, so the page checks whether such a receipt exists. */
async function isReceipt(api: Api, text: string): Promise<boolean> {
  if (text.length !== 36 || !uuid.test(text)) return false;
  try {
    await api.get(receiptPath(text));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
