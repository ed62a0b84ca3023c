"""Corrections: a slip in an earlier document is put right. Short."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import country as offices
from longctx.corpus.register import stock
from longctx.corpus.register.country import Agency, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, preamble, signed, write


class Slip(NamedTuple):
    agency: Agency
    subject: str
    kind: str
    slip: str
    old: str
    new: str
    traps: tuple[str, str, str]


SLIPS = (
    Slip(
        offices.FOODS,
        "Labeling of Smoked and Salted Fish",
        "final rule",
        "left sorbate out of the list of permitted preservatives",
        "benzoate or nitrite, singly or together",
        "benzoate, sorbate, or nitrite, singly or together",
        (
            "benzoate, nitrite, or sulfite, singly or together",
            "sorbate or citrate, but not both together",
            "benzoate, ascorbate, or nitrite, each by itself",
        ),
    ),
    Slip(
        offices.ROADS,
        "Rest Periods on Livestock Carriers",
        "final rule",
        "gave the drivers' rest period in place of that of the animals",
        "nine hours off the vehicle in a heated cabin",
        "eleven hours off the vehicle in a bedded pen",
        (
            "fourteen hours off the vehicle in a fenced field",
            "twelve hours off the vehicle with feed and water",
            "eight hours off the vehicle under a veterinarian's eye",
        ),
    ),
    Slip(
        offices.PENSIONS,
        "Contributions of Seasonal Workers",
        "final rule",
        "named only fruit pickers among those whose employers may pay once a quarter",
        "persons engaged in picking fruit",
        "persons engaged in picking fruit, hops, or seaweed",
        (
            "persons engaged in picking fruit, nuts, or mushrooms",
            "persons engaged in picking or packing fruit",
            "persons engaged in picking fruit under a gang master",
        ),
    ),
    Slip(
        offices.WORK,
        "Guarding of Circular Saws",
        "proposed rule",
        "described the guard as covering the left side of the blade alone",
        "the side of the blade nearest to the left hand",
        "both sides of the blade down to the table",
        (
            "the top of the blade and one hand's breadth behind it",
            "the whole of the blade while it is not cutting",
            "the side of the blade that is nearest to the motor",
        ),
    ),
    Slip(
        offices.ARCHIVES,
        "Retention of Election Papers",
        "notice",
        "told returning officers to burn counterfoils that must be kept",
        "shall be burned in the presence of two witnesses",
        "shall be sealed in the presence of two witnesses",
        (
            "shall be counted in the presence of two witnesses",
            "shall be shredded in the presence of a magistrate",
            "shall be returned to the printer under seal",
        ),
    ),
    Slip(
        offices.SCHOOLS,
        "Travel Allowances for Boarding Pupils",
        "final rule",
        "counted the distance from the pupil's school instead of from the ferry landing",
        "measured by road from the gate of the school",
        "measured by road from the nearest ferry landing",
        (
            "measured by road from the nearest railway station",
            "measured along the shore from the pupil's home",
            "measured by road from the nearest post office",
        ),
    ),
    Slip(
        offices.MINES,
        "Ventilation of Slate Workings",
        "proposed rule",
        "placed the air measuring station at the wrong end of the return airway",
        "at the outlet of the return airway",
        "at the inbye end of the return airway",
        (
            "at the midpoint of the return airway",
            "at the foot of the downcast shaft",
            "at the first door of the return airway",
        ),
    ),
    Slip(
        offices.HOUSING,
        "Inspection of Elevators in Public Tenancies",
        "notice",
        "addressed the reporting duty to tenants' committees rather than to landlords",
        "the committee of the tenants shall report",
        "the landlord or the landlord's agent shall report",
        (
            "the inspector of elevators shall report",
            "the municipal housing officer shall report",
            "the manufacturer of the elevator shall report",
        ),
    ),
    Slip(
        offices.VETERANS,
        "Allowances for Prosthetic Appliances",
        "final rule",
        "omitted repairs from the expenses for which an advance can be had",
        "the purchase and fitting of the appliance",
        "the purchase, fitting, and repair of the appliance",
        (
            "the purchase, insurance, and fitting of the appliance",
            "the hire, fitting, and return of the appliance",
            "the purchase and yearly renewal of the appliance",
        ),
    ),
    Slip(
        offices.PLANTS,
        "Movement of Seed Potatoes",
        "final rule",
        "listed the wrong pest as the ground for the restricted area",
        "in which potato cyst nematode was found",
        "in which potato wart disease was found",
        (
            "in which potato mop-top virus was found",
            "in which potato brown rot was found",
            "in which potato tuber moth was found",
        ),
    ),
)
REASONS = (
    "a paragraph from an earlier draft was kept by mistake when the final text was put together",
    "two lines changed places when the typesetter's file was converted",
    "a change that had been agreed with the Department of Justice was entered in one copy of the manuscript only",
    "the translation into the second official language was amended and the original was not",
    "a reviewer's handwritten insertion in the margin was taken for a deletion",
    "the text was copied from the superseded edition of the manual",
    "the computer program that numbers the paragraphs skipped the last item of a list",
    "a clerk dictated the passage over the telephone to meet the closing time of the printer",
    "the table and the text were prepared by different divisions, which used different definitions",
)
EFFECTS = (
    "The comment period is not extended, because the accompanying explanation had the passage right",
    "Inspectors were told by circular not to enforce the passage as it was first printed",
    "Permits issued in reliance on the faulty text stay valid until they expire",
    "Persons who paid more than the corrected text requires will be repaid without applying",
    "The effective date stays as it was announced, since no one had to prepare for the passage",
    "Forms printed before the correction may be used up if the line is amended by hand",
    "Proceedings begun under the faulty text will be discontinued at the Commonwealth's expense",
    "Those who answered the earlier document may revise their answers within fourteen days",
    "The guidance leaflet, which repeated the error, is withdrawn until it can be reprinted",
)
POSTS = ("Regulations Editor", "Legal Adviser", "Drafting Officer", "Senior Counsel", "Registrar of Instruments")

PREAMBLE = {
    "AGY": "{agency}.",
    "ACT": "{kind!c}; correction.",
    "SUM": """<The {office}|The {office}> is correcting a {kind} <entitled|headed> “{subject},” which <appeared|was
        published> in the *Verrany Register* <of|on> {date}. <The document|As printed, the document> {slip}.""",
    "DATES": "This correction <is effective|takes effect on> {effective}.",
    "FURINF": "{contact}.",
}
BODY = """
# <Need for Correction|Background>
<The {kind} on {subject} was prepared in <haste before the recess|the ordinary way>|In preparing the {kind} on
{subject}, the {office} followed the usual procedure|The {kind} on {subject} had been read three times before it went
to press>. As published, it {slip}. The <error|slip> <arose|came about> because {reason}. <It was <noticed|pointed out>
by {finder}, {found_on}|{finder!c} <drew|called> attention to it {found_on}>. <The {office} regrets the
inconvenience.|>

# Correction of Publication
<In|In the> *Verrany Register* document {document}, <appearing on page {first} in the issue of {date}|published on
{date} and beginning on page {first}>, the following correction is made:

On page {page}, in the {column} column, {line!w} lines from the <top|foot>, in paragraph
<({letter})({item})|({letter})>, the words “{old}” are corrected to read “{new}.”

# Effect
{effect}. <All other provisions <stand|remain>|The remainder of the document <stands|remains>> as <published|printed>.
<Because|Since> the correction <is clerical|changes no policy>, notice and <comment|public procedure> <are
unnecessary|would serve no purpose> <under|and are dispensed with as allowed by> section {section} of the {law}.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    facts = []
    for slip, reason, effect in zip(
        pen.deal(SLIPS, count), pen.deal(REASONS, count), pen.deal(EFFECTS, count), strict=True
    ):
        back = pen.integer(12, 70)
        first = country.page - back * 140
        facts.append(
            {
                **stock.common(country, slip.agency),
                **slip._asdict(),
                "agency": slip.agency.full,
                "bureau": slip.agency,
                "reason": reason,
                "effect": effect,
                "date": country.on(-back),
                "found_on": pen.say(
                    "<within the week|on the day of publication|a fortnight later|when the proofs were checked again>"
                ),
                "finder": stock.commenter(country, pen),
                "effective": country.on(pen.integer(0, 30)),
                "document": f"{country.volume}–{pen.integer(3000, 19000):05d}",
                "first": first,
                "page": first + pen.integer(1, 9),
                "column": pen.pick(["first", "second", "third"]),
                "line": pen.integer(3, 12),
                "letter": pen.pick("abcdefg"),
                "item": pen.integer(1, 6),
                "section": pen.integer(3, 88),
                "part": pen.integer(100, 999),
                "contact": country.contact(country.person(), pen.pick(POSTS), slip.agency, brief=True),
                "signer": country.person(),
            }
        )
    return facts


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    kind = {"final rule": "RULE", "proposed rule": "PRORULE", "notice": "NOTICE"}[facts["kind"]]
    return Sheet(
        kind=kind,
        agency=facts["bureau"],
        subject=pen.say("{subject}; Correction", facts),
        heads=[("CFR", pen.say("{title} CVR Part {part}", facts))] if kind != "NOTICE" else [],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts),
        signature=signed(
            f"Dated: {country.on(-pen.integer(2, 9))}",
            facts["signer"],
            pen.pick(["Secretary", "Deputy Director", "Registrar"]),
        ),
    )


GENRE = Genre(
    name="corrections",
    count=7,
    draw=draw,
    compose=compose,
    names=(
        "the correction to the {kind} “{subject}”",
        "the corrected {kind} on “{subject}”",
        "the {office}'s correction of its {kind} “{subject}”",
    ),
    asks=(
        Ask(
            "new",
            "{new!c}",
            (
                "Which words are inserted by {name}?",
                "How does the disputed passage read after {name}?",
                "What is the proper wording according to {name}?",
            ),
            traps="traps",
        ),
        Ask(
            "finder",
            "{finder!c}",
            (
                "Who pointed out the mistake that led to {name}?",
                "Who drew attention to the error dealt with in {name}?",
            ),
        ),
        Ask(
            "reason",
            "{reason!c}",
            ("How had the mistake behind {name} come about?", "What caused the error dealt with in {name}?"),
        ),
        Ask(
            "effect",
            "{effect}",
            (
                "What practical consequence is announced in {name}?",
                "Apart from the changed words, what follows for those concerned from {name}?",
            ),
        ),
        Ask(
            "page",
            "Page {page}",
            (
                "On which page of the Verrany Register did the passage stand that is changed by {name}?",
                "Where in the Verrany Register had the faulty words been printed, according to {name}?",
            ),
            numerical=True,
        ),
    ),
)
