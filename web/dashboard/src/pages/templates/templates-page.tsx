import "./templates.css";
import { useEffect, useMemo, useState } from "react";
import type { Template } from "#api/templates.ts";
import { useApi } from "../../api/client.ts";
import { useNavigate, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { templateStatuses } from "./configuration.ts";
import { type TemplateFilter, useTemplateChanges } from "./queries.ts";
import { TemplateForm, type TemplateValues } from "./template-form.tsx";
import { TemplateList } from "./template-list.tsx";
import { WaitingTexts } from "./versions/approval.tsx";

export function TemplatesPage() {
  const texts = useTexts("templates");
  const mayWrite = useSession().can("click:write");
  const [isCreating, setIsCreating] = useState(false);
  const filter = useTemplateFilter();
  const create = (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={mayWrite && create}>
      <WaitingTexts />
      <TemplateFilters filter={filter} />
      <TemplateList filter={filter} />
      {mayWrite && <CreateTemplateDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

interface CreateTemplateDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Leads to the new template, whose text is written next. */
function CreateTemplateDialog({ isOpen, onClose }: CreateTemplateDialogProps) {
  const texts = useTexts("templates");
  const api = useApi();
  const navigate = useNavigate();
  const { listChanged } = useTemplateChanges();
  const create = async (values: TemplateValues) => {
    const { id } = await api.send<Template>("POST", "/v1/click/templates", values);
    onClose();
    navigate(`/templates/${id}`);
    await listChanged();
  };
  return (
    <Dialog title={texts.createTitle} isOpen={isOpen} onClose={onClose}>
      <TemplateForm submit={texts.create} onSubmit={create} onCancel={onClose} />
    </Dialog>
  );
}

/** As it is in the address of the page, so that it can be kept and sent to somebody. */
function useTemplateFilter(): TemplateFilter {
  const search = useSearch();
  return useMemo(
    () => ({
      search: search.get("search") || undefined,
      status: templateStatuses.find((status) => status === search.get("status")),
    }),
    [search],
  );
}

function TemplateFilters({ filter }: { readonly filter: TemplateFilter }) {
  const texts = useTexts("templates");
  const navigate = useNavigate();
  const show = ({ search, status }: TemplateFilter) => {
    const wanted = new URLSearchParams();
    if (search) wanted.set("search", search);
    if (status) wanted.set("status", status);
    navigate(`/templates${wanted.size === 0 ? "" : `?${wanted}`}`, { replace: true });
  };
  const options = [
    { id: anything, label: texts.anyStatus },
    ...templateStatuses.map((id) => ({ id, label: texts.states[id] })),
  ];
  return (
    <search className="template-filters">
      <SearchField value={filter.search ?? ""} onSearch={(search) => show({ ...filter, search })} />
      <Select
        label={texts.status}
        options={options}
        value={filter.status ?? anything}
        onChange={(key) => show({ ...filter, status: key === anything ? undefined : String(key) })}
      />
      {(filter.search || filter.status) && <Button onPress={() => show({})}>{texts.clearFilters}</Button>}
    </search>
  );
}

const anything = "*";
const pauseMs = 300;

interface SearchFieldProps {
  readonly value: string;
  readonly onSearch: (search: string) => void;
}

/** Searches when the typing pauses. */
function SearchField({ value, onSearch }: SearchFieldProps) {
  const texts = useTexts("templates");
  const [typed, setTyped] = useState(value);
  // Cleared, or led back to, from elsewhere; a space that was just typed stays.
  useEffect(() => setTyped((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onSearch(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <TextField
      type="search"
      label={texts.search}
      placeholder={texts.searchHelp}
      value={typed}
      onChange={setTyped}
      maxLength={255}
    />
  );
}
