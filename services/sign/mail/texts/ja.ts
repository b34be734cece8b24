import type { MailTexts } from "./mail-texts.ts";

export const ja: MailTexts = {
  greeting: "{name} 様",
  invitationSubject: "署名のお願い: {subject}",
  invitationText: "{sender} から「{subject}」への署名の依頼が届いています。",
  reminderSubject: "リマインダー: {subject} への署名をお願いします",
  reminderText: "{sender} が「{subject}」へのあなたの署名を待っています。",
  readSubject: "ご確認ください: {subject}",
  readText: "{sender} から「{subject}」が閲覧用に届いています。",
  hostSubject: "対面での署名: {subject}",
  hostText:
    "{sender} から、{signer} 様があなたの立ち会いのもと、あなたの端末で「{subject}」に署名できるようご対応の依頼が届いています。",
  open: "内容を確認して署名",
  expires: "リンクの有効期限は {date} です。",
  personal:
    "このリンクはあなた専用です。リンクを持つ人は誰でもあなたの名前で署名できます。このメールを転送しないでください。",
  private: "このリンクはあなた専用です。このメールを転送しないでください。",
  completedSubject: "完了: {subject}",
  completedText: "「{subject}」への全員の署名が完了しました。封印された文書と証明書をダウンロードできます。",
  download: "文書を開く",
  declinedSubject: "辞退: {subject}",
  declinedText: "{name} が「{subject}」への署名を辞退しました。以後、誰も署名できません。",
  voidedSubject: "取り下げ: {subject}",
  voidedText: "{sender} が「{subject}」を取り下げました。対応は不要です。",
  expiredSubject: "期限切れ: {subject}",
  expiredText: "「{subject}」は期限までに全員の署名が揃わなかったため、終了しました。",
  reason: "理由: {reason}",
  messageFrom: "{sender} からのメッセージ:",
};
