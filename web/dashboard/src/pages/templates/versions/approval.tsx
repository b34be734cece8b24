import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ApprovalRequest, VersionApproval } from "#api/approvals.ts";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { Link } from "../../../app/router.tsx";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { Section } from "../../../ui/page.tsx";
import type { Tone } from "../../../ui/states.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { Time } from "../../../ui/time.tsx";
import { languageName } from "../configuration.ts";
import { useApproval, useTemplateChanges, versionPath } from "../queries.ts";

const tones: Readonly<Record<VersionApproval["status"], Tone>> = {
  NONE: "warning",
  OUTDATED: "warning",
  REQUESTED: "info",
  APPROVED: "success",
  REFUSED: "danger",
};

/** Whether the text that would be published is approved, while that matters or somebody has asked. */
export function ApprovalNote({ version }: { readonly version: Version }) {
  const texts = useTexts("templates");
  const { data: approval } = useApproval(version);
  const nameOf = useNames(approval?.people);
  if (!matters(approval)) return null;
  const { status, note, reason, requestedBy, requestedAt, decidedBy, decidedAt } = approval;
  return (
    <div className="template-aside">
      <Badge tone={tones[status]}>{texts.approvals[status]}</Badge>
      {status === "REQUESTED" && (
        <Words who={texts.askedBy(nameOf(requestedBy))} at={requestedAt}>
          {note}
        </Words>
      )}
      {(status === "APPROVED" || status === "REFUSED") && (
        <Words who={texts.decidedBy(nameOf(decidedBy))} at={decidedAt}>
          {reason}
        </Words>
      )}
    </div>
  );
}

interface WordsProps {
  readonly who: string;
  readonly at: string | null;
  readonly children: string | null;
}

const Words = ({ who, at, children }: WordsProps) => (
  <>
    {" "}
    {who}, <Time value={at} />
    {children && <div>“{children}”</div>}
  </>
);

const matters = (approval: VersionApproval | undefined): approval is VersionApproval =>
  approval !== undefined && approval.textHash !== null && (approval.required || approval.status !== "NONE");

/** Names oneself; others are people or programs. */
function useNames(people: VersionApproval["people"] = []) {
  const { you, somebodyElse, aProgram } = useTexts("templates");
  const { user } = useSession();
  return (name: string | null): string => {
    if (name === `user:${user.id}`) return you;
    if (name?.startsWith("user:") !== true) return aProgram;
    return people.find(({ id }) => name === id)?.name || somebodyElse;
  };
}

/** Whether the person who is signed in is somebody else than who has written a text and who has asked about it. */
function useMayDecide() {
  const { user, can } = useSession();
  const own = `user:${user.id}`;
  return ({ authors, requestedBy }: Pick<VersionApproval, "authors" | "requestedBy">): boolean =>
    can("dashboard:write") && requestedBy !== own && !authors.includes(own);
}

type Asked = "ask" | "approve" | "refuse";

/** What can be done about the approval of a text, by whoever may. */
export function ApprovalActions({ version }: { readonly version: Version }) {
  const texts = useTexts("templates");
  const { data: approval } = useApproval(version);
  const mayDecide = useMayDecide();
  const [asked, setAsked] = useState<Asked>();
  if (!matters(approval)) return null;
  const { status } = approval;
  const isWaiting = status === "REQUESTED";
  const propsOf = (name: Asked) => ({ version, approval, isOpen: asked === name, onClose: () => setAsked(undefined) });
  return (
    <>
      {!isWaiting && status !== "APPROVED" && (
        <Button kind="primary" onPress={() => setAsked("ask")}>
          {texts.askApproval}
        </Button>
      )}
      {isWaiting && mayDecide(approval) && (
        <Button kind="primary" onPress={() => setAsked("approve")}>
          {texts.approve}
        </Button>
      )}
      {(isWaiting || (status === "APPROVED" && version.schedule === null)) && mayDecide(approval) && (
        <Button onPress={() => setAsked("refuse")}>{texts.refuse}</Button>
      )}
      <ApprovalDialog {...propsOf("ask")} title={texts.askApproval} path="approval-requests" field="note">
        {texts.askApprovalText}
      </ApprovalDialog>
      <ApprovalDialog {...propsOf("approve")} title={texts.approve} path="approve" field="reason">
        {texts.approveText}
      </ApprovalDialog>
      <ApprovalDialog {...propsOf("refuse")} title={texts.refuse} path="refuse" field="reason" isRequired>
        {texts.refuseText}
      </ApprovalDialog>
    </>
  );
}

interface ApprovalDialogProps {
  readonly version: Version;
  readonly approval: VersionApproval;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly path: "approval-requests" | "approve" | "refuse";
  /** Where the words are sent. */
  readonly field: "note" | "reason";
  readonly isRequired?: boolean;
  readonly children: ReactNode;
}

function ApprovalDialog({ version, isOpen, onClose, title, children, ...rest }: ApprovalDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{children}</p>
      <ApprovalForm {...{ version, onClose, title }} {...rest} />
    </Dialog>
  );
}

/** What was saved since it was shown is asked about and decided on by nobody. */
function ApprovalForm(props: Omit<ApprovalDialogProps, "isOpen" | "children">) {
  const { version, approval, onClose, title, path, field, isRequired = false } = props;
  const texts = useTexts("templates");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  // The text that was on the page when the dialog was opened.
  const [textHash] = useState(approval.textHash);
  const send = async (values: FormValues) => {
    const words = values.text(field).trim() || null;
    try {
      await api.send("POST", `${versionPath(version)}/${path}`, { textHash, [field]: words });
    } finally {
      await templateChanged(version.templateId);
    }
    onClose();
  };
  return (
    <Form submit={title} kind={path === "refuse" ? "danger" : "primary"} onSubmit={send} onCancel={onClose}>
      <TextField
        name={field}
        label={path === "refuse" ? texts.refusalReason : texts.approvalNote}
        isRequired={isRequired}
        maxLength={2_000}
        rows={2}
      />
    </Form>
  );
}

/** The texts that wait for the person who is signed in; nothing when none does. */
export function WaitingTexts() {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const api = useApi();
  const mayDecide = useMayDecide();
  const { data: requests = [] } = useQuery({
    queryKey: ["templates", "list", "waiting"],
    queryFn: () => api.get<ApprovalRequest[]>("/v1/click/approval-requests?limit=200"),
  });
  const waiting = requests.filter(mayDecide);
  if (waiting.length === 0) return null;
  return (
    <Section title={texts.waitingTitle} intro={texts.waitingIntro}>
      <ul>
        {waiting.map(({ templateId, templateName, versionId, locale: language, note, requestedAt }) => (
          <li key={versionId}>
            <Link to={`/templates/${templateId}/versions`}>
              {templateName} ({languageName(language, locale)})
            </Link>{" "}
            <span className="template-aside">
              <Time value={requestedAt} /> {note && `“${note}”`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
