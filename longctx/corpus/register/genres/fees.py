"""Fees: a service that users pay for becomes dearer, with the new schedule. Final and proposed rules, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import country as offices
from longctx.corpus.register import stock
from longctx.corpus.register.country import Agency, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, amendment, preamble, said, signed, table, write


class Service(NamedTuple):
    agency: Agency
    service: str
    users: str
    items: tuple[str, ...]


SERVICES = (
    Service(
        offices.GRADING,
        "the grading of wool",
        "shearers, dealers, and spinning mills",
        (
            "Grading of a bale, at the shed",
            "Grading of a bale, at the warehouse",
            "Core sample",
            "Certificate of yield",
            "Appeal grading",
        ),
    ),
    Service(
        offices.HARBORS,
        "the survey of small passenger vessels",
        "owners of ferries, launches, and excursion boats",
        (
            "First survey, up to 12 meters",
            "First survey, over 12 meters",
            "Yearly survey",
            "Survey after repair",
            "Inclining test",
        ),
    ),
    Service(
        offices.PLANTS,
        "the certification of nursery stock",
        "growers of fruit trees, roses, and hedging plants",
        (
            "Field inspection, first hectare",
            "Field inspection, each further hectare",
            "Virus test",
            "Label roll",
            "Export certificate",
        ),
    ),
    Service(
        offices.FOODS,
        "the inspection of cold stores",
        "keepers of cold stores and shippers of frozen food",
        (
            "Registration of a store",
            "Yearly inspection",
            "Inspection at night or on a holiday",
            "Swab test",
            "Release of a held lot",
        ),
    ),
    Service(
        offices.MINES,
        "the testing of hoisting ropes",
        "mine operators and makers of wire rope",
        (
            "Tensile test of a sample",
            "Magnetic test, per shaft",
            "Certificate of splice",
            "Witnessed socketing",
            "Rope record copy",
        ),
    ),
    Service(
        offices.ARCHIVES,
        "the reproduction of maps and plans",
        "surveyors, publishers, and family historians",
        (
            "Photographic print",
            "Digital copy, to one square meter",
            "Digital copy, larger",
            "Certified extract",
            "Search by staff, per hour",
        ),
    ),
    Service(
        offices.RAIL,
        "the examination of signal keepers",
        "railways and training colleges",
        (
            "Written paper",
            "Oral examination",
            "Practical test in a signal cabin",
            "Renewal of a certificate",
            "Replacement certificate",
        ),
    ),
)
CAUSES = (
    "the office had to move out of a building whose floors could no longer bear its files",
    "the wages of inspectors were raised by the arbitration award of last spring",
    "a subsidy from the general budget ended with the fiscal year",
    "fewer applications must now carry the whole cost of the traveling staff",
    "the old fees were set on figures that left pensions out of the account",
    "two vehicles with test equipment must be replaced in the same year",
    "the courts have ruled that overtime is owed for time spent on ferries",
    "the insurer doubled the premium after a claim for a wrong certificate",
)
RELIEFS = (
    "schools and museums, which go on paying the old fees",
    "a user's first application in a calendar year, which costs half",
    "applicants on the outer islands, for whom no travel is charged",
    "charities that render the service to others free of charge",
    "persons over seventy who apply on their own behalf",
    "cases in which the fee would exceed a tenth of the value at stake",
    "users who book a whole day together with their neighbors",
    "repetitions that become necessary through a fault of the office",
)
REJECTED = (
    (
        "that the rise be spread over five years",
        "the reserve would be used up in the second of them",
    ),
    (
        "that fees follow the income of the user",
        "the work of an inspector does not grow with it",
    ),
    (
        "that private firms be allowed to compete",
        "the law gives the service to the Commonwealth alone",
    ),
    (
        "that complaints be free of charge until they are decided",
        "nine complaints in ten have been withdrawn on the day of the visit",
    ),
    (
        "that each province set fees of its own",
        "users near a border would be driven from one office to the next",
    ),
    (
        "that payment in kind be accepted",
        "the accounts of the Commonwealth are kept in crowns",
    ),
    (
        "that the fee be returned when a result is disputed",
        "most results would then be disputed for that alone",
    ),
)
MEASURES = (
    "two district offices share one secretary",
    "certificates are printed by the user and only numbered by the office",
    "visits are planned by a program that halves the kilometers driven",
    "parcels go by ordinary mail instead of by courier",
    "the library was given to the university on permanent loan",
    "night work is done by one team for the whole of the coast",
    "the quarterly journal is no longer printed",
    "retired examiners mark papers by the piece",
)

PREAMBLE = {
    "AGY": "{agency}.",
    "ACT": "Final rule.",
    "SUM": """<This rule|The {office}> <changes|revises> the fees for {service}, which were last <set|adjusted> in
        {last}. <On average they rise|The average rise is> by {rise} percent. <The change is needed|It has
        become necessary> because {cause}. <The fees|They> are paid by {users} and <are meant to cover|must
        cover> the <full|whole> cost of the service.""",
    "DATES": "<This rule is effective|Effective> {effective}.",
    "FURINF": "{contact}.",
}
BODY = (
    """
# Background
The {law} <requires|directs> that {service} be <paid for|financed> by those who use it. <The {office} reviews|Under
section {section} the {office} must review> the fees <every second year|at least every third year>, <using|on the basis
of> the accounts of a <special fund|trust fund> into which <they|all fees> are paid. At the end of {last_year} <the
fund held|there remained in the fund> {reserve:,} crowns, <or|that is,> enough for {months!w} months;
<prudence calls for six|the auditors recommend six>.
^ The accounts are <printed|given> in the yearly report of the {office}, <chapter|part> {chapter}.

<The present fees date from {last}|The fees in force were set in {last}>. <Since then|In the meantime> costs have
<grown|risen> by {inflation} percent, while the number of <applications|cases> has <fallen|gone> from {volume_before:,}
to {volume:,} a year. <Above all|The main cause of the shortfall, however, is that> {cause}. <Without a change|Were
nothing done>, the fund would be <empty|exhausted> by {empty_by}.

<Before proposing a rise|Before turning to its users>, the {office} looked for savings<, with some success|>.
{measure!c}, which saves {saving:,} crowns a year. <A consultant|An auditor> who <reviewed|examined> the
<organization|staffing> in {last_year} <found|reported> no <overstaffing|waste worth mentioning>, <though|but> he
<criticized|noted> <the filing system|the age of the scales|the number of keys>.

# Comments on the Proposal
<A proposed rule|The proposal> was published on {proposed_on} ({cite}). {letters!W} comments were received<, most of
them from users|, some of them jointly signed|>. <Half of them|About half> <accepted|did not oppose> a rise but <asked
for|wanted> more time; <in response the effective date was moved by a month|the effective date has therefore been put
off by thirty days>. <The other questions raised|Other points> are <answered|dealt with> here.

{c1!c} <demanded|asked> {ask1}. <The {office} cannot agree|This was not done>: {answer1}. <The same|A similar>
<wish|request> was <rejected|answered in the same way> in {last}.

{c2!c} <proposed|suggested> {ask2}. <The difficulty is that|It was not adopted because> {answer2}. <If circumstances
change, it can be taken up again|The {office} will return to the idea in its next review>.

{c3!c} <found|considered> the <table|schedule> <hard to read|confusing> and <asked for|wanted> <an example|examples>;
<one is given below|they are given in the section headed “Examples”>. <A person who signed with initials only|An
anonymous writer> <complained of|objected to> the <tone|manners> of an inspector, which is <outside the scope of this
rule|no matter for rulemaking>.

{c4!c} <doubted|questioned> the <forecast|figures>, <since|noting that> the number of cases <rose again|went up> in
<the last two months of|the spring of> {last_year}. <One good season is not a trend|The rise was due to a single large
user>, <and|while> the forecast of {last} <proved|turned out> too hopeful by
{forecast_error} percent. <Should receipts exceed costs for two years running|If the fund grows beyond what nine months
require>, fees will be <lowered| cut> without <a new petition|being asked>.

# Steps Taken
@steps

# Alternatives Considered
<Three|Several> other ways <of balancing the fund|out> were <weighed|examined>. <A yearly subscription|A flat yearly
charge> in place of fees would have <burdened|fallen hardest on> those who <seldom|rarely> need the service. <Longer
intervals|Less frequent visits> would have saved {alternative:,} crowns a year, but the law <fixes|lays down> the
<least|minimum> frequency. <A surcharge for haste|A higher fee for quick service> <is kept in reserve|was tried in one
district and led to bargaining at the counter>.

# The New Fees
<The fees are built up|They were calculated> from <three|the following> elements: <the time of|time spent by> the
inspector, at {hourly} crowns an hour; <travel|traveling>, <averaged over all users|spread evenly>, <so that distance
does not matter|so that remote users pay no more>; and a share of <rent, instruments, and administration|general
expenses>, at {overhead} percent of the <first two|other elements>. <Sums were rounded|All amounts are rounded> <up to
the next half crown|to the nearest half crown>.

@schedule

# Relief
<The new fees do not apply in full to|An exception is made for> {relief}. <The loss, about {relief_cost:,} crowns a
year, is borne|This costs the fund about {relief_cost:,}
crowns a year, which is made up> by the <general budget|Department's reserve>. <No
application for it is needed|It must be claimed on the form>.

# Examples
A user who <applies for|orders> {item_a} <twice|three times> a year and once for {item_b} <paid|has paid> {old_total}
crowns <until now|so far> and will pay {new_total} crowns. For <the smallest users|a user with a single application>
the <difference|rise> is <less than a day's wage|seldom more than twenty crowns>. <Large users|The ten largest users>,
who <bear|pay> {large} percent of all fees, <told the {office} that|say> they <will pass|expect to pass> it on.

# Accounts and Studies
@documents

# Payment
Fees are <due|to be paid> <with the application|in advance>, <by bank transfer or at the counter|in cash, by card, or
by transfer>. <A bill not paid within|Whoever pays later than> {grace} days <bears interest of|owes interest at>
{interest} percent a year, <and the certificate is withheld|during which the certificate may be held back>. <Fees for
work not begun are returned|If the work has not begun, the fee is returned> less {retained} crowns.

"""
    + stock.PAPERWORK
    + stock.SMALL_BUSINESS
    + stock.REVIEW
    + stock.DOCKET_ROOM
    + """

@text
"""
)
TEXT = """
1. The authority citation for part {part} <continues to read|reads>: {law}, section {section}.

2. Revise § {part}.{number} to read as follows:

§ {part}.{number} Fees.

(a) For {service} the fees <set out|shown> in the schedule apply from {effective}.

(b) <Paragraph (a) does not apply to|Excepted are> {relief}, as far as the {office} has <published|announced>.

(c) Interest on late payment is {interest} percent a year, beginning {grace} days after the bill.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(SERVICES, count),
        pen.deal(CAUSES, count),
        pen.deal(RELIEFS, count),
        pen.deal(MEASURES, count),
        pen.spread(6, 39, 1, count),
        pen.spread(41, 96, 1, count),
        strict=True,
    )
    facts = []
    for service, cause, relief, measure, rise, hourly in columns:
        (ask1, answer1), (ask2, answer2) = pen.deal(REJECTED, 2)
        facts.append(
            {
                **stock.common(country, service.agency),
                **service._asdict(),
                "agency": service.agency.full,
                "bureau": service.agency,
                "cause": cause,
                "relief": relief,
                "measure": measure,
                "rise": rise,
                "hourly": hourly,
                "ask1": ask1,
                "answer1": answer1,
                "ask2": ask2,
                "answer2": answer2,
                **{name: stock.commenter(country, pen) for name in ("c1", "c2", "c3", "c4")},
                **amounts(country, pen),
                **prices(pen, service.items, rise),
                "contact": country.contact(
                    country.person(), pen.pick(["Fee Analyst", "Chief of Accounts"]), service.agency
                ),
                "signer": country.person(),
            }
        )
    return facts


def amounts(country: Country, pen: Pen) -> Facts:
    before, back = pen.integer(3_000, 29_000, 10), pen.integer(90, 200)
    return {
        "last": country.year - pen.integer(4, 11),
        "last_year": country.year - 1,
        "reserve": pen.integer(41_000, 880_000, 500),
        "months": pen.integer(1, 5),
        "chapter": pen.integer(2, 9),
        "inflation": pen.integer(11, 34),
        "volume_before": before,
        "volume": before * pen.integer(70, 94) // 100,
        "empty_by": f"{pen.pick(['March', 'May', 'August', 'October'])} {country.year + 1}",
        "saving": pen.integer(4_000, 61_000, 100),
        "proposed_on": country.on(-back),
        "cite": country.cite(back),
        "letters": pen.integer(9, 60),
        "forecast_error": pen.integer(6, 21),
        "alternative": pen.integer(11_000, 92_000, 500),
        "overhead": pen.integer(18, 44),
        "relief_cost": pen.integer(900, 14_000, 50),
        "large": pen.integer(30, 70),
        "grace": pen.pick([14, 20, 30, 45]),
        "interest": pen.integer(4, 11),
        "retained": pen.integer(5, 30),
        "section": pen.integer(5, 80),
        "part": pen.integer(60, 390),
        "number": pen.integer(3, 90),
        "effective": country.on(pen.integer(30, 75)),
    }


def prices(pen: Pen, items: tuple[str, ...], rise: int) -> Facts:
    """Old and new fee of each item, in half crowns."""
    old = [pen.integer(30, 480) for _ in items]
    old[:2] = sorted(old[:2])
    new = [round(price * (100 + rise + pen.integer(-4, 4)) / 100) for price in old]
    return {
        "old": old,
        "new": new,
        "item_a": f"“{items[0]}”",
        "item_b": f"“{items[2]}”",
        "dearest": f"{max(new) / 2:.2f}",
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    f = dict(facts)
    times = pen.pick([("twice", 2), ("three times", 3)])
    f["old_total"] = f"{(times[1] * f['old'][0] + f['old'][2]) / 2:.2f}"
    f["new_total"] = f"{(times[1] * f['new'][0] + f['new'][2]) / 2:.2f}"
    rows = [
        (item, f"{old / 2:.2f}", f"{new / 2:.2f}")
        for item, old, new in zip(f["items"], f["old"], f["new"], strict=True)
    ]
    body = BODY.replace("<twice|three times> a year and once", f"{times[0]} a year and once")
    parts = {
        "documents": stock.documents(country, pen, f"{f['short']}–{f['part']}"),
        "steps": stock.chronology(country, pen),
        "schedule": table("Schedule of Fees, in Crowns", ["Service", "Until now", "New"], rows),
        "text": amendment(f["title"], f["part"], said(pen, TEXT, f)),
    }
    return Sheet(
        kind="RULE",
        agency=f["bureau"],
        subject=pen.say("<Fees for|Schedule of Fees for> {service}", f),
        heads=[
            ("CFR", pen.say("{title} CVR Part {part}", f)),
            ("DEPDOC", f"[Docket No. {pen.integer(20, 39)}–{pen.integer(1000, 9999)}]"),
        ],
        preamble=preamble(pen, PREAMBLE, f),
        body=write(pen, body, f, parts),
        signature=signed(f"Dated: {country.on(-pen.integer(3, 9))}", f["signer"], "Administrator"),
    )


GENRE = Genre(
    name="fees",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the final rule on fees for {service}",
        "the new schedule of fees for {service}",
        "the {office}'s rule raising the fees for {service}",
    ),
    asks=(
        Ask(
            "cause",
            "{cause!c}",
            ("What is given as the main cause of the shortfall in {name}?", "Why did {name} become necessary?"),
        ),
        Ask(
            "relief",
            "{relief!c}",
            ("For whom or what is an exception made in {name}?", "To what does {name} not apply in full?"),
        ),
        Ask("measure", "{measure!c}", ("Which saving had been made before {name} was proposed?",)),
        Ask("request", "{ask1!c}", ("What did {c1} ask for in connection with {name}?",), near=("{ask2!c}",)),
        Ask(
            "answer",
            "Because {answer2}",
            ("Why was the suggestion of {c2} not adopted in {name}?",),
            near=("Because {answer1}",),
        ),
        Ask("rise", "{rise} percent", ("By how much do the charges rise on average under {name}?",), numerical=True),
        Ask(
            "hourly",
            "{hourly} crowns",
            ("At what rate is an hour of an inspector's time reckoned in {name}?",),
            numerical=True,
        ),
    ),
)
