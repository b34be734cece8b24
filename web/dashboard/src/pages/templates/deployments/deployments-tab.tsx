import { useState } from "react";
import type { Deployment, Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { useSession } from "../../../app/session.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { CopyLine } from "../../../ui/copy-line.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState, ErrorNotice, ErrorState, Loading, Notice } from "../../../ui/states.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { useAction } from "../../../ui/use-action.ts";
import type { TemplateTabProps } from "../configuration.ts";
import { deploymentPath, useDeployments, useTemplate, useTemplateChanges, useVersions } from "../queries.ts";
import { DeploymentState } from "../state-badges.tsx";
import {
  CreateDeploymentDialog,
  DeactivateDialog,
  EditDeploymentDialog,
  RemoveDeploymentDialog,
} from "./deployment-dialogs.tsx";
import { servedWords } from "./deployment-form.tsx";
import { ScreenshotsDialog } from "./screenshots-dialog.tsx";

export function DeploymentsTab({ templateId }: TemplateTabProps) {
  const texts = useTexts("templates");
  const isArchived = useTemplate(templateId).data?.status === "ARCHIVED";
  const mayChange = useSession().can("click:write") && !isArchived;
  const [isCreating, setIsCreating] = useState(false);
  const create = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.createDeployment}
    </Button>
  );
  return (
    <>
      <div className="page-head">
        <p className="page-intro">{texts.deploymentsIntro}</p>
        {create}
      </div>
      <DeploymentList templateId={templateId} mayChange={mayChange} />
      {mayChange && (
        <CreateDeploymentDialog templateId={templateId} isOpen={isCreating} onClose={() => setIsCreating(false)} />
      )}
    </>
  );
}

function DeploymentList({ templateId, mayChange }: { readonly templateId: string; readonly mayChange: boolean }) {
  const texts = useTexts("templates");
  const { data: deployments, error, refetch } = useDeployments(templateId);
  const { data: versions = [] } = useVersions(templateId);
  if (deployments === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const columns: Column<Deployment>[] = [
    {
      id: "name",
      title: texts.deploymentName,
      cell: (deployment) => <DeploymentName deployment={deployment} />,
      width: "broad",
    },
    { id: "status", title: texts.status, cell: (deployment) => <StatusCell deployment={deployment} /> },
    {
      id: "form",
      title: texts.displayMode,
      cell: (deployment) => <FormCell deployment={deployment} versions={versions} />,
    },
    {
      id: "origins",
      title: texts.originsTitle,
      cell: ({ allowedOrigins }) => (allowedOrigins.length === 0 ? texts.anyOrigin : allowedOrigins.join(", ")),
    },
    {
      id: "actions",
      title: "",
      cell: (deployment) => <DeploymentActions deployment={deployment} mayChange={mayChange} />,
    },
  ];
  return (
    <Table
      label={texts.tabNames.deployments}
      columns={columns}
      rows={deployments}
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          title={texts.noDeployments}
          text={mayChange ? texts.noDeploymentsText : texts.noDeploymentsReadOnly}
        />
      }
    />
  );
}

function DeploymentName({ deployment: { name, key, environment } }: { readonly deployment: Deployment }) {
  const texts = useTexts("templates");
  return (
    <>
      {name}
      <div className="template-aside">
        {texts.environments[environment]}
        <br />
        <code>{key}</code>
      </div>
    </>
  );
}

function StatusCell({ deployment }: { readonly deployment: Deployment }) {
  const texts = useTexts("templates");
  const { status, activatedAt, deactivatedAt } = deployment;
  return (
    <div>
      <DeploymentState status={status} />
      {status !== "DRAFT" && (
        <div className="template-aside">
          {status === "ACTIVE" ? texts.activatedAt : texts.deactivatedAt}{" "}
          <Time value={status === "ACTIVE" ? activatedAt : deactivatedAt} />
        </div>
      )}
    </div>
  );
}

interface FormCellProps {
  readonly deployment: Deployment;
  readonly versions: readonly Version[];
}

function FormCell({ deployment, versions }: FormCellProps) {
  const texts = useTexts("templates");
  const { surface, displayMode, wrapType } = deployment;
  return (
    <div className="deployment-form">
      {texts.surfaces[surface]} · {texts.displayModes[displayMode]}
      <div className="template-aside">{texts.wrapTypes[wrapType]}</div>
      <div className="template-aside">{servedWords(deployment, versions, texts)}</div>
    </div>
  );
}

type Asked = "embed" | "screenshots" | "edit" | "deactivate" | "remove";

interface DeploymentActionsProps {
  readonly deployment: Deployment;
  readonly mayChange: boolean;
}

function DeploymentActions({ deployment, mayChange }: DeploymentActionsProps) {
  const texts = useTexts("templates");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const activate = useActivate(deployment);
  const isActive = deployment.status === "ACTIVE";
  const propsOf = (name: Asked) => ({ deployment, isOpen: asked === name, onClose: () => setAsked(undefined) });
  return (
    <div className="row-actions">
      {mayChange && !isActive && (
        <Button isBusy={activate.isBusy} onPress={() => void activate.run()}>
          {texts.activate}
        </Button>
      )}
      <Button onPress={() => setAsked("embed")}>{texts.embed}</Button>
      <Button onPress={() => setAsked("screenshots")}>{texts.screenshots}</Button>
      {mayChange && <Button onPress={() => setAsked("edit")}>{texts.edit}</Button>}
      {can("click:write") && isActive && <Button onPress={() => setAsked("deactivate")}>{texts.deactivate}</Button>}
      {can("click:admin") && !isActive && (
        <Button kind="danger" onPress={() => setAsked("remove")}>
          {texts.remove}
        </Button>
      )}
      {activate.error !== undefined && <ErrorNotice error={activate.error} />}
      <EmbedDialog {...propsOf("embed")} />
      <ScreenshotsDialog {...propsOf("screenshots")} mayChange={mayChange} />
      <EditDeploymentDialog {...propsOf("edit")} />
      <DeactivateDialog {...propsOf("deactivate")} />
      <RemoveDeploymentDialog {...propsOf("remove")} />
    </div>
  );
}

function useActivate(deployment: Deployment) {
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  return useAction(async () => {
    await api.send("POST", `${deploymentPath(deployment)}/activate`);
    await templateChanged(deployment.templateId);
  });
}

interface EmbedDialogProps {
  readonly deployment: Deployment;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** How the text comes onto a page of the organization. */
function EmbedDialog({ deployment, isOpen, onClose }: EmbedDialogProps) {
  const texts = useTexts("templates");
  const isActive = deployment.status === "ACTIVE";
  return (
    <Dialog title={texts.embedTitle(deployment.name)} isOpen={isOpen} onClose={onClose}>
      {!isActive && <Notice tone="warning">{texts.embedInactive}</Notice>}
      <p>{texts.embedText}</p>
      <h3>{texts.embedPage}</h3>
      <CopyLine text={embedLines(deployment)} />
      <h3>{texts.embedSession}</h3>
      <CopyLine text={createSessionLine(deployment)} />
      {isActive && (
        <p>
          <a href={pageAddress(deployment)} target="_blank" rel="noreferrer">
            {texts.openPage} <span className="unseen">({texts.opensNewTab})</span>
          </a>
        </p>
      )}
    </Dialog>
  );
}

const origin = (): string => window.location.origin;
const renderPath = ({ key }: Deployment): string => `/v1/click/render/${encodeURIComponent(key)}`;

/** Ready to be pasted into a page; the backend fills in where the rendering of its session is. */
const embedLines = (deployment: Deployment): string =>
  [
    `<div id="agreement"></div>`,
    `<script src="${origin()}${renderPath(deployment)}/embed.js"`,
    `  data-url="RENDER_URL"`,
    `  data-target="#agreement"`,
    `  data-accept-url="/your-backend/accept"></script>`,
  ].join("\n");

/** Ready to be pasted into a shell that has an API key. */
function createSessionLine({ id, templateId }: Deployment): string {
  const body = JSON.stringify({ templateId, deploymentId: id, userRef: "user-42" }, undefined, 2);
  return [
    `curl -X POST ${origin()}/v1/click/sessions \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join("\n");
}

/** What it serves, as a whole page for whoever is signed in here. */
const pageAddress = (deployment: Deployment): string => `${renderPath(deployment)}?format=html`;
