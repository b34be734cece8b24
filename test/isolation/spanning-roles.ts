/** A role that is not locked to one organization, at least on one table. */
export interface SpanningRole {
  /** Why it must look across organizations, and what keeps it from telling one of another. */
  readonly reason: string;
  /** Its policies beside org_isolation; with their condition, unless they admit every row. */
  readonly policies: readonly string[];
  /** All that it may do: no more than its purpose needs. */
  readonly grants: readonly string[];
}

/** A new role, policy or grant of this kind has to be written down here, with its reason. */
export const spanningRoles: Readonly<Record<string, SpanningRole>> = {
  assent_auth_janitor: {
    reason:
      "Deletes what has expired, notes when credentials were last used and how often organizations call, and finds which mails, erasures, exports and deletions are due, for all organizations at once. Sees no secret, and nobody's name.",
    policies: [
      "auth.api_key uses_read (r)",
      "auth.api_key uses_write (w)",
      "auth.erasure due (*): (completed_at IS NULL)",
      "auth.export due (*)",
      "auth.export_schedule due (r): (run_at IS NOT NULL)",
      "auth.login_challenge purge (*)",
      "auth.mail_job due (*)",
      "auth.oauth_client uses_read (r)",
      "auth.oauth_client uses_write (w)",
      "auth.organization reported (r)",
      "auth.organization_deletion due (*): (run_at IS NOT NULL)",
      "auth.request_day reported (*)",
      "auth.revoked_token purge (*)",
      "auth.user_link purge (*)",
      "auth.user_session purge (*)",
    ],
    grants: [
      "auth.api_key: SELECT (key_id, last_used_at, organization_id), UPDATE (last_used_at)",
      "auth.change: DELETE, SELECT",
      "auth.erasure: SELECT (attempts, claim, claimed_until, completed_at, id, organization_id, run_at), UPDATE (attempts, claim, claimed_until)",
      "auth.export: SELECT (attempts, claim, claimed_until, id, organization_id, run_at), UPDATE (attempts, claim, claimed_until)",
      "auth.export_schedule: SELECT (id, organization_id, run_at)",
      "auth.gateway_report: DELETE, INSERT, SELECT",
      "auth.login_challenge: DELETE, SELECT (expires_at)",
      "auth.mail_job: SELECT (attempts, claim, claimed_until, job_id, organization_id, run_at), UPDATE (attempts, claim, claimed_until)",
      "auth.oauth_client: SELECT (client_id, last_used_at, organization_id), UPDATE (last_used_at)",
      "auth.organization: SELECT (organization_id)",
      "auth.organization_deletion: SELECT (attempts, claim, claimed_until, id, organization_id, run_at), UPDATE (attempts, claim, claimed_until)",
      "auth.request_day: DELETE, INSERT, SELECT, UPDATE (refused, requests)",
      "auth.revoked_token: DELETE, SELECT",
      "auth.signing_key: DELETE, SELECT (generation, signs_from)",
      "auth.user_link: DELETE, SELECT (expires_at)",
      "auth.user_session: DELETE, SELECT (expires_at, last_seen_at)",
    ],
  },
  assent_auth_lookup: {
    reason:
      "Finds a credential, a session, a link or the users of an address before anybody knows whose it is, and what operators see of all organizations. Reads, and writes nothing.",
    policies: [
      "auth.api_key lookup (r)",
      "auth.login_challenge lookup (r)",
      "auth.oauth_client lookup (r)",
      "auth.oauth_client_key lookup (r)",
      "auth.organization lookup (r)",
      "auth.recovery_code lookup (r)",
      "auth.request_day lookup (r)",
      "auth.user_account lookup (r)",
      "auth.user_link lookup (r)",
      "auth.user_session lookup (r)",
    ],
    grants: [
      "auth.api_key: SELECT",
      "auth.change: SELECT",
      "auth.change_head: SELECT",
      "auth.gateway_report: SELECT",
      "auth.login_challenge: SELECT (organization_id, token_hash, user_id)",
      "auth.oauth_client: SELECT",
      "auth.oauth_client_key: SELECT",
      "auth.organization: SELECT, SELECT (organization_id)",
      "auth.recovery_code: SELECT (organization_id, user_id)",
      "auth.request_day: SELECT",
      "auth.signing_key: SELECT",
      "auth.user_account: SELECT (created_at, email, email_key, external_issuer, external_subject, last_login_at, locale, name, notices, organization_id, password_hash, password_scheme, role, status, time_zone, totp_enabled_at, user_id)",
      "auth.user_link: SELECT",
      "auth.user_session: SELECT",
    ],
  },
  assent_auth_relay: {
    reason: "Publishes the events of all organizations in their order. Serves no request.",
    policies: ["auth.outbox relay_all (*)"],
    grants: [
      "auth.outbox: DELETE, SELECT",
      "auth.relay_cursor: INSERT, SELECT, UPDATE",
      "auth.relay_lease: DELETE, INSERT, SELECT, UPDATE",
      "auth.relay_state: DELETE, INSERT, SELECT, UPDATE",
    ],
  },
  assent_auth_resealer: {
    reason:
      "Seals everything with the newest master key, for all organizations. Reads what is sealed and to what it belongs, and changes nothing else.",
    policies: [
      "auth.erasure resealer_reads (r)",
      "auth.erasure resealer_seals (w)",
      "auth.export resealer_reads (r)",
      "auth.export resealer_seals (w)",
      "auth.mail_job resealer_reads (r)",
      "auth.mail_job resealer_seals (w)",
      "auth.user_account resealer_reads (r)",
      "auth.user_account resealer_seals (w)",
    ],
    grants: [
      "auth.erasure: SELECT (id, organization_id, sealed_person), UPDATE (sealed_person)",
      "auth.export: SELECT (id, organization_id, seed), UPDATE (seed)",
      "auth.hash_key: SELECT, UPDATE (sealed)",
      "auth.mail_job: SELECT (job_id, organization_id, sealed_token), UPDATE (sealed_token)",
      "auth.reseal_run: INSERT, SELECT, UPDATE",
      "auth.signing_key: SELECT (generation, kid, private_jwk), UPDATE (private_jwk)",
      "auth.user_account: SELECT (organization_id, totp_secret, user_id), UPDATE (totp_secret)",
    ],
  },
  assent_click_eraser: {
    reason:
      "Finds restricted records of any organization whose time is over. Everything else it does is done for one organization at a time.",
    policies: ["click.subject_key eraser_due (r): (restricted_until IS NOT NULL)"],
    grants: [
      "click.acceptance: SELECT, UPDATE (erased_at, once_hash, sealed, subject_index)",
      "click.campaign: SELECT, UPDATE (accepted, declined, erased, people, unchecked, withdrawn)",
      "click.campaign_person: DELETE, SELECT",
      "click.consent_deadline: DELETE, SELECT, UPDATE (expires_at)",
      "click.consent_event: SELECT, UPDATE (erased_at, sealed, subject_index)",
      "click.consent_head: DELETE, SELECT, UPDATE (clock)",
      "click.copy: SELECT, UPDATE (ended_at, status)",
      "click.erasure: INSERT, SELECT",
      "click.hold_mark: SELECT",
      "click.log_head: INSERT, SELECT, UPDATE (size)",
      "click.log_leaf: INSERT, SELECT",
      "click.outbox: INSERT",
      "click.sealed_rendering: DELETE, SELECT",
      "click.session: SELECT, UPDATE (erased_at, outcome, page_facts, render_hash, sealed, sealed_reason, status, subject_index, updated_at)",
      "click.session_deadline: DELETE, SELECT",
      "click.session_event: DELETE, SELECT",
      "click.stat_user: DELETE, INSERT, SELECT, UPDATE",
      "click.subject_key: DELETE, SELECT, UPDATE (restricted_until, seed)",
      "click.template_terms: SELECT",
    ],
  },
  assent_click_integrator: {
    reason:
      "Builds the trees of all logs. Serves no request; leaves hold nothing personal, and it may add leaves to the anchor log only.",
    policies: [
      "click.anchor integrator_adds (a)",
      "click.anchor integrator_reads (r)",
      "click.log_checkpoint integrator_adds (a)",
      "click.log_checkpoint integrator_reads (r)",
      "click.log_epoch integrator_confirms (w)",
      "click.log_epoch integrator_reads (r)",
      "click.log_head integrator_anchors (a): (organization_id = '00000000-0000-0000-0000-000000000000'::uuid)",
      "click.log_head integrator_counts (w): (organization_id = '00000000-0000-0000-0000-000000000000'::uuid)",
      "click.log_head integrator_reads (r)",
      "click.log_leaf integrator_anchors (a): (organization_id = '00000000-0000-0000-0000-000000000000'::uuid)",
      "click.log_leaf integrator_reads (r)",
      "click.log_tile integrator_adds (a)",
      "click.log_tile integrator_changes (w)",
      "click.log_tile integrator_reads (r)",
      "click.log_tree integrator_adds (a)",
      "click.log_tree integrator_changes (w)",
      "click.log_tree integrator_reads (r)",
      "click.outbox integrator_insert (a)",
    ],
    grants: [
      "click.anchor: INSERT, SELECT",
      "click.anchor_timestamp: INSERT, SELECT",
      "click.log_checkpoint: INSERT, SELECT",
      "click.log_epoch: SELECT, UPDATE (confirmed_at, confirmed_by)",
      "click.log_head: INSERT, SELECT, UPDATE (size)",
      "click.log_leaf: INSERT, SELECT",
      "click.log_tile: INSERT, SELECT, UPDATE (hashes)",
      "click.log_tree: INSERT, SELECT, UPDATE (anchored_size, frontier, root, size, updated_at)",
      "click.log_witness: INSERT, SELECT, UPDATE (confirmed_by, first_epoch, marker, since)",
      "click.outbox: INSERT",
    ],
  },
  assent_click_recorder: {
    reason:
      "Writes a batch of acceptances of many organizations with one statement. Whoever reads with it looks once more at whose a row is: rows are found by organization and id (accept/prepare.ts, accept/missing-records.ts).",
    policies: [
      "click.acceptance recorder_insert (a)",
      "click.acceptance recorder_lookup (r)",
      "click.consent_deadline recorder_insert (a)",
      "click.consent_event recorder_insert (a)",
      "click.consent_head recorder_all (*)",
      "click.copy recorder_insert (a)",
      "click.log_head recorder_all (*)",
      "click.log_leaf recorder_insert (a)",
      "click.log_leaf recorder_lookup (r)",
      "click.outbox recorder_insert (a)",
      "click.session recorder_lookup (r)",
      "click.session recorder_move (w)",
      "click.subject_key recorder_insert (a)",
      "click.subject_key recorder_lookup (r)",
    ],
    grants: [
      "click.acceptance: INSERT, SELECT (accepted_at, body_hash, decision, erased_at, idempotency_hash, once_hash, organization_id, receipt_id, sealed, session_id, subject_index)",
      "click.consent_deadline: INSERT",
      "click.consent_event: INSERT",
      "click.consent_head: INSERT, SELECT, UPDATE (clock, revision)",
      "click.copy: INSERT",
      "click.log_head: INSERT, SELECT, UPDATE (size)",
      "click.log_leaf: INSERT, SELECT",
      "click.outbox: INSERT",
      "click.session: SELECT (accepted_at, completed_at, content_hash, created_at, deployment_hash, deployment_id, erased_at, expires_at, id, label, locale, organization_id, outcome, page_facts, presented_at, render_hash, revision, sealed, sealed_reason, status, subject_index, template_id, terms_hash, version_id, words_hash), UPDATE (accepted_at, completed_at, outcome, sealed_reason, status, subject_index, updated_at)",
      "click.subject_key: INSERT, SELECT",
    ],
  },
  assent_click_relay: {
    reason: "Publishes the events of all organizations in their order. Serves no request.",
    policies: ["click.outbox relay_all (*)"],
    grants: [
      "click.outbox: DELETE, SELECT",
      "click.relay_cursor: INSERT, SELECT, UPDATE",
      "click.relay_lease: DELETE, INSERT, SELECT, UPDATE",
      "click.relay_state: DELETE, INSERT, SELECT, UPDATE",
    ],
  },
  assent_click_resealer: {
    reason:
      "Seals everything with the newest master key, for all organizations. Reads what is sealed and to what it belongs, and changes nothing else.",
    policies: [
      "click.acceptance resealer_reads (r)",
      "click.acceptance resealer_seals (w)",
      "click.campaign_person resealer_reads (r)",
      "click.campaign_person resealer_seals (w)",
      "click.consent_event resealer_reads (r)",
      "click.consent_event resealer_seals (w)",
      "click.sealed_rendering resealer_reads (r)",
      "click.sealed_rendering resealer_seals (w)",
      "click.session resealer_reads (r)",
      "click.session resealer_seals (w)",
      "click.session_event resealer_reads (r)",
      "click.session_event resealer_seals (w)",
      "click.subject_key resealer_reads (r)",
      "click.subject_key resealer_seals (w)",
    ],
    grants: [
      "click.acceptance: SELECT (idempotency_hash, organization_id, receipt_id, sealed), UPDATE (sealed)",
      "click.campaign_person: SELECT (campaign_id, organization_id, sealed, seed, subject_index), UPDATE (sealed)",
      "click.consent_event: SELECT (organization_id, receipt_id, revision, sealed, subject_index), UPDATE (sealed)",
      "click.hash_key: SELECT, UPDATE (sealed)",
      "click.reseal_run: INSERT, SELECT, UPDATE",
      "click.sealed_rendering: SELECT (organization_id, record_id, sealed), UPDATE (sealed)",
      "click.session: SELECT (id, organization_id, sealed, sealed_reason), UPDATE (sealed, sealed_reason)",
      "click.session_event: SELECT (organization_id, position, sealed_target, session_id), UPDATE (sealed_target)",
      "click.signing_key: SELECT (generation, kid, private_key, purpose), UPDATE (private_key)",
      "click.subject_key: SELECT (organization_id, record_id, seed), UPDATE (seed)",
    ],
  },
  assent_click_sweeper: {
    reason:
      "Announces what time has brought about and chooses the copy that is mailed next, for all organizations. Serves no request and sees nobody's texts, claims or addresses.",
    policies: [
      "click.campaign sweeper_reads (r)",
      "click.consent_deadline sweeper_all (*)",
      "click.consent_event sweeper_reads (r)",
      "click.consent_head sweeper_all (*)",
      "click.copy sweeper_claims (w)",
      "click.copy sweeper_reads (r)",
      "click.outbox sweeper_insert (a)",
      "click.session sweeper_expires (w)",
      "click.session sweeper_reads (r)",
      "click.session_deadline sweeper_all (*)",
    ],
    grants: [
      "click.campaign: SELECT (announced_at, id, next_at, organization_id, status, unchecked)",
      "click.consent_deadline: DELETE, SELECT, UPDATE (expires_at)",
      "click.consent_event: SELECT (event_id, expires_at, organization_id, purpose, receipt_id, recorded_at, revision, subject_index, template_id, template_revision, version_id)",
      "click.consent_head: SELECT, UPDATE (clock)",
      "click.copy: SELECT (attempts, claim, claimed_until, organization_id, receipt_id, run_at, status), UPDATE (attempts, claim, claimed_until)",
      "click.outbox: INSERT",
      "click.session: SELECT (expires_at, id, organization_id, revision, status, template_id, version_id), UPDATE (outcome, status, updated_at)",
      "click.session_deadline: DELETE, SELECT, UPDATE (expires_at)",
    ],
  },
  assent_docgen_claimer: {
    reason:
      "Chooses what is rendered next among all organizations, and finds what is due: leases, expiries, windows that are over. Sees neither data nor contents, and writes who renders and whose turn it is (store/claim-store.ts); those who have a claim read the document as its organization.",
    policies: [
      "docgen.document claimer_chooses (*)",
      "docgen.turn claimer_turns (*)",
      "docgen.usage_window claimer_sweeps (*)",
    ],
    grants: [
      "docgen.document: SELECT (attempts, batch_id, claim, claimed_until, created_at, deleted_at, expires_at, id, is_word, organization_id, slot, started_at, status), UPDATE (attempts, claim, claimed_until, slot, started_at, status)",
      "docgen.turn: SELECT, UPDATE (batch_at, single_at)",
      "docgen.usage_window: DELETE, SELECT (organization_id, seconds, window_start)",
    ],
  },
  assent_docgen_relay: {
    reason: "Publishes the events of all organizations in their order. Serves no request.",
    policies: ["docgen.outbox relay_all (*)"],
    grants: [
      "docgen.outbox: DELETE, SELECT",
      "docgen.relay_cursor: INSERT, SELECT, UPDATE",
      "docgen.relay_lease: DELETE, INSERT, SELECT, UPDATE",
      "docgen.relay_state: DELETE, INSERT, SELECT, UPDATE",
    ],
  },
  assent_sign_claimer: {
    reason:
      "Finds what is to be done next among all organizations, and takes it. Sees neither whom nor what it is about; those who have a claim read the job as its organization.",
    policies: ["sign.job claimer_chooses (*)"],
    grants: [
      "sign.job: SELECT (attempts, claim, claimed_until, created_at, failed_at, id, kind, organization_id, run_at), UPDATE (attempts, claim, claimed_until)",
    ],
  },
  assent_sign_relay: {
    reason: "Publishes the events of all organizations in their order. Serves no request.",
    policies: ["sign.outbox relay_all (*)"],
    grants: [
      "sign.outbox: DELETE, SELECT",
      "sign.relay_cursor: INSERT, SELECT, UPDATE",
      "sign.relay_lease: DELETE, INSERT, SELECT, UPDATE",
      "sign.relay_state: DELETE, INSERT, SELECT, UPDATE",
    ],
  },
  assent_sign_remover: {
    reason:
      "Finds which organizations delete anything (retention/due.ts), by how long they keep agreements and other records, and by the legal holds they have set. Everything else it sees and deletes as one organization; nobody else may delete an agreement or its trail. Serves no request.",
    policies: ["sign.legal_hold remover_chooses (r): (lifted_at IS NULL)", "sign.retention_period remover_chooses (r)"],
    grants: [
      "sign.agreement: DELETE, SELECT, UPDATE (version)",
      "sign.attachment: DELETE, SELECT",
      "sign.audit_event: DELETE, SELECT",
      "sign.blob: DELETE, SELECT, UPDATE (created_at)",
      "sign.blob_reference: DELETE, SELECT, UPDATE (created_at)",
      "sign.bulk_batch: SELECT",
      "sign.custom_field: DELETE, SELECT",
      "sign.deleted_agreement: INSERT, SELECT",
      "sign.document: DELETE, SELECT",
      "sign.file_key: DELETE, SELECT",
      "sign.job: DELETE, INSERT, SELECT",
      "sign.legal_hold: SELECT",
      "sign.outbox: INSERT",
      "sign.privacy_act: INSERT",
      "sign.progress: DELETE, SELECT",
      "sign.recipient: DELETE, SELECT",
      "sign.record_removal: DELETE, INSERT, SELECT, UPDATE (planned_at)",
      "sign.retention_period: SELECT",
      "sign.subject_key: DELETE, SELECT",
      "sign.view: DELETE, SELECT",
    ],
  },
  assent_sign_resealer: {
    reason:
      "Seals everything with the newest master key, for all organizations. Reads what is sealed and to what it belongs, and changes nothing else. Finds files that older releases have stored in clear by their hash, and sees nothing of them (files/seal-old-files.ts).",
    policies: [
      "sign.blob resealer_finds_clear (r): (NOT is_sealed)",
      "sign.file_key resealer_reads (r)",
      "sign.file_key resealer_seals (w)",
      "sign.subject_key resealer_reads (r)",
      "sign.subject_key resealer_seals (w)",
    ],
    grants: [
      "sign.blob: SELECT (is_sealed, organization_id, sha256)",
      "sign.file_key: SELECT (agreement_id, id, organization_id, seed), UPDATE (seed)",
      "sign.hash_key: SELECT, UPDATE (sealed)",
      "sign.reseal_run: INSERT, SELECT, UPDATE",
      "sign.subject_key: SELECT (agreement_id, id, organization_id, seed), UPDATE (seed)",
    ],
  },
  assent_sign_sweeper: {
    reason:
      "Removes what is of no use any more, for all organizations at once (store/sweep-store.ts). Sees ids and times, and nothing of what people have written.",
    policies: [
      "sign.agreement sweeper_reads (r)",
      "sign.idempotency_key sweeper_removes (*)",
      "sign.job sweeper_removes (*): (failed_at IS NOT NULL)",
      "sign.view sweeper_removes (*)",
    ],
    grants: [
      "sign.agreement: SELECT (deleted_at, id, organization_id, status, status_changed_at)",
      "sign.idempotency_key: DELETE, SELECT (created_at, key, organization_id), UPDATE (created_at)",
      "sign.job: DELETE, SELECT (failed_at, id, organization_id), UPDATE (failed_at)",
      "sign.view: DELETE, SELECT (agreement_id, created_at, expires_at, is_reusable, organization_id, session_expires_at, token_hash), UPDATE (expires_at)",
    ],
  },
  assent_sign_verifier: {
    reason:
      "Finds whose a sealed file is by its SHA-256, which only those know who have the file. Sees neither drafts nor whom it is about; what is told then is read as that organization (rpc/verify-seal.ts).",
    policies: [
      "sign.agreement verifier_finds (r): (certificate_sha256 IS NOT NULL)",
      "sign.deleted_agreement verifier_finds (r): (sealed_hashes <> '{}'::bytea[])",
      "sign.document verifier_finds (r): (sealed_sha256 IS NOT NULL)",
    ],
    grants: [
      "sign.agreement: SELECT (certificate_sha256, id, organization_id)",
      "sign.deleted_agreement: SELECT (agreement_id, organization_id, sealed_hashes)",
      "sign.document: SELECT (agreement_id, organization_id, sealed_sha256)",
    ],
  },
  assent_templates_relay: {
    reason: "Publishes the events of all organizations in their order. Serves no request.",
    policies: ["templates.outbox relay_all (*)"],
    grants: [
      "templates.outbox: DELETE, SELECT",
      "templates.relay_cursor: INSERT, SELECT, UPDATE",
      "templates.relay_lease: DELETE, INSERT, SELECT, UPDATE",
      "templates.relay_state: DELETE, INSERT, SELECT, UPDATE",
    ],
  },
  assent_templates_resolver: {
    reason:
      "Resolves the templates of a batch of acceptances of many organizations with one statement, which looks once more at whose each row is (store/resolve-store.ts), and finds what is due to be published, and of which templates files may have to go, which is then done as their organization. Sees no text, and deployments of one organization at a time.",
    policies: [
      "templates.file resolver_reads (r)",
      "templates.scheduled_publication resolver_reads (r)",
      "templates.template resolver_reads (r)",
      "templates.version resolver_reads (r)",
    ],
    grants: [
      "templates.deployment: SELECT",
      "templates.deployment_snapshot: SELECT",
      "templates.file: SELECT (look_at, organization_id, template_id)",
      "templates.scheduled_publication: SELECT (content_hash, label, locale, organization_id, publish_at, revision, template_id, version_id)",
      "templates.template: SELECT (archived_at, counterparty, default_locale, deleted_at, id, name, organization_id, policy_flags, slug, type, type_config)",
      "templates.version: SELECT (content_hash, id, label, locale, organization_id, revision, status, template_id)",
    ],
  },
  assent_webhooks_claimer: {
    reason:
      "Finds what is to be sent next among all receivers, and takes it. Sees neither where nor what is sent; those who have a claim read both as its organization (deliveries/prepare.ts).",
    policies: ["webhooks.delivery claimer_all (*)", "webhooks.queue claimer_all (*)"],
    grants: [
      "webhooks.delivery: SELECT (attempts, claim, claimed_until, connect_id, due_at, id, organization_id, receiver_id, receiver_index, sequence, status, step), UPDATE (claim, claimed_until, due_at)",
      "webhooks.queue: SELECT, UPDATE (is_full, next_at)",
    ],
  },
  assent_webhooks_fan_out: {
    reason:
      "Counts a batch of events of many organizations and notes who is to be told of it, with a few statements (consumers/fan-out.ts), and shows operators the counts: events go to the receivers of their own organization alone. Sees neither addresses, secrets nor what is sent. Serves no request of customers.",
    policies: [
      ...["delivery", "event", "queue", "use_day"].map((table) => `webhooks.${table} fan_out_all (*)`),
      "webhooks.endpoint fan_out_reads (r): (deleted_at IS NULL)",
    ],
    grants: [
      "webhooks.delivery: INSERT, SELECT (event_id, organization_id, receiver_id)",
      "webhooks.endpoint: SELECT (connect_id, created_at, deleted_at, event_types, id, is_enabled, kind, organization_id)",
      "webhooks.event: INSERT, SELECT (id, organization_id)",
      "webhooks.inbox: INSERT, SELECT",
      "webhooks.queue: INSERT, SELECT (next_at, organization_id, receiver_id), UPDATE (next_at)",
      "webhooks.use_day: INSERT, SELECT, UPDATE (acceptances, agreements, deliveries, documents)",
    ],
  },
  assent_webhooks_relay: {
    reason: "Publishes the events of all organizations in their order. Serves no request.",
    policies: ["webhooks.outbox relay_all (*)"],
    grants: [
      "webhooks.outbox: DELETE, SELECT",
      "webhooks.relay_cursor: INSERT, SELECT, UPDATE",
      "webhooks.relay_lease: DELETE, INSERT, SELECT, UPDATE",
      "webhooks.relay_state: DELETE, INSERT, SELECT, UPDATE",
    ],
  },
  assent_webhooks_resealer: {
    reason:
      "Seals everything with the newest master key, for all organizations. Reads what is sealed and to what it belongs, and changes nothing else.",
    policies: [
      "webhooks.connect_secret resealer_reads (r)",
      "webhooks.connect_secret resealer_seals (w)",
      "webhooks.endpoint resealer_reads (r)",
      "webhooks.endpoint resealer_seals (w)",
    ],
    grants: [
      "webhooks.connect_secret: SELECT (id, organization_id, secret), UPDATE (secret)",
      "webhooks.endpoint: SELECT (id, organization_id, previous_secret, secret), UPDATE (previous_secret, secret)",
      "webhooks.reseal_run: INSERT, SELECT, UPDATE",
    ],
  },
  assent_webhooks_sender: {
    reason:
      "Reads what this process has claimed, and writes down what was delivered, of many organizations with one statement each (store/sender-store.ts). Rows are found by organization, id and claim; secrets are sealed under the name of their organization, so that those of another one do not open. Serves no request.",
    policies: [
      "webhooks.attempt sender_adds (a)",
      "webhooks.delivery sender_all (*)",
      "webhooks.endpoint sender_reads (r): (deleted_at IS NULL)",
      "webhooks.event sender_reads (r)",
      "webhooks.queue sender_all (*)",
    ],
    grants: [
      "webhooks.attempt: INSERT",
      "webhooks.delivery: SELECT (agreement_id, attempts, claim, connect_id, created_at, delivered_at, due_at, endpoint_id, event_id, event_type, id, occurred_at, organization_id, receiver_id, receiver_index, status, step), UPDATE (attempts, claim, claimed_until, delivered_at, due_at, status, step)",
      "webhooks.endpoint: SELECT (audit_format, deleted_at, failing_since, id, is_enabled, organization_id, previous_secret, previous_secret_until, secret, url)",
      "webhooks.event: SELECT (data, id, organization_id, type)",
      "webhooks.queue: SELECT (is_full, next_at, organization_id, places, receiver_id), UPDATE (next_at)",
    ],
  },
  assent_webhooks_sweeper: {
    reason:
      "Removes what is old, and what was deleted, of all organizations. Serves no request and sees neither addresses, secrets nor what was sent.",
    policies: ["delivery", "endpoint", "event", "idempotency_key", "queue", "use_day"].map(
      (table) => `webhooks.${table} sweeper_all (*)`,
    ),
    grants: [
      "webhooks.delivery: DELETE, SELECT (created_at, due_at, endpoint_id, event_id, id, organization_id, receiver_id)",
      "webhooks.endpoint: DELETE, SELECT (deleted_at, id, organization_id)",
      "webhooks.event: DELETE, SELECT (created_at, id, organization_id)",
      "webhooks.hold_mark: SELECT",
      "webhooks.idempotency_key: DELETE, SELECT (created_at, key, organization_id)",
      "webhooks.queue: DELETE, SELECT (next_at, organization_id, receiver_id)",
      "webhooks.use_day: DELETE, SELECT (day, organization_id)",
    ],
  },
};
