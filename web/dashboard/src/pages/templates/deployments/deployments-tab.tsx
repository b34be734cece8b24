import { useState } from "react";
import type { Deployment, Version } from "#api/templates.ts";
import { useSession } from "../../../app/session.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { useDeployments, useTemplate, useVersions } from "../queries.ts";
import { DeploymentState } from "../state-badges.tsx";
import type { TemplateTabProps } from "../template-tab.ts";
import { DeploymentActions } from "./deployment-actions.tsx";
import { CreateDeploymentDialog } from "./deployment-dialogs.tsx";
import { servedWords } from "./served-version.ts";

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
