/**
 * What the next release breaks of the last one's REST interface, each with the reason and as the test prints it. What
 * stands here stands in CHANGELOG.md too; the list is emptied when a release is kept.
 */
export const brokenOnPurpose: Readonly<Record<string, string>> = {
  "gone: POST /v1/click/sessions/{id}/events lets in oauth click:accept":
    "click:accept records acceptances only, and what is added to a session becomes part of its evidence: it takes click:write.",
};
