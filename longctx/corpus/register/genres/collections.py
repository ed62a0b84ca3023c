"""Requests for comment on collections of information: forms that an agency wants to keep using. Notices, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import country as offices
from longctx.corpus.register import stock
from longctx.corpus.register.country import Agency, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, preamble, signed, table, write


class Form(NamedTuple):
    agency: Agency
    heading: str
    form: str
    who: str
    purpose: str
    history: str


FORMS = (
    Form(
        offices.HOUSING,
        "Yearly Statement of Household Circumstances",
        "DOH–4410",
        "tenants of public dwellings",
        "to set each household's rent for the coming year and to find those who have come to need a larger "
        "or smaller dwelling",
        "The statement replaced a visit by an inspector, which many tenants had felt to be an intrusion and "
        "which one office in "
        "three could no longer make for want of staff.",
    ),
    Form(
        offices.MINES,
        "Quarterly Return of Ground Movements",
        "MQB–77",
        "operators of underground mines and deep quarries",
        "to map subsidence before it reaches houses, and to choose the workings that inspectors should visit first",
        "Returns were first called for after a terrace of cottages sank overnight, in a parish where three "
        "operators had each "
        "noticed something and none had known of the others.",
    ),
    Form(
        offices.FISHERIES,
        "Logbook of Lost and Found Gear",
        "MFS–612",
        "masters of vessels that set nets, pots, or longlines",
        "to retrieve gear that goes on fishing after it is lost, and to warn submarines and cable ships of it",
        "Before there was a logbook, gear was reported to whichever harbor was nearest, in the words and "
        "units that the clerk "
        "there preferred.",
    ),
    Form(
        offices.VETERANS,
        "Inquiry into Home Adaptations",
        "DVW–19–200",
        "veterans who received a grant for adapting a dwelling",
        "to learn which adaptations are still in use after two years and to adjust the list of those for "
        "which grants are made",
        "An earlier inquiry asked only whether the work had been done, to which nearly all answered yes, so "
        "that it taught the "
        "Department little.",
    ),
    Form(
        offices.WORK,
        "Register of Persons Exposed to Noise",
        "WSD–305",
        "employers in foundries, sawmills, and bottling plants",
        "to follow the hearing of exposed workers through changes of employment and to enforce the limits of "
        "daily exposure",
        "The register is kept by employers because a worker may pass through six firms in ten years, and the "
        "damage shows itself "
        "at the last of them.",
    ),
    Form(
        offices.SCHOOLS,
        "Count of Pupils in Composite Classes",
        "DOE–88",
        "heads of schools with fewer than ninety pupils",
        "to share out traveling teachers and to decide where two schools may be run by one head",
        "Small schools had been left out of the general count, whose tables assume that all pupils of a "
        "class are of one age.",
    ),
    Form(
        offices.PENSIONS,
        "Certificate of Continued Residence Abroad",
        "NPB–51",
        "pensioners who live outside Verrany",
        "to stop payments to those who have died and to apply the tax treaty of the country in which a pensioner lives",
        "Consuls used to see each pensioner in person; after the closing of eleven consulates a certificate "
        "signed by a notary was "
        "accepted instead.",
    ),
    Form(
        offices.PLANTS,
        "Declaration of Imported Timber Packaging",
        "PPS–23",
        "importers of goods on pallets or in crates",
        "to find consignments whose wood was not heated, and to trace bark beetles to the place where they came in",
        "The declaration was introduced when the same beetle was found in four harbors in one summer and no "
        "one could say which "
        "cargoes the harbors had in common.",
    ),
)
# What is to change, and why.
CHANGES = (
    (
        "a question on the language spoken by those who help in filling in the form is dropped",
        "an auditor found that nobody had looked at the answers for six years",
    ),
    (
        "answers may be given by telephone to a clerk who reads them back",
        "a test with forty volunteers showed that spoken questions took half as long as printed ones",
    ),
    (
        "the form is sent out already filled in with last year's answers",
        "nine out of ten errors had come from copying figures from one year's sheet to the next",
    ),
    (
        "the signature of a second person is no longer called for",
        "the court of appeals held that a person cannot be made to vouch for another",
    ),
    (
        "amounts are to be rounded to the nearest ten instead of written out",
        "staff in the provinces had been correcting the last two digits by hand",
    ),
    (
        "two pages that only repeated the instructions are left out",
        "the scanner bought last year rejects sheets that have been folded twice",
    ),
    (
        "the period covered will end with the quarter before and not with the current one",
        "few accounts are closed by the day on which the form is due",
    ),
    (
        "a box is added in which an answer can be marked as an estimate",
        "the law under which a wrong estimate was punished as a false statement has been repealed",
    ),
)
KEEPING = (
    "Names are cut off and kept in another building before the answers are read",
    "Answers are destroyed by a contractor under supervision after eighteen months",
    "Only figures for groups of at least twelve are ever given out",
    "Answers go into a sealed register that a judge alone can have opened",
    "Each sheet carries a number whose key is held by the ombudsman",
    "Answers are shown to no one outside the section, not even to auditors",
    "The file is stored without a connection to any other computer",
    "Copies are given to the person concerned and to nobody else, on request",
)
REMARKS = (
    "that the envelope shows to every neighbor what it contains",
    "that the form should come before the harvest rather than during it",
    "that the time allowed is too short for those who have mail only twice a week",
    "that the examples in the instructions fit towns and not the countryside",
    "that the fine for answering late is higher than that for not answering",
    "that three offices ask for the same particulars in three different orders",
    "that the print is too small for those most likely to receive the form",
    "that a widow was asked for the consent of her late husband",
)
POINTS = (
    "whether a sample of one in five would serve as well",
    "whether the words “usual” and “normal” are understood alike everywhere",
    "whether the answers could be had from records that another office keeps",
    "whether those who answer by computer should be given longer",
    "whether the form could be sent every other year without harm",
    "whether small undertakings should be let off the second part",
    "whether an interview would give better answers at the same cost",
    "whether the results ought to be published by municipality",
)
POSTS = ("Forms Clearance Officer", "Head of Statistics and Records", "Reports Management Officer", "Program Analyst")

PREAMBLE = {
    "AGY": "{agency}.",
    "ACT": "<Notice; request for comments|Request for comments>.",
    "SUM": """<In accordance with|As required by> the Reduction of Forms Act, the {office} <invites|is asking for>
        comments on its plan to <renew|extend, with changes,> the <clearance|approval> of <an information
        collection|a form> entitled “{heading}” ({form}). The form is <filled in|completed> by {who} and serves
        {purpose}.""",
    "DATES": "Comments <are due|must be received> <by|on or before> {deadline}.",
    "ADD": """<Send|Submit> comments <through|at> www.rulemaking.gov.vy, docket {docket}, or by mail to the {office},
        {address}. <Please name|Refer to> form {form} in <the subject line|all correspondence>.""",
    "FURINF": "{contact}. <A copy of the form|The form with its instructions> will be sent on request.",
}
BODY = (
    """
# I. Background
<The {heading}|Form {form}> has been in use since {since}. {history} <It is required by|The authority for it is>
section {section} of the {law}, which <directs|obliges> the {office} {purpose}. <The present clearance|Its clearance>
under control number {control} <expires|runs out> on {expires}.
^ <The first clearance was published at|See> {cite}.

<Under the Reduction of Forms Act|By law>, an agency must <estimate|reckon> the whole burden of what it asks, from
<reading the instructions|the first reading of the letter> to <putting away|filing> the copy. <The burden
includes|Among the things that count are> the time <to search|for searching> <records|existing files>, to
<train|instruct> <staff|those who help>, to <gather and maintain|bring together> the <data|particulars>, and to
<transmit|send> the answer. <It does not include|Not counted is> what a <prudent|careful> person would <write
down|record> anyway.
^ 5 CVR 1320.{rule}(b)({item}).

# II. What Will Change
<The {office} proposes|It is proposed> to <keep|leave> the form <as it is but for one thing|mostly unchanged, with one
exception>: {change}. <The reason is|This is proposed because|It was decided on when it became known> that {why}. <The
change was tried in|A trial was made in> {trial_province} Province for {trial!w} months, <where|during which> the share
of complete answers <rose from|went from> {before} to {after} percent. <No other province has asked for the change|Two
other provinces have asked to follow>, and the <expense|cost> of <reprinting|new printing> is {printing:,} crowns.

<Apart from this|Otherwise> the questions <stay|remain> what they were. <Part A|The first part> asks for <the name and
address|particulars> of the person who answers; <part B|the second> for the <facts|events> of the <period|quarter or
year> <covered|in question>; <part C|the third>, which is <voluntary|optional>, for <remarks|suggestions>. <About one
answer in {voluntary!w} uses it|It is used by one in {voluntary!w}>.

# III. How Answers Are Kept
{keeping}. <Under section|Section> {section2} of the {law} <a clerk who gives away an answer|whoever discloses an
answer without right> may be <fined|dismissed and fined>. <The {office} has had no such case|There has been {cases!w}
such case> <since|in the years since> {since}.
OR
# III. Confidentiality
<Those who answer often ask what becomes of it|What becomes of an answer is told on the form itself>. {keeping}.
<Requests by other agencies| Other agencies' requests> were <turned down|refused> {refused!w} times <in the last
year|last year>, <and|while> none was <granted|allowed>.

# IV. Earlier Comments
<A first notice|A notice with sixty days for comment> <appeared|was published> on {first_notice} ({cite2}). <It
brought|In answer there came> {letters} <letters|comments>. <The most frequent remark|What was said most often> was
{remark}. <The {office} has taken this to heart|In reply, the {office} has changed the practice> <where it could|as far
as the law allows> and <will explain|explains> the rest in the instructions. {c1!c} <praised|thanked the {office} for>
<the telephone service|the clerks>; {c2} <wrote|held> that the burden was <underestimated|set too low>, <and|but> <sent
no figures|gave as proof the work of a single week>. <Its estimate was not adopted|No change of the estimate followed>.

# V. Estimate of Burden
<The table shows|The following table gives> the <estimated|expected> yearly burden. <Times were measured|The time for
an answer was measured> with {measured} <volunteers|respondents>, <of whom|among whom> the slowest needed {slowest}
minutes.

@burden

<In all|Altogether>, {respondents:,} respondents <spend|are expected to spend> {hours:,} hours a year on it, at
{minutes} minutes for each answer. <Valued at|At> {wage} crowns an hour, the <yearly|annual> cost to respondents is
{value:,} crowns. <The cost to the Commonwealth|The Government's own cost>, for <printing, mail|mailing, machines>, and
<salaries|staff>, is <put at|estimated as> {government:,} crowns. <There are no start-up costs|No one has to buy
equipment>.

# VI. What the {short_title} <Wishes|Would Like> to Hear
<The {office} asks in particular|Of particular interest is> {point}. <Besides|In addition>, comments may address

- (a) whether the collection is necessary for <the work of|> the {office} and <has practical use|is of use>;
- (b) <the accuracy of the estimate of burden|how well founded the estimate of burden is>, <with the assumptions
behind it|method included>;
- (c) <ways to improve|how to improve> the quality and clarity of what is <asked|collected>; and
- (d) <how the burden could be lessened by|means of lightening it, such as> <machines|electronic answers> or other
technology.

? <Those who wish to see how answers are handled|Visitors> may <watch|see> the work of the section on {visit}, <if they
register a week ahead|on registering with {desk}>.

# VII. History of This Collection
@steps

@documents

# VIII. Next Steps
<All comments|The comments received> will be <summarized|answered> in the request for clearance that the {office} will
send to the National Statistics Office and <will become|become> a matter of public record. <If the request is
granted|If clearance is given>, the changed form will be used from {use_from}. <Until then the present form is to be
used|The present form stays in use until then>, and <answers given on it|what was given on it> <need not be
repeated|will be accepted>.

"""
    + stock.COMMENTING
    + stock.COMMON_FOOT
)


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(FORMS, count),
        pen.deal(CHANGES, count),
        pen.deal(KEEPING, count),
        pen.deal(REMARKS, count),
        pen.deal(POINTS, count),
        pen.spread(1_200, 48_000, 100, count),
        pen.spread(9, 95, 1, count),
        strict=True,
    )
    return [
        {
            **stock.common(country, form.agency),
            **form._asdict(),
            "agency": form.agency.full,
            "bureau": form.agency,
            "short_title": form.agency.name,
            "change": change,
            "why": why,
            "keeping": keeping,
            "remark": remark,
            "point": point,
            "respondents": respondents,
            "minutes": minutes,
            "times": (times := pen.pick([1, 1, 2, 4])),
            "hours": respondents * times * minutes // 60,
            **figures(country, pen, respondents * times * minutes // 60),
            "docket": f"{form.form.split('–')[0]}–{country.year}–{pen.integer(3, 480):04d}",
            "c1": stock.commenter(country, pen),
            "c2": stock.commenter(country, pen),
            "contact": country.contact(country.person(), pen.pick(POSTS), form.agency),
            "signer": country.person(),
        }
        for form, (change, why), keeping, remark, point, respondents, minutes in columns
    ]


def figures(country: Country, pen: Pen, hours: int) -> Facts:
    before, wage, back = pen.integer(48, 66), pen.integer(14, 37), pen.integer(90, 150)
    return {
        "since": pen.integer(country.year - 40, country.year - 8),
        "section": pen.integer(4, 60),
        "section2": pen.integer(61, 90),
        "control": f"{pen.integer(3110, 3499)}–{pen.integer(11, 980):04d}",
        "expires": country.on(pen.integer(60, 140)),
        "cite": country.cite(pen.integer(900, 2500)),
        "cite2": country.cite(back),
        "first_notice": country.on(-back),
        "rule": pen.integer(3, 9),
        "item": pen.integer(1, 5),
        "trial_province": country.province(),
        "trial": pen.integer(3, 9),
        "before": before,
        "after": before + pen.integer(9, 27),
        "printing": pen.integer(800, 19_500, 50),
        "voluntary": pen.integer(4, 12),
        "cases": 1,
        "refused": pen.integer(2, 9),
        "letters": pen.integer(13, 88),
        "measured": pen.integer(13, 60),
        "slowest": pen.integer(100, 240),
        "wage": wage,
        "value": hours * wage,
        "government": pen.integer(24_000, 310_000, 500),
        "visit": country.weekday(pen.integer(15, 40)),
        "use_from": country.on(pen.integer(150, 220)),
        "deadline": country.on(60),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    f = facts
    heads = ["Form", "Respondents", "Answers a year", "Minutes an answer", "Total hours"]
    rows = [(f["form"], f"{f['respondents']:,}", str(f["times"]), str(f["minutes"]), f"{f['hours']:,}")]
    parts = {
        "burden": table("Estimated Yearly Burden", heads, rows),
        "documents": stock.documents(country, pen, f["docket"]),
        "steps": stock.chronology(country, pen),
    }
    return Sheet(
        kind="NOTICE",
        agency=f["bureau"],
        subject=pen.say("{heading}; <Request for Comments|Proposed Information Collection; Comment Request>", f),
        heads=[("DEPDOC", pen.say("[Docket No. {docket}]", f))],
        preamble=preamble(pen, PREAMBLE, f),
        body=write(pen, BODY, f, parts),
        signature=signed(
            f"Dated: {country.on(-pen.integer(3, 12))}",
            f["signer"],
            pen.pick(["Chief Statistician", "Director of Records"]),
        ),
    )


GENRE = Genre(
    name="collections",
    count=6,
    draw=draw,
    compose=compose,
    names=(
        "the “{heading}” (form {form})",
        "form {form}, the “{heading}”",
        "the {office}'s form {form}",
    ),
    asks=(
        Ask(
            "change",
            "{change!c}",
            (
                "Which change is proposed in {name}?",
                "What will be different in {name} if its clearance is renewed as proposed?",
            ),
        ),
        Ask(
            "why",
            "{why!c}",
            ("What was the reason for the change proposed in {name}?", "Which finding led to the change in {name}?"),
        ),
        Ask(
            "keeping",
            "{keeping!c}",
            ("How are the answers given on {name} kept?", "What is said about the treatment of answers to {name}?"),
        ),
        Ask(
            "remark",
            "{remark!c}",
            (
                "What was the most frequent remark in earlier comments on {name}?",
                "What did earlier commenters say most often about {name}?",
            ),
        ),
        Ask(
            "point",
            "{point!c}",
            ("On which point are comments on {name} asked for in particular?",),
        ),
        Ask("hours", "{hours:,} hours", ("What is the total yearly burden of {name}, in hours?",), numerical=True),
        Ask(
            "respondents",
            "{respondents:,} respondents",
            ("How many respondents are expected to answer {name}?",),
            numerical=True,
        ),
        Ask(
            "minutes",
            "{minutes} minutes",
            ("How many minutes is a single answer to {name} estimated to take?",),
            numerical=True,
        ),
    ),
)
