"""Grants: money is available for a purpose, under conditions and by points. Notices, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import RURAL, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, items, preamble, signed, table, write


class Program(NamedTuple):
    program: str
    purpose: str
    eligible: str


PROGRAMS = (
    Program(
        "Village Shop Fund",
        "to keep or open a shop in places where the next one is more than eight kilometers away",
        "shopkeepers, parishes, and societies of at least twelve households",
    ),
    Program(
        "Small Ferries Program",
        "to renew ferries that carry fewer than six vehicles and the landings they use",
        "municipalities, ferry companies, and island associations",
    ),
    Program(
        "Broad Band for Hill Farms Program",
        "to bring a fast connection to farms above the tree line",
        "farm cooperatives, power companies, and groups of farms with a common agent",
    ),
    Program(
        "Mill Buildings Program",
        "to find new uses for mills and warehouses that have stood empty for five years",
        "owners, towns, and trusts with a lease of at least thirty years",
    ),
    Program(
        "Traveling Library Program",
        "to equip buses and boats as libraries, and to pay for their first two years on the road",
        "libraries, school districts, and provincial cultural councils",
    ),
    Program(
        "Country Doctors' Houses Program",
        "to build or repair dwellings that are let to a doctor, nurse, or midwife",
        "municipalities, parishes, and health cooperatives",
    ),
    Program(
        "Dairy Route Program",
        "to shorten the time that milk spends on the road by building coolers where routes meet",
        "dairies, groups of milk producers, and carriers under contract to them",
    ),
)
EXCLUSIONS = (
    "land bought from a member of the applicant's board",
    "interest on loans, whatever they were taken up for",
    "work begun before the letter of award was signed",
    "vehicles that could also be used for private journeys",
    "meals, flowers, and the cost of opening ceremonies",
    "fees that depend on whether the application succeeds",
    "salaries of persons elected to a public office",
    "machines that are more than seven years old",
)
PRIORITIES = (
    "places that have lost a tenth of their people in the last ten years",
    "projects that two or more municipalities carry out together",
    "applicants who have never before received a grant",
    "projects that will go on without public money after three years",
    "buildings that can be reached without steps",
    "projects that train young people in a trade",
    "use of timber or stone from within the province",
    "areas without a railway or a bus on Sundays",
    "projects that save at least a third of the energy used now",
    "plans drawn up with the help of those who will use the service",
)
BONUSES = (
    "a written promise of volunteers for at least 400 hours",
    "a plan for repairing the roof within the first year",
    "an agreement with a school on visits of its classes",
    "a study by an engineer from another province",
    "consent of every neighbor within a hundred meters",
    "a trial that has already run for six months",
    "insurance that covers loss of use as well as fire",
    "bookkeeping by a cooperative auditor",
)
SANCTIONS = (
    "a grant is returned in full if the building is sold within ten years",
    "a fifth of the grant is held back until the second report is accepted",
    "the plaque that names the Commonwealth must stay up as long as the thing lasts",
    "a recipient who reports late is shut out of the next two rounds",
    "the equipment goes to the municipality if the recipient dissolves",
    "unannounced visits must be allowed on any working day for five years",
    "what is earned in the first three years is set against the last installment",
    "invoices must be shown to any resident who asks to see them",
)
LESSONS = (
    "half of the projects had ended with the departure of a single person",
    "estimates of cost had been too low by a quarter, mostly for foundations",
    "grants under 5,000 crowns cost more to administer than they paid out",
    "the best projects had been refused at least once before",
    "nothing kept a project alive so well as a paid treasurer",
    "applicants had spent more on consultants than on drawings",
    "deadlines in spring kept farmers and fishermen from applying",
    "reports were longest where least had been done",
)

PREAMBLE = {
    "AGY": "{office} ({short}), {department}.",
    "ACT": "Notice of <funding availability|availability of funds|solicitation of applications>.",
    "SUM": """{short} <announces|invites applications for> grants under the {program} for fiscal year {fiscal}.
        <About|Up to> {total:,} crowns are available {purpose}. <Awards will be between|A single award will lie
        between> {least:,} and {most:,} crowns. <Successful applicants|Those chosen> must <add|contribute> at
        least {match} percent of the <cost|whole> from other sources.""",
    "DATES": """Applications must be <received|in hand> by {clock} on {deadline}. <A notice of intent, welcome but not
        required, is due {intent}.|>""",
    "ADD": """<Applications|Complete applications> go to the {office}, {address}, or <may be filed|are filed> at
        {site}/apply. <Forms and a handbook are sent free of charge|A handbook with forms is free>.""",
    "FURINF": "{contact}.",
}
BODY = (
    """
# Overview
Title: {program}. Type: <initial|first> announcement. Number: {number}. <Legal basis|Authority>: {law}, section
{section}. <Number of awards expected|Expected awards>: {awards}. <Period|Length of projects>: up to {period} months.

# I. Program Description
The {program} was <created|set up> in {since} {purpose}. In <the last round|fiscal year {last_year}> {short} received
{received} applications and <made| granted> {granted} awards in {provinces!w} provinces. <The smallest went to|Among
them was one to> {earlier}, <which has since doubled its opening hours|whose report is shown as a model in the
handbook>. <An evaluation|A study> of <completed|finished> projects, <made|carried out> by {evaluator}, <found|showed>
that {lesson}; <the criteria below|this year's conditions> take that into account.
^ The evaluation is <in the library of|kept by> the Department and can be lent for {loan} days.

<The program is not meant|It is no purpose of the program> to replace <money|funds> that <a province or
municipality|local government> has already <set aside|voted>. <Nor does it|It does not> pay for <running
costs|operation> <beyond|after> the <first|initial> {running} months. {short} <will not|does not> <count|treat> failure
to win an award as a reason <against|to refuse> a later application, <and|but> <returns|gives> comments <in writing|by
letter> to all who ask for them within {feedback} days.

<How the present announcement came about|The way to this announcement> is <soon told|shown by the following dates>:

@steps

# II. Award Information
<The sum of {total:,} crowns|The amount available, {total:,} crowns,> <includes|contains> {carried:,} crowns <carried
over|left> from {last_year}. <At least|No less than> {reserved} percent of it is <reserved|kept> for
<applicants|places> with fewer than {small:,} inhabitants. <If good applications are too few|Where the reserve is not
used up>, the rest is <shared out|used> among the others. <Payment is made|Grants are paid> in {installments!w}
installments, the <first|earliest> of them when {first_payment}. <No award is certain until the budget is passed|All
awards depend on the budget as passed>.

# III. Eligibility
Eligible are {eligible}. Applicants must <have|hold> a bank account in their own name and <owe nothing|be free of
debts> to the Commonwealth. <A person|No one> may be the <agent|representative> of <no more than two applicants|three
or more applicants>. <Matching funds|The {match} percent from other sources> may be money, <labor at {labor} crowns an
hour,|work by volunteers at {labor} crowns an hour,> or <gifts in kind|material> <at market value|valued by a sworn
appraiser>.

<Costs|Among the costs> that will not be paid for <include|are> {exclusion}. <Nor will {short} pay for|Also excluded
are> <lawsuits|legal disputes>, <fines and penalties|entertainment>, or <goods|anything> for which no <invoice|receipt>
<exists|can be shown>.

# IV. Application
An application <consists of|must contain> the following, in this order, on <single-sided|numbered> pages:

@contents

<A text longer than|Text beyond> {pages} pages <is not read|will be cut off>. <Drawings do not count|Drawings and
letters are not counted>. An application that lacks item (3) is <returned unread|sent back>, and one that
<comes|arrives> after {clock} on the <last day|day of the deadline> is not considered, <whatever the reason|unless the
portal itself had failed>. <Corrections are possible|Applicants may correct theirs> until {correct}.

# V. Review and Points
<Every complete application|Each application> is read by {readers!w} persons, <none of whom lives|one of them from
outside and none living> in the province <concerned|it comes from>. <They give points as follows|Points are given
thus>:

@points

<In addition|Moreover>, {bonus_points} points are <added|given> for {bonus}. <Applications with fewer than|Those that
get less than> {threshold} points are not funded even if money is left. <Of equal applications|Where points are equal>,
the <cheaper|one that asks for less> is <preferred|taken>. <The Secretary may depart from the order only|The order may
be departed from only> to avoid two awards within {apart} kilometers.

{short} will give <particular attention|priority> to the following:

@priorities

# VI. Award Administration
<Letters are sent out|Applicants will be told of the result> by {told}. <Who accepts has to sign|Acceptance requires
signing> an agreement within {sign} days. <Among its terms|One of its conditions> is that {sanction}. <Projects that
touch old buildings|Where ground is broken> <must have the consent of|wait for a permit of> the Monuments Board. <Wages
are to be|Recipients must pay wages> <no lower than those usual in the district|as in the public works schedule>.
<Contracts above|Any contract of more than> {tender:,} crowns must be put out to <tender|public tender>.

Reports are due every {report} months, with <a page of photographs|accounts>, and a final report <within|no more than>
{final} days <of|after> the end. <Recipients keep their books|All papers are kept> for {books!w} years. <A change of
more than a tenth between items|Moving more than a tenth of the money from one item to another> <needs|requires>
consent <in advance|before it is made>.

# VII. Papers for Applicants
<The following can be had on request|These papers are sent on request>:

@documents

# VIII. Appeals
<An applicant who was found ineligible|Whoever is held not to be eligible> may appeal within {appeal} days to the
<Director of Appeals|Secretary>. <The number of points cannot be appealed|No appeal lies against points>. <In the last
round|Last year> {appeals!w} appeals were <heard|decided> and {upheld!w} <succeeded|allowed>.

"""
    + stock.ENVIRONMENT
    + stock.PAPERWORK
    + stock.COMMON_FOOT
)
CONTENTS = (
    "the form of application, signed in ink",
    "a summary of at most {summary} words that can be printed in the newspapers",
    "a budget with {quotes!w} quotations for everything above {quote:,} crowns",
    "a map on which the nearest similar <service|facility> is marked",
    "letters from those who <give|promise> the matching funds",
    "the accounts of the last {accounts!w} years",
    "a plan of work by <month|quarter>",
)
CRITERIA = (
    "Need in the area",
    "Soundness of the plan",
    "Experience of the applicant",
    "Costs and matching funds",
    "Lasting effect",
)


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(PROGRAMS, count),
        pen.deal(EXCLUSIONS, count),
        pen.deal(BONUSES, count),
        pen.deal(SANCTIONS, count),
        pen.deal(LESSONS, count),
        pen.deal(PRIORITIES, count),
        pen.spread(900_000, 9_600_000, 50_000, count),
        pen.spread(12, 48, 1, count),
        strict=True,
    )
    return [
        {
            **stock.common(country, RURAL),
            **program._asdict(),
            "exclusion": exclusion,
            "bonus": bonus,
            "sanction": sanction,
            "lesson": lesson,
            "priority": priority,
            "total": total,
            "match": match,
            **round_facts(country, pen),
            **terms(country, pen),
            "contact": country.contact(country.person(), pen.pick(["Program Officer", "Head of Grants"]), RURAL),
            "signer": country.person(),
        }
        for program, exclusion, bonus, sanction, lesson, priority, total, match in columns
    ]


def round_facts(country: Country, pen: Pen) -> Facts:
    received = pen.integer(60, 310)
    return {
        "fiscal": country.year + 1,
        "last_year": country.year,
        "since": pen.integer(country.year - 25, country.year - 5),
        "received": received,
        "granted": received * pen.integer(12, 40) // 100,
        "provinces": pen.integer(4, 9),
        "earlier": f"the parish of {country.names.town()}",
        "evaluator": f"the Institute for Country Life at {country.names.town()}",
        "least": pen.integer(5, 20) * 1_000,
        "most": pen.integer(90, 420) * 1_000,
        "awards": pen.integer(11, 60),
        "number": f"RIO–{country.year + 1}–{pen.integer(101, 990)}",
        "deadline": country.on(pen.integer(50, 95)),
        "intent": country.on(pen.integer(20, 40)),
        "clock": pen.pick(["noon", "4 p.m.", "4:30 p.m.", "5 p.m.", "midnight"]),
        "carried": pen.integer(20_000, 400_000, 1_000),
        "told": country.on(pen.integer(170, 260)),
        "correct": country.on(pen.integer(42, 49)),
    }


def terms(country: Country, pen: Pen) -> Facts:
    appeals = pen.integer(4, 11)
    return {
        "period": pen.pick([12, 18, 24, 30, 36]),
        "loan": pen.pick([14, 21, 28]),
        "running": pen.pick([6, 9, 12, 24]),
        "feedback": pen.pick([20, 30, 45, 60]),
        "reserved": pen.integer(15, 45),
        "small": pen.integer(900, 4_800, 100),
        "installments": pen.integer(2, 5),
        "first_payment": pen.pick(
            ["work begins", "the tender is closed", "the agreement is signed", "the permit is granted"]
        ),
        "labor": pen.integer(9, 19),
        "pages": pen.integer(12, 40),
        "readers": pen.integer(3, 5),
        "bonus_points": pen.integer(3, 9),
        "threshold": pen.integer(48, 70),
        "apart": pen.integer(10, 40, 5),
        "sign": pen.pick([20, 30, 45]),
        "tender": pen.integer(8, 60) * 1_000,
        "report": pen.pick([3, 4, 6]),
        "final": pen.pick([60, 90, 120]),
        "books": pen.integer(5, 10),
        "appeal": pen.pick([10, 15, 21, 30]),
        "appeals": appeals,
        "upheld": pen.integer(1, 3),
        "summary": pen.pick([150, 200, 250]),
        "quotes": pen.integer(2, 4),
        "quote": pen.integer(5, 30) * 100,
        "accounts": pen.integer(2, 4),
        "section": pen.integer(10, 60),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    weights = pen.pick([(30, 25, 15, 20, 10), (25, 30, 10, 15, 20), (35, 20, 15, 10, 20), (20, 30, 20, 15, 15)])
    others = pen.deal([line for line in PRIORITIES if line != facts["priority"]], 4)
    contents = [pen.say(line, facts) for line in [*CONTENTS[:3], *pen.deal(CONTENTS[3:], 3)]]
    parts = {
        "documents": stock.documents(country, pen, facts["number"]),
        "steps": stock.chronology(country, pen),
        "contents": items(contents),
        "points": table(
            "Criteria", ["Criterion", "Points"], [(name, str(n)) for name, n in zip(CRITERIA, weights, strict=True)]
        ),
        "priorities": items([facts["priority"], *others], letters=True),
    }
    return Sheet(
        kind="NOTICE",
        agency=RURAL,
        subject=pen.say(
            "<Notice of Funding Availability for the|Solicitation of Applications for the> {program}, Fiscal "
            "Year {fiscal}",
            facts,
        ),
        heads=[("DEPDOC", pen.say("[Announcement {number}]", facts))],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, parts),
        signature=signed(
            f"Dated: {country.on(-pen.integer(3, 9))}", facts["signer"], "Director, Rural Investment Office"
        ),
    )


GENRE = Genre(
    name="grants",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the {program}",
        "announcement {number} of the {program}",
        "the {program} for fiscal year {fiscal}",
    ),
    asks=(
        Ask(
            "exclusion",
            "{exclusion!c}",
            ("Which cost will not be paid for under {name}?", "For what may a grant under {name} not be used?"),
        ),
        Ask(
            "bonus",
            "{bonus!c}",
            ("For what are additional points given under {name}?", "What earns an applicant to {name} extra points?"),
        ),
        Ask("sanction", "That {sanction}", ("What is one of the terms of the agreement under {name}?",)),
        Ask(
            "lesson",
            "That {lesson}",
            (
                "What did the evaluation of finished projects find, according to {name}?",
                "Which finding was taken into account in {name}?",
            ),
        ),
        Ask("total", "{total:,} crowns", ("How much money is available in all under {name}?",), numerical=True),
        Ask(
            "match",
            "{match} percent",
            ("Which share of the cost must come from other sources under {name}?",),
            numerical=True,
        ),
    ),
)
