"""A daily issue in GPO markup with its awkward parts, small corpora, and questions about them."""

from pathlib import Path

from longctx.corpus.documents import Corpus, CorpusSection
from longctx.corpus.question_bank import BankQuestion

ISSUE = """<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="fedregister.xsl"?>
<FEDREG xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="FRMergedXML.xsd">
  <VOL>88</VOL>
  <NO>133</NO>
  <DATE>Thursday, July 13, 2023</DATE>
  <UNITNAME>Contents</UNITNAME>
  <CNTNTS>
    <AGCY>
      <EAR>Transportation Department</EAR>
      <HD>Transportation Department</HD>
      <SEE><HD SOURCE="HED">See</HD><P>DEPARTMENT OF TRANSPORTATION</P></SEE>
    </AGCY>
  </CNTNTS>
  <UNITNAME>Rules and Regulations</UNITNAME>
  <RULES>
    <RULE>
      <PREAMB>
        <PRTPAGE P="44667"/>
        <AGENCY TYPE="F">DEPARTMENT OF TRANSPORTATION</AGENCY>
        <SUBAGY>Federal Aviation Administration</SUBAGY>
        <CFR>14 CFR Part 39</CFR>
        <SUBJECT>Airworthiness Directives; <E T="04">Gliders</E></SUBJECT>
        <SUM>
          <HD SOURCE="HED">SUMMARY:</HD>
          <P>
                        The FAA corrects a document in the
                        <E T="03">Federal Register</E>
                         of July 5, 2023.<SU>1</SU><FTREF/>
                    </P>
          <FTNT>
            <P><SU>1</SU> 88 FR 42870.</P>
          </FTNT>
        </SUM>
      </PREAMB>
      <SUPLINF>
        <HD SOURCE="HED">SUPPLEMENTARY INFORMATION:</HD>
        <PRTPAGE P="44668"/>
        <EXTRACT>
          <P>AT&amp;T &#167; 2 <![CDATA[< 3 kg]]></P>
        </EXTRACT>
        <GPOTABLE COLS="2" OPTS="L2,i1" CDEF="s50,12">
          <TTITLE>Costs</TTITLE>
          <BOXHD>
            <CHED H="1">Action</CHED>
            <CHED H="1">Cost</CHED>
          </BOXHD>
          <ROW>
            <ENT I="01">Inspection</ENT>
            <ENT>$85</ENT>
          </ROW>
        </GPOTABLE>
        <REGTEXT TITLE="14" PART="39">
          <SECTION><SECTNO>§ 39.13</SECTNO><SUBJECT>[Amended]</SUBJECT></SECTION>
        </REGTEXT>
      </SUPLINF>
      <SIG><DATED>Issued on July 7, 2023.</DATED><NAME>Ross Landes,</NAME><TITLE>Deputy Director.</TITLE></SIG>
      <FRDOC>[FR Doc. 2023–14834 Filed 7–12–23; 8:45 am]</FRDOC>
      <BILCOD>BILLING CODE 4910–13–P</BILCOD>
    </RULE>
  </RULES>
  <UNITNAME>Presidential Documents</UNITNAME>
  <PRESDOCS>
    <PRESDOCU>
      <PRNOTICE>
        <PNOTICE>Notice of July 11, 2023</PNOTICE>
        <FP>The emergency is continued.</FP>
        <BILCOD>Billing code 3395–F3–P</BILCOD>
      </PRNOTICE>
    </PRESDOCU>
  </PRESDOCS>
  <UNITNAME>Notices</UNITNAME>
  <NOTICES>
    <NOTICE>
      <PREAMB>
        <AGENCY TYPE="S">POSTAL SERVICE</AGENCY>
        <SUBJECT>Product Change</SUBJECT>
      </PREAMB>
      <P>A notice.</P>
      <BILCOD>BILLING CODE 7710–12–P</BILCOD>
    </NOTICE>
  </NOTICES>
</FEDREG>
"""

HARBOR = (
    "The Harbor Commission of Tavmouth will dredge the inner basin from May 4 to May 19, 2031. Ships must moor at the "
    "northern quay. The contractor, Ellery Dredging, may work at night. The depth will be 12 meters. "
)
BRIDGE = (
    "The Bridge Office of Kestwick will close the swing bridge from June 2 to June 30, 2031. Carts must use the ferry. "
    "The contractor, Osgood Ironworks, may not work at night. The clearance will be 31 meters. "
)


def section(name: str, text: str) -> CorpusSection:
    return CorpusSection(name, name, "", text, len(text.split()))


def corpus() -> Corpus:
    return Corpus("two", "words", (section("harbor", HARBOR), section("bridge", BRIDGE)))


def question(name: str = "q1", **changed: object) -> BankQuestion:
    """Return a sound question about `harbor`. changed: entries that replace its own."""
    entries: dict[str, object] = {
        "id": name,
        "section": "harbor",
        "question": "Where must ships moor while the Harbor Commission of Tavmouth dredges the basin?",
        "right": "At the northern quay",
        "wrong": ("Beside the ferry ramp", "In the outer harbor", "Off the swing bridge"),
    }
    return BankQuestion.model_validate(entries | changed)


def write_folder(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def long_text(words: int, word: str = "quay") -> str:
    return " ".join(f"{word} {n}" for n in range(words // 2))
