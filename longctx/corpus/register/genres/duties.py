"""Countervailing and antidumping duties: the Tariff Board's preliminary results of a review. Notices, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import TARIFFS, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, preamble, signed, table, write


class Goods(NamedTuple):
    goods: str
    scope: str
    uses: str
    excluded: str


GOODS = (
    Goods(
        "glazed roofing tiles",
        "tiles of fired clay, glazed on at least one face, whether flat, interlocking, or in the form of a "
        "trough, and ridge and "
        "verge pieces entered with them",
        "They are used for roofs and for facing gables, and are sold by the pallet.",
        "tiles with a hand-painted figure that are sold one by one",
    ),
    Goods(
        "seamless copper tube",
        "tube of refined copper without a seam, of an outside diameter of 6 to 54 millimeters, in straight "
        "lengths or coils, annealed or "
        "hard drawn, bare or coated",
        "Plumbers and makers of refrigerators buy most of it; a little goes to breweries.",
        "tube with inner grooves that is cut to the length of a heat exchanger",
    ),
    Goods(
        "bicycle frames of steel",
        "frames welded or brazed from steel tube, painted or not, with or without a fork, for wheels of more "
        "than 40 centimeters",
        "Assemblers complete them with parts from many countries.",
        "frames for wheelchairs and for cycles with three wheels",
    ),
    Goods(
        "canned chanterelles",
        "mushrooms of the genus Cantharellus, whole or in pieces, in brine, oil, or their own juice, in "
        "sealed containers of up to three "
        "kilograms",
        "They are bought by makers of soups and, before the holidays, by households.",
        "dried mushrooms that have been soaked and packed within Verrany",
    ),
    Goods(
        "polyester sewing thread",
        "thread of polyester filament or staple, of two or more plies, on cones, spools, or cards, dyed or "
        "undyed, with or without a "
        "lubricant",
        "Its main users are makers of work clothes, sails, and mattresses.",
        "surgical thread in sterile single packages",
    ),
    Goods(
        "wooden window blinds",
        "blinds and shutters whose slats are of wood or mostly of wood, finished or unfinished, with cords, "
        "tapes, or ladders, and slats "
        "entered separately",
        "They are cut to measure by shops all over the country.",
        "blinds of bamboo that is woven and not slatted",
    ),
    Goods(
        "forged garden tools",
        "spades, forks, hoes, and picks with a head forged from one piece of steel, with or without a "
        "handle, and such heads alone",
        "Hardware shops sell most of them between March and June.",
        "tools whose head is stamped from sheet",
    ),
)
COUNTRIES = ("Ambria", "the Kingdom of Orsova", "Tessaly", "Norland", "the Republic of Quillon", "Marrakand")
SUBSIDIES = (
    "sale of electricity by the state railway at the night rate all day long",
    "forgiveness of loans by a provincial bank that was then wound up",
    "use of a state-owned quay and its cranes for a token rent",
    "refund of taxes on machines that were bought long before the law",
    "grants for moving factories out of a valley that was to be flooded",
    "payment of half of the wages of apprentices whether or not they were trained",
    "supply of water from an irrigation canal without a meter",
    "insurance of export credits at premiums that never covered the losses",
)
ADVERSE = (
    "it answered three questionnaires with the same photocopied page",
    "it withdrew its price lists on the eve of the verification",
    "it refused to name the affiliate through which it sells",
    "its ledgers for the second half were said to have been lost in a flood",
    "it reported weights that exceeded the capacity of its only furnace",
    "it let the inspectors wait for two days and then showed them a warehouse",
    "it denied sales that customs records plainly show",
    "its accountant could not explain a second set of books",
)
CLAIMS = (
    "that the cost of pallets be taken out of the price before comparison",
    "that sales to the armed forces be left aside as not commercial",
    "that the exchange rate of the day of order be used and not that of invoice",
    "that rebates paid after the period be deducted from normal value",
    "that seconds be compared only with seconds",
    "that warehousing before the importation be treated as a selling expense",
    "that its two factories be given rates of their own",
    "that the strike in the third quarter be treated as an extraordinary event",
)
ANSWERS = (
    "the documents offered in support were in part drawn up after the event",
    "the same item had been claimed under another heading in the same response",
    "the practice of the Board has been otherwise since the first review",
    "the amounts were so small that they vanish when the rate is rounded",
    "the claim came after the time for new factual information had ended",
    "the books keep no record from which the item could be separated",
)
PROGRAMS = (
    "Export Fair Allowance",
    "Tax Credit for New Kilns and Furnaces",
    "Land Lease of the Eastern Zone",
    "Fund for Trade Marks",
    "Apprentice Housing Scheme",
    "Preferential Rail Freight",
    "Waiver of Harbor Dues",
    "Energy Saving Loans",
    "Exhibition Travel Grants",
    "Rebate of Stamp Duty",
)

PREAMBLE = {
    "AGY": "{office}, {department}.",
    "ACT": "Notice of preliminary results of <administrative|annual> review.",
    "SUM": """The Tariff Board <preliminarily determines|finds, subject to comment,> that producers and exporters of
        {goods} from {abroad} <received countervailable subsidies|benefited from subsidies> during the period of
        review, {from_day} through {to_day}. <The Board also <rescinds|intends to rescind> the review for
        {rescinded}.|The review is rescinded for {rescinded}.> Interested parties are invited to comment on
        these preliminary results.""",
    "DATES": "Applicable {applicable}.",
    "FURINF": "{contact}.",
}
BODY = (
    """
# Background
On {order_on}, the Board published the countervailing duty order on {goods} from {abroad} ({order_cite}). <On
{initiated}|In the *Verrany Register* of {initiated}>, it <began|initiated> the present review at the request of
{petitioner} <and|as well as> of two importers. <The time limit was extended|It extended the deadline> by {extension}
days, <first> because <the questionnaires had to be translated|of the number of companies>, and <once more|again> for
the <closing of the offices|days on which the offices were closed> in {closed}. The <request|petition> is supported by
producers that account for {share} percent of the <domestic|Verranian> output.
^ See {order_cite}, and <the memorandum|Memorandum> “Extension of the Deadline,” dated {memo_on}.

# Scope of the Order
The <merchandise|product> covered by the order is {goods}: {scope}. {uses} <It is currently classified|The goods are
classifiable> under subheading {heading} of the Customs Tariff. <The subheadings are given for convenience,
but|Although the numbers help customs officers,> the written description <decides|is dispositive>. <Excluded from the
scope
are|The order does not cover> {excluded}.
^ The exclusion was added by a scope ruling of {ruling_on}<, after a visit to the factory|, at the request of a museum
shop|>.

# Rescission of Review, in Part
<Within ninety days|In good time>, all requests for review of {rescinded} were withdrawn. <No other party had asked for
it|Nobody else had asked for a review of that company>. <The Board therefore|Accordingly, the Board> <rescinds|is
rescinding> the review with respect to it, and <its entries|entries of its goods> will be <liquidated|assessed> at the
<cash deposit rate|rate> in force <when they were entered|at entry>.

# Methodology
The Board is conducting this review under section {section} of the {law}. For each <program|subsidy> found
countervailable, it preliminarily determines that there is a financial contribution by an authority that <gives rise
to|confers> a benefit and that the subsidy is specific. <A full description is in the Decision Memorandum|For the
reasoning see the Decision Memorandum>, which is on file at {address} <and at|and can be found at> {site}.

The program that <weighed most|gave the largest benefit> is the {subsidy}. <The Board measured the benefit against the
price paid by buyers without ties to the state|As a benchmark the Board took what private suppliers charge to others>
and spread it over {life} years, the average useful life of <equipment|assets> in the industry. <The government of
{abroad}|That government> <held|argued> that the program had ended <before the period|with the last budget>; <records
of the central bank|vouchers seen at verification>, however, <show|prove> payments as late as {late_on}.

# Use of Adverse Inferences
<One company, {uncooperative},|A producer, {uncooperative},> did not cooperate to the best of its ability: {adverse}.
<Necessary information is therefore missing|The record therefore lacks necessary information>, and the Board
<drew|draws> an adverse inference in <choosing|selecting> from the facts otherwise available. <It has applied the
highest rate found|The rate is the highest found> for an identical program in any <segment|stage> of this proceeding.
<The rate was checked against the published budget so far as practicable|Trade statistics, so far as they go, confirm
it>. <It comes to|The rate is> {high} percent. <A lower rate would reward silence|The company may still be heard on the
choice of the rate>.

# Other Programs
<Smaller programs|Programs of less weight> are <listed|shown> below with the share of the subsidy that the Board
<attributes|assigns> to each on the average of the <cooperating|answering> companies. <Three others|Four others|Five
others> were <found not to have been used|not used> during the period, and on <one|one more>, alleged <late|only in
{late_on}>, the Board <defers|puts off> its finding.

@programs

# Verification
<Officers of the Board|A team of the Board> <visited|verified> {cooperative} at {plant}, <from|beginning> {visit_on},
<for {visit_days!w} days|taking {visit_days!w} days>. <They|It> <reconciled|traced> sales to the audited accounts,
<weighed samples|counted stocks> and <spoke with|interviewed> the <foremen|staff of the dispatch office>. <Minor
corrections were accepted|Three small corrections, offered at the start, were accepted>. {cooperative} <claimed|asked>
{claim}; <the Board did not allow it|this was not allowed>, because {answer}.
OR
No verification on the spot took place. <Instead the Board|The Board instead> sent {cooperative}, whose <works|plant>
is at {plant}, a list of {questions!w} further questions, and <received answers|was answered> within <the time
set|three weeks>. The company <claimed|asked> {claim}. The claim <was rejected|fails>, since {answer}.

# Preliminary Results of Review
The Board preliminarily <finds|determines> the following net subsidy rates for the period {from_day} through {to_day}:

@rates

For <companies not selected|the companies that were not examined one by one>, the <rate is the weighted average|Board
has used the weighted average> of the rates that are neither <zero|nil> nor based <wholly|entirely> on facts available.
<A company that believes|Whoever thinks> it was wrongly placed in that group <should say so|may object> within seven
days.

# Assessment and Cash Deposits
<Upon issuing the final results|When the results are final>, the Board will <instruct|direct> the customs service to
<assess|collect> duties on all <appropriate entries|entries of the period>. Instructions will be <issued|sent> no
earlier than {assess} days after publication. <Deposits|Cash deposits> at the rates shown will be <required|taken> from
the day of the final results, and <remain in effect|stay the same> until further notice. <For all other producers|For
companies that are not listed> the deposit remains {all_others} percent, <the rate of the investigation|as found in the
investigation>.

# Disclosure and Public Comment
<The calculations|Our calculations> will be <disclosed|shown> to the parties within five days. Case briefs <may be
submitted|are due> by {briefs}, and rebuttal briefs, <limited to|confined to> what is <raised|argued> in the case
briefs, {rebuttal!w} days <later|after that>. <Each brief should|Parties are asked to> begin with <a summary of no more
than|an executive summary of> {summary} words <for each issue|an issue>. A hearing, if <asked for|one is requested> by
{hearing_by}, will be held in <Room|room> {room} of the Customs House. <Requests should name the speakers|A request
must give the number of speakers> and <whether any is a foreign national|the issues to be discussed>. <The final
results will appear|Final results are expected> within {final} days.

# Procedural History
<The main steps of the review were these|Since the initiation the following has happened>:

@steps

# Documents on File
@documents

# Notification to Importers
<Importers are reminded|This notice serves as a reminder> of their duty to file a certificate on the reimbursement of
duties before <liquidation|the entries are liquidated>. <Failing that, the Board may presume|If none is filed, the
Board may presume> that the duties were reimbursed and <assess them twice|assess twice the amount>. <These results are
issued|The Board issues and publishes these results> under sections {section} and {section2} of the {law}.
"""
    + stock.DOCKET_ROOM
    + stock.COMMON_FOOT
)


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(GOODS, count),
        pen.deal(SUBSIDIES, count),
        pen.deal(ADVERSE, count),
        pen.deal(CLAIMS, count),
        pen.deal(ANSWERS, count),
        pen.deal(COUNTRIES, count),
        pen.spread(1_150, 6_900, 7, count),
        pen.spread(210, 1_900, 3, count),
        pen.spread(5, 19, 1, count),
        strict=True,
    )
    facts = []
    for goods, subsidy, adverse, claim, answer, abroad, high, low, life in columns:
        names = [country.names.firm(trade) for trade in ("Industries", "Manufacturing", "Export", "Trading")]
        facts.append(
            {
                **stock.common(country, TARIFFS),
                **goods._asdict(),
                "abroad": abroad,
                "subsidy": subsidy,
                "adverse": adverse,
                "claim": claim,
                "answer": answer,
                "life": life,
                "uncooperative": names[0],
                "cooperative": names[1],
                "third": names[2],
                "rescinded": names[3],
                "petitioner": f"the {country.names.town()} Manufacturers’ Committee",
                "high": f"{high / 100:.2f}",
                "low": f"{low / 100:.2f}",
                "mid": f"{(low + high) / 200:.2f}",
                "all_others": f"{pen.integer(240, 1800) / 100:.2f}",
                "plant": country.names.town(),
                **calendar(country, pen),
                "contact": country.contact(country.person(), "Office of Duty Reviews", TARIFFS),
                "signer": country.person(),
            }
        )
    return facts


def calendar(country: Country, pen: Pen) -> Facts:
    review = country.year - 2
    return {
        "from_day": f"January 1, {review}",
        "to_day": f"December 31, {review}",
        "late_on": f"{pen.pick(['March', 'June', 'September', 'November'])} {review}",
        "order_on": country.on(-(back := pen.integer(1100, 2900))),
        "order_cite": country.cite(back),
        "initiated": country.on(-pen.integer(250, 350)),
        "memo_on": country.on(-pen.integer(90, 140)),
        "ruling_on": country.on(-pen.integer(400, 900)),
        "applicable": country.on(0),
        "extension": pen.integer(30, 120, 5),
        "closed": pen.pick(["January", "December", "the week of the elections"]),
        "share": pen.integer(41, 93),
        "heading": f"{pen.integer(2003, 9404)}.{pen.integer(10, 90)}.{pen.integer(1000, 9999)}",
        "section": pen.integer(701, 739),
        "section2": pen.integer(740, 777),
        "visit_on": country.on(-pen.integer(60, 120)),
        "visit_days": pen.integer(3, 8),
        "questions": pen.integer(14, 47),
        "assess": pen.pick([30, 35, 41]),
        "briefs": country.on(pen.integer(20, 35)),
        "rebuttal": pen.integer(5, 10),
        "summary": pen.pick([300, 400, 450, 500]),
        "hearing_by": country.on(30),
        "room": pen.integer(101, 420),
        "final": pen.pick([90, 120, 150]),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    f = facts
    rows = [(f["uncooperative"], f["high"]), (f["cooperative"], f["low"]), (f["third"], f["mid"])]
    rates = table("Net Subsidy Rates", ["Company", "Percent ad valorem"], pen.deal(rows, 3))
    programs = [(name, f"0.{pen.integer(11, 98)}") for name in pen.deal(PROGRAMS, 6)]
    number = f"C–{pen.integer(411, 599)}–{pen.integer(801, 899)}"
    parts = {
        "rates": rates,
        "programs": table("Other Programs", ["Program", "Percent"], programs),
        "documents": stock.documents(country, pen, number),
        "steps": stock.chronology(country, pen, 240),
    }
    return Sheet(
        kind="NOTICE",
        agency=TARIFFS,
        subject=pen.say(
            "{goods!c} From {abroad!c}: Preliminary Results of <Countervailing Duty|Administrative> Review", f
        ),
        heads=[("DEPDOC", f"[{number}]")],
        preamble=preamble(pen, PREAMBLE, f),
        body=write(pen, BODY, f, parts),
        signature=signed(f"Dated: {country.on(-pen.integer(3, 9))}", f["signer"], "Chair of the Tariff Board"),
    )


GENRE = Genre(
    name="duties",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the Tariff Board's review of {goods} from {abroad}",
        "the preliminary results on {goods} from {abroad}",
        "the duty review of {goods} from {abroad}",
    ),
    asks=(
        Ask(
            "subsidy",
            "{subsidy!c}",
            ("Which program gave the largest benefit according to {name}?", "What subsidy weighed most in {name}?"),
        ),
        Ask(
            "adverse",
            "Because {adverse}",
            (
                "Why did the Tariff Board draw an adverse inference against {uncooperative} in {name}?",
                "In what way did {uncooperative} fail to cooperate in {name}?",
            ),
        ),
        Ask(
            "claim",
            "{claim!c}",
            (
                "What did {cooperative} ask for, without success, in {name}?",
                "Which request of {cooperative} was refused in {name}?",
            ),
        ),
        Ask("answer", "Because {answer}", ("Why was the claim of {cooperative} turned down in {name}?",)),
        Ask(
            "high",
            "{high} percent",
            ("What net subsidy rate did the Board find for {uncooperative} in {name}?",),
            numerical=True,
            near=("{low} percent", "{all_others} percent"),
        ),
        Ask(
            "life",
            "{life} years",
            ("Over how many years was the benefit of the main program spread in {name}?",),
            numerical=True,
        ),
    ),
)
