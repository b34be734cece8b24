import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PageHost } from "#api/brands.ts";
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

const hostsPath = "/v1/sign/page-hosts";

/** At which names of the organization its pages are, and what their DNS lacks. */
export function PageHosts({ mayChange }: { readonly mayChange: boolean }) {
  const texts = useTexts("pageHosts");
  const api = useApi();
  const hosts = useQuery({ queryKey: [hostsPath], queryFn: () => api.get<PageHost[]>(hostsPath) });
  const [isAdding, setIsAdding] = useState(false);
  const add = mayChange && <Button onPress={() => setIsAdding(true)}>{texts.add}</Button>;
  return (
    <Section title={texts.title} intro={texts.intro} actions={add}>
      <Loaded query={hosts}>
        {(all) => (
          <>
            {all.length === 0 && <p>{texts.none}</p>}
            {all.map((one) => (
              <Host key={one.id} pageHost={one} mayChange={mayChange} />
            ))}
          </>
        )}
      </Loaded>
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

function Host({ pageHost, mayChange }: { readonly pageHost: PageHost; readonly mayChange: boolean }) {
  const texts = useTexts("pageHosts");
  const domainTexts = useTexts("senderDomains");
  const { id, host, status, isUsed, records, checkedAt } = pageHost;
  const api = useApi();
  const queries = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const changed = () => queries.invalidateQueries({ queryKey: [hostsPath] });
  const check = useAction(() => api.send("POST", `${hostsPath}/${id}/check`).finally(changed));
  return (
    <article className="sender-domain" aria-label={host}>
      <h3 className="brand-name">
        {host}
        <Badge tone={tones[status]}>{domainTexts.states[status]}</Badge>
        {isUsed && <Badge tone="success">{domainTexts.inUse}</Badge>}
      </h3>
      <p className="quiet">
        {texts.explained[status]} {checkedAt !== null && domainTexts.checked}{" "}
        {checkedAt !== null && <RelativeTime value={checkedAt} />}
      </p>
      {records.map(({ purpose, type, name, value, status: found }) => (
        <section key={purpose} className="sender-record" aria-label={domainTexts.purposes[purpose]}>
          <h4 className="brand-name">
            {domainTexts.purposes[purpose]}
            <Badge tone={tones[found]}>{domainTexts.found[found]}</Badge>
          </h4>
          <p className="quiet">{domainTexts.record(type)}</p>
          <CopyLine text={name} />
          <CopyLine text={value} />
        </section>
      ))}
      {check.error !== undefined && <ErrorNotice error={check.error} />}
      {mayChange && (
        <div className="form-buttons">
          <Button isBusy={check.isBusy} aria-label={texts.checkOf(host)} onPress={() => void check.run()}>
            {texts.check}
          </Button>
          <Button kind="quiet" aria-label={domainTexts.removeOf(host)} onPress={() => setIsDeleting(true)}>
            {domainTexts.remove}
          </Button>
        </div>
      )}
      {isDeleting && (
        <ConfirmDialog
          isOpen
          title={texts.deleteTitle(host)}
          text={texts.deleteText}
          action={domainTexts.remove}
          onConfirm={async () => {
            await api.send("DELETE", `${hostsPath}/${id}`);
            await changed();
          }}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </article>
  );
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("pageHosts");
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Dialog title={texts.addTitle} isOpen onClose={onClose}>
      <Form
        submit={texts.add}
        onCancel={onClose}
        onSubmit={async (values) => {
          const asked = api.send("POST", hostsPath, { host: values.text("host").trim() });
          await atField(asked, { code: "PAGE_HOST_EXISTS", field: "host", message: texts.exists });
          await queries.invalidateQueries({ queryKey: [hostsPath] });
          onClose();
        }}
      >
        <TextField name="host" label={texts.host} hint={texts.hostHint} maxLength={253} isRequired autoFocus />
      </Form>
    </Dialog>
  );
}
