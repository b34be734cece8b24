/** What programs put on the clipboard, shortened where they repeat themselves. */
export const clipboards = {
  word: `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"
xmlns:w="urn:schemas-microsoft-com:office:word" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15">
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]-->
<style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif;} --></style></head>
<body lang=DE style='tab-interval:35.4pt'>
<!--StartFragment-->
<p class=MsoTitle>House rules<o:p></o:p></p>
<h1><a name="_Toc1"></a>1 Conduct<o:p></o:p></h1>
<p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Be kind</b> to the <i>furniture</i> and to
<span style='color:red;mso-fareast-language:EN-US'>others</span>. See
<a href="https://example.com/rules?a=1&amp;b=2"><span style='color:windowtext;text-decoration:none'>our rules</span></a>
and <a href="#_Toc1">above</a>.<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;
</span></span></span><![endif]>Knock<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;
</span></span></span><![endif]>twice<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>·<span>&nbsp;</span></span><![endif]>Wait<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>3.<span>&nbsp;
</span></span><![endif]>Third<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>4.<span>&nbsp;
</span></span><![endif]>Fourth<o:p></o:p></p>
<table class=MsoTableGrid border=1 cellspacing=0 style='border-collapse:collapse'>
 <tr style='mso-yfti-irow:0'><td width=302 colspan=2 style='border:solid windowtext 1.0pt'>
  <p class=MsoNormal><b>Fees<o:p></o:p></b></p></td></tr>
 <tr><td width=151><p class=MsoNormal>Late<o:p></o:p></p></td><td width=151><p class=MsoNormal align=right>5&nbsp;€<o:p></o:p></p></td></tr>
</table>
<p class=MsoNormal><span style='mso-hide:all;display:none'>hidden</span><img width=20 src="file:///C:/x.png" alt=""><script>evil()</script>x<sup>2</sup></p>
<!--EndFragment--></body></html>`,
  googleDocs: `<html><body><!--StartFragment--><meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1">
<h2 dir="ltr" style="line-height:1.38"><span style="font-size:16pt;font-weight:400">Privacy</span></h2>
<p dir="ltr"><span style="font-weight:700">We keep</span><span style="font-weight:400;font-style:italic"> little</span><span>, see </span><a href="https://www.google.com/url?q=https://example.com/privacy&amp;sa=D" style="text-decoration:none"><span style="color:#1155cc;text-decoration:underline">here</span></a><span style="text-decoration:line-through">now</span>.</p>
<ul><li dir="ltr" style="list-style-type:disc" aria-level="1"><p dir="ltr" role="presentation"><span>One</span></p></li><ul><li dir="ltr" aria-level="2"><p dir="ltr" role="presentation"><span>Deeper</span></p></li></ul><li dir="ltr"><p dir="ltr"><span>Two</span></p></li></ul>
<div dir="ltr" align="left"><table style="border:none"><colgroup><col width="10"><col></colgroup><tbody><tr style="height:0pt"><td style="border:1px"><p dir="ltr"><span>A</span></p></td><td><br><br></td></tr></tbody></table></div>
<br><p dir="rtl"><span>مرحبا</span></p></b><br class="Apple-interchange-newline"><!--EndFragment--></body></html>`,
  /** Each item is a list of its own. */
  wordOnline: `<html><body><!--StartFragment--><div class="OutlineElement Ltr SCXW1 BCX0"><p class="Paragraph SCXW1" role="heading" aria-level="2" paraid="1"><span class="TextRun"><span class="NormalTextRun">Steps</span></span><span class="EOP" data-ccp-props="{}">&nbsp;</span></p></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ul class="BulletListStyle1 SCXW1" role="list"><li data-leveltext="" data-font="Symbol" data-listid="1" aria-setsize="-1" data-aria-posinset="1" data-aria-level="1" role="listitem" class="OutlineElement Ltr"><p class="Paragraph"><span class="TextRun" style="font-weight:bold"><span class="NormalTextRun">Draft</span></span><span class="TextRun"><span class="NormalTextRun"> it</span></span><span class="EOP">&nbsp;</span></p></li></ul></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ul class="BulletListStyle2 SCXW1" role="list"><li data-listid="1" data-aria-level="2" role="listitem"><p class="Paragraph"><span class="TextRun">Ask Grace</span><span class="EOP">&nbsp;</span></p></li></ul></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ul class="BulletListStyle1 SCXW1" role="list"><li data-listid="1" data-aria-level="1" role="listitem"><p class="Paragraph"><span class="TextRun">Publish</span></p></li></ul></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ol class="NumberListStyle1" role="list" start="1"><li data-leveltext="%1." data-listid="2" data-aria-level="1" role="listitem"><p class="Paragraph"><span>First</span></p></li></ol></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ol class="NumberListStyle2" role="list" start="1" style="list-style-type:lower-alpha"><li data-listid="2" data-aria-level="2" role="listitem"><p class="Paragraph"><span>First of all</span></p></li></ol></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ol class="NumberListStyle2" role="list" start="2" style="list-style-type:lower-alpha"><li data-listid="2" data-aria-level="2" role="listitem"><p class="Paragraph"><span>Then</span></p></li></ol></div>
<div class="ListContainerWrapper SCXW1 BCX0"><ol class="NumberListStyle1" role="list" start="2"><li data-leveltext="%1." data-listid="2" data-aria-level="1" role="listitem"><p class="Paragraph"><span>Second</span></p></li></ol></div>
<div class="OutlineElement Ltr SCXW1 BCX0"><p class="Paragraph SCXW1"><span class="TextRun">End</span></p></div><!--EndFragment--></body></html>`,
} as const;
