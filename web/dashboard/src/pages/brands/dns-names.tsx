import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { PageHost, SenderDomain } from "#api/brands.ts";
import { useApi } from "../../api/client.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { ErrorNotice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { atField, Loaded } from "../access/parts.tsx";
import { tones } from "./tones.ts";

interface SectionProps {
  readonly mayChange: boolean;
}

const domainsPath = "/v1/sign/sender-domains";

/** Which domains mails come from, and what their DNS lacks. */
export function SenderDomains({ mayChange }: SectionProps) {
  const texts = useTexts("senderDomains");
  return (
    <DnsNames<SenderDomain>
      {...{ texts, mayChange, path: domainsPath }}
      nameOf={({ mailbox, domain }) => `${mailbox}@${domain}`}
      isInUse={({ isSender }) => isSender}
      addition={{
        taken: { code: "SENDER_DOMAIN_EXISTS", field: "domain", message: texts.exists },
        bodyOf: (text) => ({ domain: text("domain").trim(), mailbox: text("mailbox").trim() || null }),
        fields: (
          <>
            <TextField
              name="domain"
              label={texts.domain}
              hint={texts.domainHint}
              maxLength={253}
              isRequired
              autoFocus
            />
            <TextField name="mailbox" label={texts.mailbox} hint={texts.mailboxHint} maxLength={64} />
          </>
        ),
      }}
    />
  );
}

const hostsPath = "/v1/sign/page-hosts";

/** At which names of the organization its pages are, and what their DNS lacks. */
export function PageHosts({ mayChange }: SectionProps) {
  const texts = useTexts("pageHosts");
  return (
    <DnsNames<PageHost>
      {...{ texts, mayChange, path: hostsPath }}
      nameOf={({ host }) => host}
      isInUse={({ isUsed }) => isUsed}
      addition={{
        taken: { code: "PAGE_HOST_EXISTS", field: "host", message: texts.exists },
        bodyOf: (text) => ({ host: text("host").trim() }),
        fields: <TextField name="host" label={texts.host} hint={texts.hostHint} maxLength={253} isRequired autoFocus />,
      }}
    />
  );
}

type DnsName = SenderDomain | PageHost;
type Words = Record<"title" | "intro" | "add" | "addTitle" | "none" | "check" | "deleteText", string> & {
  readonly explained: Record<DnsName["status"], string>;
  readonly checkOf: (name: string) => string;
  readonly deleteTitle: (name: string) => string;
};

interface DnsNamesProps<One extends DnsName> extends SectionProps {
  readonly path: string;
  readonly texts: Words;
  readonly addition: Addition;
  nameOf(one: One): string;
  isInUse(one: One): boolean;
}

interface Addition {
  readonly taken: Parameters<typeof atField>[1];
  readonly fields: ReactNode;
  bodyOf(text: (field: string) => string): object;
}

/** Names that are the organization's once its DNS says so. */
function DnsNames<One extends DnsName>({ path, texts, mayChange, addition, nameOf, isInUse }: DnsNamesProps<One>) {
  const api = useApi();
  const names = useQuery({ queryKey: [path], queryFn: () => api.get<One[]>(path) });
  const [isAdding, setIsAdding] = useState(false);
  const add = mayChange && <Button onPress={() => setIsAdding(true)}>{texts.add}</Button>;
  return (
    <Section title={texts.title} intro={texts.intro} actions={add}>
      <Loaded query={names}>
        {(all) => (
          <>
            {all.length === 0 && <p>{texts.none}</p>}
            {all.map((one) => (
              <Name
                key={one.id}
                {...{ path, texts, mayChange, one }}
                {...{ name: nameOf(one), isInUse: isInUse(one) }}
              />
            ))}
          </>
        )}
      </Loaded>
      {isAdding && <AddDialog {...{ path, texts, addition }} onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

interface NameProps extends SectionProps {
  readonly path: string;
  readonly texts: Words;
  readonly one: DnsName;
  readonly name: string;
  readonly isInUse: boolean;
}

function Name({ path, texts, mayChange, one: { id, status, records, checkedAt }, name, isInUse }: NameProps) {
  const common = useTexts("senderDomains");
  const api = useApi();
  const queries = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const changed = () => queries.invalidateQueries({ queryKey: [path] });
  const check = useAction(() => api.send("POST", `${path}/${id}/check`).finally(changed));
  return (
    <article className="sender-domain" aria-label={name}>
      <h3 className="brand-name">
        {name}
        <Badge tone={tones[status]}>{common.states[status]}</Badge>
        {isInUse && <Badge tone="success">{common.inUse}</Badge>}
      </h3>
      <p className="quiet">
        {texts.explained[status]} {checkedAt !== null && common.checked}{" "}
        {checkedAt !== null && <RelativeTime value={checkedAt} />}
      </p>
      {records.map((record) => (
        <DnsRecord key={record.purpose} {...record} />
      ))}
      {check.error !== undefined && <ErrorNotice error={check.error} />}
      {mayChange && (
        <div className="form-buttons">
          <Button isBusy={check.isBusy} aria-label={texts.checkOf(name)} onPress={() => void check.run()}>
            {texts.check}
          </Button>
          <Button kind="quiet" aria-label={common.removeOf(name)} onPress={() => setIsDeleting(true)}>
            {common.remove}
          </Button>
        </div>
      )}
      {isDeleting && (
        <ConfirmDialog
          isOpen
          title={texts.deleteTitle(name)}
          text={texts.deleteText}
          action={common.remove}
          onConfirm={async () => {
            await api.send("DELETE", `${path}/${id}`);
            await changed();
          }}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </article>
  );
}

function DnsRecord({ purpose, type, name, value, required, status }: DnsName["records"][number]) {
  const texts = useTexts("senderDomains");
  return (
    <section className="sender-record" aria-label={texts.purposes[purpose]}>
      <h4 className="brand-name">
        {texts.purposes[purpose]}
        <Badge tone={required ? tones[status] : status === "found" ? "success" : "info"}>{texts.found[status]}</Badge>
        {!required && <small>{texts.recommended}</small>}
      </h4>
      <p className="quiet">{texts.record(type)}</p>
      <CopyLine text={name} />
      <CopyLine text={value} />
      {purpose === "spf" && <p className="quiet">{texts.spfHint(value.split(" ")[1] ?? "")}</p>}
    </section>
  );
}

interface AddDialogProps {
  readonly path: string;
  readonly texts: Words;
  readonly addition: Addition;
  readonly onClose: () => void;
}

function AddDialog({ path, texts, addition, onClose }: AddDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Dialog title={texts.addTitle} isOpen onClose={onClose}>
      <Form
        submit={texts.add}
        onCancel={onClose}
        onSubmit={async (values) => {
          await atField(
            api.send(
              "POST",
              path,
              addition.bodyOf((field) => values.text(field)),
            ),
            addition.taken,
          );
          await queries.invalidateQueries({ queryKey: [path] });
          onClose();
        }}
      >
        {addition.fields}
      </Form>
    </Dialog>
  );
}
