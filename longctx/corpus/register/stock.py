"""Paragraphs that documents of many genres share, in the sheet's notation, and the facts their slots need.

Slots: short, office, department, site, address, docket, deadline (comments), law (an act), desk (a person).
"""

from __future__ import annotations

from typing import Any

from longctx.corpus.register.country import Agency, Country
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import items, table

ACTS = {
    "airsafety": ("Civil Aviation Act", 14),
    "railways": ("Railway Safety Act", 49),
    "carriers": ("Road Carriage Act", 49),
    "harbors": ("Ports and Navigation Act", 33),
    "fisheries": ("Living Marine Resources Act", 50),
    "tariffs": ("Tariff and Fair Trade Act", 19),
    "medicines": ("Controlled Medicines Act", 21),
    "foods": ("Wholesome Food Act", 21),
    "grading": ("Agricultural Marketing Act", 7),
    "plants": ("Plant Health Act", 7),
    "rural": ("Regional Balance Act", 13),
    "permits": ("Clean Air and Waters Act", 40),
    "mines": ("Mines Act", 30),
    "worksafe": ("Safe Workplaces Act", 29),
    "housing": ("Housing Assistance Act", 24),
    "education": ("Schools and Colleges Act", 34),
    "veterans": ("Veterans' Benefits Act", 38),
    "justice": ("Administration of Justice Act", 28),
    "statistics": ("Statistics Act", 15),
    "pensions": ("Old Age Pensions Act", 20),
    "communications": ("Communications Act", 47),
    "energywaters": ("Waters and Power Act", 18),
    "archives": ("Public Records Act", 36),
    "science": ("Research Councils Act", 45),
}


def common(country: Country, agency: Agency) -> dict[str, Any]:
    """What the stock paragraphs say of an agency."""
    law, title = ACTS[agency.domain.split(".")[0]]
    return {
        "short": agency.short,
        "office": agency.name,
        "department": agency.department,
        "site": f"www.{agency.domain}",
        "address": country.address(agency),
        "law": law,
        "title": title,
        "year": country.year,
        "desk": country.names.person(),
        "counter": country.phone(),
    }


def commenter(country: Country, pen: Pen) -> str:
    """Who wrote in: an association, a council, a firm or a person, never the same twice."""
    names = country.names
    match pen.below(5):
        case 0:
            return f"the {pen.pick(['Chamber of Commerce', 'Ratepayers’ League', 'Civic Alliance'])} of {names.town()}"
        case 1:
            return f"the municipal council of {names.town()}"
        case 2:
            return names.firm("Services", "Consulting", "Trading", "Supply")
        case 3:
            return f"{names.person()} of {names.town()}"
    return f"the {names.town()} {pen.pick(['Workers’ Union', 'Trades Association', 'Citizens’ Forum', 'Institute'])}"


def documents(country: Country, pen: Pen, docket: str) -> list[str]:
    """A table of papers in the docket, the oldest first."""
    days = sorted(pen.spread(14, 420, 1, 7), reverse=True)
    titles = [pen.say(title, who=country.names.family()) for title in pen.deal(PAPERS, 7)]
    rows = [
        (title, country.on(-day), f"{docket}–{item:03d}")
        for title, day, item in zip(titles, days, sorted(pen.spread(2, 140, 1, 7)), strict=True)
    ]
    return table(
        pen.pick(["Papers in the Docket", "Documents Made Available", "Docket Index (Extract)"]),
        ["Paper", "Date", "Item"],
        rows,
    )


def chronology(country: Country, pen: Pen, since: int = 700) -> list[str]:
    """What happened in the last `since` days, as a list of dated steps, the oldest first."""
    days = sorted(pen.spread(20, since, 1, 5), reverse=True)
    steps = [pen.say(step, who=country.names.person(), town=country.names.town()) for step in pen.deal(STEPS, 5)]
    return items([f"On {country.on(-day)}, {step}." for day, step in zip(days, steps, strict=True)])


STEPS = (
    "<an informal meeting|a meeting of the working group> was held in {town}, <at which|where> {who} took the chair",
    "{who} <handed in|submitted> a <memorandum|paper> that proposed <nearly the same|a milder> solution",
    "the file was <lent|passed> to the auditors and came back <without remarks|with three remarks>",
    "a first draft was <read|discussed> in the management committee and sent back for <shortening|a clearer summary>",
    "<the chamber|an office> at {town} sent figures that had been <asked for|promised> since the spring",
    "a <reporter|student> was given leave to see the file, under the Open Records Act",
    "{who}, who had begun the work, retired and was succeeded by a <team of two|colleague from {town}>",
    "the <legal section|Department of Justice> <gave its consent|raised no objection>, subject to a change of one word",
    "a visit to {town} had to be <broken off|put off> because of <a storm|the closing of the pass>",
    "<two|three> meetings with trade associations took place<, with {who} as interpreter|>",
    "a letter from {town} that had been <misdirected|lost in the mail> was found and <entered|answered>",
    "the <Secretary|Minister's office> asked for a comparison with the practice <of two neighbors|abroad>",
)

PAPERS = (
    "Letter of {who} <asking for more time|enclosing a sketch map|on behalf of six neighbors>",
    "Memorandum of a <telephone call|meeting> with {who} & Partners",
    "Statement of <{who}, sworn before a notary|an engineer, {who}>",
    "Photographs <taken from the air|of the site after the storm>, with a key",
    "<Draft|Second draft> of this document, with remarks in the margin",
    "Minutes of the <hearing|inspection> and list of those present",
    "Translation of a <treaty|report> cited by {who}",
    "Table of <costs|accidents|measurements>, corrected by hand",
    "Opinion of the Department of Justice on the {who} case",
    "Budget of the <working group|project>, three pages",
    "Chart showing <soundings|boundaries|distances>, scale 1 : 25,000",
    "Newspaper cutting sent in by {who}",
    "Petition with <two hundred and six|forty-one|ninety> signatures",
    "Record of a vote <of the council|in committee>",
    "<Thesis|Lecture> by {who}, with the author's permission",
    "Certificate of posting at the <town hall|harbor office>",
)

COMMENTING = """
<Interested persons|Members of the public|All who are affected> <may|are invited to> <send|submit|present> written
<comments|views, data, or arguments> <on this <action|proposal>|> <through|by way of> the rulemaking portal at
www.rulemaking.gov.vy, <by mail|by post|by courier> to the <Docket Clerk|Dockets Office|Registry>, {office}, {address},
or <in person|by hand> at the same address between <8 a.m. and 4 p.m.|9 a.m. and 5 p.m.|8:30 a.m. and 3:30 p.m.> on
working days. <Every submission|Each comment|All correspondence> must <cite|bear|mention> docket number {docket} <and
reach {short} <by|not later than> {deadline}|and be in hand by {deadline}|and arrive on or before {deadline}>.
OR
Comments <are due|must be received|must reach the docket> <by|no later than|on or before> {deadline}. <Send them|They
may be sent|Submit them> <electronically|through the portal> at www.rulemaking.gov.vy, <searching for|under> docket
{docket}, or <on paper|in writing> to {office}, {address}. <Late comments will be considered so far as
practicable|{short} will consider late comments only if doing so causes no delay|Comments that arrive late cannot be
considered>.
OR
<To be considered|To be sure of consideration>, comments <on this document|> must be <identified by|marked with> docket
number {docket} and <received|delivered> <not later than|by> {deadline}. The <portal|rulemaking portal> at
www.rulemaking.gov.vy is the <preferred|quickest> way; <letters|paper submissions> go to {address}, where <a deposit
box stands in the lobby|the guard at the main entrance will stamp them on request|the mail room closes at 4:30 p.m.>.

<All comments|Everything received>, <including|together with> any personal <information|details> <given|provided>, will
be <posted|placed in the docket> without change. <Confidential business information is|Trade secrets are> not to be
submitted
<electronically|through the portal> but <on paper|by mail>, marked “confidential,” with a <copy|version> from which <the
protected passages have been struck|they have been deleted>.
OR
<Comments and supporting papers|The docket> may be <read|inspected|viewed> at the portal or, <by appointment|on one
day's notice>, at {address} (telephone {counter}). <Anonymous comments are accepted|Names and addresses of commenters
are shown unless they ask otherwise|Petitions with many signatures are entered once>.
OR
? <Persons|Commenters> who <wish|want> {short} to acknowledge <receipt of|that it has received> a paper comment must
<enclose|include> a stamped, self-addressed <postcard|card> on which the docket number <is written|appears>.
"""

PAPERWORK = """
# Paperwork
This <action|rule|document> <contains no|does not contain any> new <collection of information|information collection>
that <needs|requires> <approval|clearance> by the National Statistics Office under the Reduction of Forms Act.
OR
# Reduction of Forms Act
<The information collection requirements|The forms and records> <referred to|mentioned> here have been
<approved|cleared> by the National Statistics Office <and need no change|; their burden is not altered>. A person <is
not obliged to|need not> <answer|respond to> a collection that <shows|displays> no valid control number.
OR
# Paperwork
<What reporting there is falls|The burden of reporting falls> <on|upon> fewer than ten <persons|respondents> <in any
year|a year> and is <therefore|for that reason> <exempt from|not subject to> the Reduction of Forms Act.
"""

SMALL_BUSINESS = """
# Effect on Small Undertakings
{short} has <considered|weighed|examined> the <effect|economic effect> on small undertakings, as the Small Undertakings
Act <requires|directs>, and <certifies|finds> that <it will not be significant for a substantial number of them|few of
them are concerned, and none severely>. <No commenter <disputed|contested> this|The certification was sent to the
Advocate for Small Undertakings, who raised no objection|Nothing in the record suggests otherwise>.
OR
# Small Undertakings
<Some|A number> of <those affected|the persons affected> are small undertakings. {short} <looked for|considered> <ways
to|means to> <ease|lighten> their <burden|task>, such as <later dates, simpler forms, or exemption|simplified reporting
or staggered dates>, but <found none that would not <defeat|undermine> the purpose of the {law}|adopted only those
described above, since the others would <defeat|frustrate> the purpose of the {law}>.
"""

REVIEW = """
# <Regulatory Review|Review by the Cabinet Secretariat>
<This action|The present action> is not <significant|major> within the meaning of Cabinet Order 41 and was <not
reviewed| returned without review> by the Cabinet Secretariat.
OR
# Economic Review
The Cabinet Secretariat <reviewed|has reviewed> <this action|a draft of this document> under Cabinet Order 41 and
<suggested| proposed> <only editorial changes|no change|that the tables be set out by province>.
OR
# Regulatory Review
<Because|Since> the <yearly|annual> effect on the economy is <well below|less than> the <threshold|limit> of 60 million
crowns in Cabinet Order 41, no <assessment of alternatives|formal analysis> <was|has been> <prepared|required>.

? # Provinces
<This action does not|Nothing here will> <alter|change> the division of powers between the Commonwealth
and the provinces <or require the provinces to spend money|, nor does it preempt provincial law>. <No provincial
government asked to be consulted|Two provinces were consulted by telephone and had no remarks>.
"""

ENVIRONMENT = """
# Environmental <Review|Considerations>
<Actions|Measures> of this kind <neither singly nor together|do not, singly or together,> have a significant effect on
the human environment; <a categorical exclusion applies|they are categorically excluded from assessment>, and no
extraordinary circumstances <are known|were found>.
OR
# Environmental <Review|Considerations>
{short} <prepared|has made> an environmental <assessment|screening> and <reached|came to> a finding of no significant
impact. <Both are in the docket|A copy may be had from {desk} at {counter}>.
OR
? # Protected Species and Monuments
{short} <consulted|has consulted> the Wildlife Service and the Monuments Board,
<neither of which objected|which concurred within the time allowed>.
"""

DOCKET_ROOM = """
The <docket|file>, which <holds|contains> <the comments|every comment received>, <the supporting documents|the studies
referred to>, and <a record of meetings with the public|summaries of telephone calls>, is <open|available> at
{site}/dockets and, for those <without|who lack> <access to a computer|a connection>, at {address}.
OR
<Copies|Paper copies> of the documents <mentioned|cited> here <cost|are sold at> <20|25|30|40> pence a page and can be
ordered from {desk} (telephone {counter}). <They are also kept|A set is kept> in the <reading rooms|deposit libraries>
of the provinces.
OR
<Documents marked as|Materials> incorporated by reference may be <inspected|examined> at
{address} and at the National Archives; <for the hours call {counter}|call {counter} before coming>.
"""

COMMON_FOOT = """
? The public is <reminded|advised> that only the text as printed in the *Verrany Register* is official;
<summaries|press releases|leaflets> at {site} <are|serve as> <a convenience|aids> <only|> and <bind no
one|have no legal force>.
OR
? <Persons with impaired hearing|Callers who are deaf or hard of hearing> <reach|may reach> the numbers <given
here|above> through the relay service at 0800–4<1|2|3|4|5>7.
OR
? <Translations|A translation> into the minority languages <of|recognized in> the <border|coastal|island> provinces
<will be|is to be> <placed|posted> at {site} <within|in> <ten|fourteen|twenty> days.
"""
