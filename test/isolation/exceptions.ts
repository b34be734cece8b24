/** Tables that belong to no organization, and why. A new one has to be written down here. */
export const tablesOfNobody: Readonly<Record<string, string>> = {
  "auth.change": "What gateways must forget, one feed for all: ids only.",
  "auth.change_head": "One row: the last cursor of the feed.",
  "auth.dead_event": "For operators only: an event may be dead because its organization cannot be read.",
  "auth.gateway_report": "Who kept which gateway busy in the last minute, for operators only.",
  "auth.inbox": "Ids of events that took effect, none of their content.",
  "auth.hash_key": "One row for the whole service: what its keyed hashes are made with.",
  "auth.relay_cursor": "One row for the whole service.",
  "auth.relay_lease": "One row for the whole service.",
  "auth.relay_state": "One row for the whole service.",
  "auth.reseal_run": "Runs over the whole service.",
  "auth.signing_key": "The platform's own keys.",
  "click.anchor_timestamp": "Time stamps over the anchor log, which is no organization's.",
  "click.dead_event": "For operators only: an event may be dead because its organization cannot be read.",
  "click.inbox": "Ids of events that took effect, none of their content.",
  "click.relay_cursor": "One row for the whole service.",
  "click.hash_key": "One row for the whole service: what its keyed hashes are made with.",
  "click.log_witness": "One row: which witness of all logs the database knows.",
  "click.relay_lease": "One row for the whole service.",
  "click.relay_state": "One row for the whole service.",
  "click.reseal_run": "Runs over the whole service.",
  "click.signing_key": "The service's own keys.",
  "docgen.relay_cursor": "One row for the whole service.",
  "docgen.relay_lease": "One row for the whole service.",
  "docgen.relay_state": "One row for the whole service.",
  "gateway.rate_window": "Counters by the id of a client, which belongs to one organization for ever.",
  "sign.hash_key": "One row for the whole service: what its keyed hashes are made with.",
  "sign.relay_cursor": "One row for the whole service.",
  "sign.relay_lease": "One row for the whole service.",
  "sign.relay_state": "One row for the whole service.",
  "sign.reseal_run": "Runs over the whole service.",
  "templates.relay_cursor": "One row for the whole service.",
  "templates.relay_lease": "One row for the whole service.",
  "templates.relay_state": "One row for the whole service.",
  "webhooks.dead_event": "For operators only: an event may be dead because its organization cannot be read.",
  "webhooks.inbox": "Ids of events that took effect, none of their content.",
  "webhooks.relay_cursor": "One row for the whole service.",
  "webhooks.reseal_run": "Runs over the whole service.",
  "webhooks.relay_lease": "One row for the whole service.",
  "webhooks.relay_state": "One row for the whole service.",
};

/** Unique indexes of tables of organizations that do not begin with the organization, and why. */
export const uniqueIndexes: Readonly<Record<string, string>> = {
  "click.anchor_index": "Does not contain it: all organizations share the anchor log, whose places are given out once.",
  "auth.outbox_pkey": "Ends with it: events are read in the order of their positions, with no other index.",
  "sign.sender_domain_verified":
    "Does not contain it: a domain is verified for one organization at a time, which has shown that its DNS is theirs.",
  "sign.page_host_verified":
    "Does not contain it: a host name is verified for one organization at a time, which has shown that its DNS is theirs.",
  "click.outbox_pkey": "Ends with it: events are read in the order of their positions, with no other index.",
  "docgen.outbox_pkey": "Ends with it: events are read in the order of their positions, with no other index.",
  "sign.outbox_pkey": "Ends with it: events are read in the order of their positions, with no other index.",
  "templates.outbox_pkey": "Ends with it: events are read in the order of their positions, with no other index.",
  "webhooks.outbox_pkey": "Ends with it: events are read in the order of their positions, with no other index.",
};

/** Policies that show the anchor log, which is no organization's, to the role that otherwise sees one organization. */
export const anchorLogPolicies: readonly string[] = ["log_checkpoint", "log_tile", "log_tree"].map(
  (table) => `click.${table} anchor_log (r): (organization_id = '00000000-0000-0000-0000-000000000000'::uuid)`,
);

/** Functions that run with the rights of their owner, and why. */
export const securityDefiners: Readonly<Record<string, string>> = {};

/** Tables that the journey of the test of visible rows may leave empty. Whose rows can be written into them is tested all the same. */
export const emptyTables: readonly string[] = [
  "auth.login_challenge",
  "auth.mail_job",
  "auth.oauth_client_key",
  "auth.organization_deletion",
  "auth.passkey",
  "auth.recovery_code",
  // Gateways report now and then.
  "auth.request_day",
  "auth.revoked_token",
  "auth.spent_challenge",
  "auth.user_account",
  "auth.user_link",
  "auth.user_session",
  "click.anchor",
  "click.consent_deadline",
  "click.copy",
  "click.external_head",
  // Only a database that went back in time has any.
  "click.log_epoch",
  "click.restricted_access",
  "click.sealed_rendering",
  "click.stat_accept_time",
  "click.stat_reused_session",
  "docgen.erasure_answer",
  "sign.deleted_agreement",
  // Only an organization that searches in files has any.
  "sign.file_search",
  "sign.file_words",
  // Only users who are told once a day have any.
  "sign.notice",
  // Only an owner who is signed in changes the rules.
  "templates.publication_rules",
  "sign.record_removal",
  // Of a dry run for somebody of whom nothing is known.
  "auth.erasure_page",
  "sign.erasure",
  "sign.erasure_report",
  "webhooks.erasure_answer",
];
