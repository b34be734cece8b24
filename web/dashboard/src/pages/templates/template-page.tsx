import "./templates.css";
import { type ComponentType, lazy, Suspense, useState } from "react";
import type { Template } from "#api/templates.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { LinkTabs, Page } from "../../ui/page.tsx";
import { ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { NotFoundPage } from "../not-found/not-found-page.tsx";
import type { TemplateTabProps } from "./configuration.ts";
import { templatePath, useTemplate, useTemplateChanges } from "./queries.ts";
import { TemplateState } from "./state-badges.tsx";
import { TemplateForm, type TemplateValues } from "./template-form.tsx";
import { useBulkChanges } from "./use-bulk-changes.ts";

/** Each is loaded when it is shown first: the editor alone is larger than the rest of the page. */
const tabs = {
  content: later(async () => (await import("./content/content-tab.tsx")).ContentTab),
  policy: later(async () => (await import("./policy/policy-tab.tsx")).PolicyTab),
  versions: later(async () => (await import("./versions/versions-tab.tsx")).VersionsTab),
  deployments: later(async () => (await import("./deployments/deployments-tab.tsx")).DeploymentsTab),
  statistics: later(async () => (await import("./statistics/statistics-tab.tsx")).StatisticsTab),
} as const;

type TabName = keyof typeof tabs;
const names = Object.keys(tabs) as TabName[];

export function TemplatePage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const wanted = params.get("tab") ?? "content";
  const current = names.find((name) => name === wanted);
  return current === undefined ? <NotFoundPage /> : <ShownTemplate id={id} current={current} />;
}

function ShownTemplate({ id, current }: { readonly id: string; readonly current: TabName }) {
  const texts = useTexts("templates");
  const { data: template, error, refetch } = useTemplate(id);
  const Tab = tabs[current];
  return (
    <Page
      title={template?.name ?? texts.template}
      intro={<Link to="/templates">{texts.backToTemplates}</Link>}
      actions={template && <TemplateActions template={template} />}
    >
      {template === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {template !== undefined && (
        <>
          <TemplateHead template={template} />
          <LinkTabs
            label={texts.tabs}
            tabs={names.map((name) => ({
              to: addressOf(id, name),
              text: texts.tabNames[name],
              isCurrent: name === current,
            }))}
          />
          <Suspense fallback={<Loading />}>
            <Tab templateId={id} />
          </Suspense>
        </>
      )}
    </Page>
  );
}

function addressOf(id: string, name: TabName): string {
  const page = `/templates/${encodeURIComponent(id)}`;
  return name === "content" ? page : `${page}/${name}`;
}

function later(load: () => Promise<ComponentType<TemplateTabProps>>) {
  return lazy(async () => ({ default: await load() }));
}

/** What a template is, in one line above its tabs. */
function TemplateHead({ template }: { readonly template: Template }) {
  const texts = useTexts("templates");
  const { slug, type, description, updatedAt, defaultLocale } = template;
  return (
    <div className="template-head">
      <p className="template-line">
        <TemplateState status={template.status} />
        <Badge>{texts.types[type]}</Badge>
        <code title={texts.slug}>{slug}</code>
        <span>
          {texts.defaultLocale} <code>{defaultLocale}</code>
        </span>
        <span>
          {texts.updated} <RelativeTime value={updatedAt} />
        </span>
      </p>
      {description && <p>{description}</p>}
      {template.status === "ARCHIVED" && <Notice>{texts.archivedNotice}</Notice>}
    </div>
  );
}

type Asked = "edit" | "duplicate" | "archive" | "remove";

interface ActionProps {
  readonly template: Template;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What is done with a template as a whole. */
function TemplateActions({ template }: { readonly template: Template }) {
  const texts = useTexts("templates");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const restore = useRestore(template);
  const propsOf = (name: Asked) => ({ template, isOpen: asked === name, onClose: () => setAsked(undefined) });
  const isArchived = template.status === "ARCHIVED";
  if (!can("click:write")) return null;
  return (
    <>
      {isArchived ? (
        <Button kind="primary" isBusy={restore.isBusy} onPress={() => void restore.run()}>
          {texts.restore}
        </Button>
      ) : (
        <Button onPress={() => setAsked("edit")}>{texts.edit}</Button>
      )}
      {can("click:admin") && (
        <>
          <Button onPress={() => setAsked("duplicate")}>{texts.duplicate}</Button>
          {!isArchived && <Button onPress={() => setAsked("archive")}>{texts.archive}</Button>}
          <Button kind="danger" onPress={() => setAsked("remove")}>
            {texts.remove}
          </Button>
          <DuplicateDialog {...propsOf("duplicate")} />
          <ArchiveDialog {...propsOf("archive")} />
          <RemoveDialog {...propsOf("remove")} />
        </>
      )}
      {restore.error !== undefined && <ErrorNotice error={restore.error} />}
      <EditDialog {...propsOf("edit")} />
    </>
  );
}

function useRestore({ id }: Template) {
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  return useAction(async () => {
    await api.send("PATCH", templatePath(id), { status: "DRAFT" });
    await templateChanged(id);
  });
}

function EditDialog({ template, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const { save } = useTexts("common");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const send = async (values: TemplateValues) => {
    await api.send("PATCH", templatePath(template.id), values);
    await templateChanged(template.id);
    onClose();
  };
  return (
    <Dialog title={texts.editTitle} isOpen={isOpen} onClose={onClose}>
      <TemplateForm template={template} submit={save} onSubmit={send} onCancel={onClose} />
    </Dialog>
  );
}

function DuplicateDialog({ template, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const navigate = useNavigate();
  const { duplicate } = useBulkChanges();
  const send = async (values: FormValues) => {
    const { copies = [] } = await duplicate([template], values.text("name").trim());
    const [copy] = copies;
    if (copy === undefined) throw wrongInput(texts.skipReasons.not_found);
    onClose();
    navigate(`/templates/${copy.newId}`);
  };
  return (
    <Dialog title={texts.duplicateTitle} isOpen={isOpen} onClose={onClose}>
      <p>{texts.duplicateText}</p>
      <Form submit={texts.duplicate} onSubmit={send} onCancel={onClose}>
        <TextField
          name="name"
          label={texts.duplicateName}
          defaultValue={texts.namePatternDefault.replace("{name}", template.name)}
          isRequired
          maxLength={255}
        />
      </Form>
    </Dialog>
  );
}

function ArchiveDialog({ template, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const { archive } = useBulkChanges();
  const confirm = async () => {
    const [skipped] = (await archive([template])).skipped;
    if (skipped !== undefined) throw wrongInput(`${template.name}: ${texts.skipReasons[skipped.reason]}`);
  };
  return (
    <ConfirmDialog
      title={texts.archiveTitle}
      text={texts.archiveText(template.name)}
      action={texts.archive}
      isOpen={isOpen}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function RemoveDialog({ template, isOpen, onClose }: ActionProps) {
  const texts = useTexts("templates");
  const api = useApi();
  const navigate = useNavigate();
  const { templateGone } = useTemplateChanges();
  const remove = async () => {
    await api.send("DELETE", templatePath(template.id));
    navigate("/templates", { replace: true });
    await templateGone(template.id);
  };
  return (
    <ConfirmDialog
      title={texts.removeTitle}
      text={texts.removeText(template.name)}
      action={texts.remove}
      isOpen={isOpen}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
