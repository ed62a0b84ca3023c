"""Safety zones: a stretch of water is closed to vessels for an event. Temporary rules, short."""

from __future__ import annotations

from longctx.corpus.register import stock
from longctx.corpus.register.country import HARBORS, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, amendment, preamble, said, signed, write

# What is to happen, and what it endangers.
EVENTS = (
    (
        "the blasting of a sunken pier that stands in the turning basin",
        "shock waves in the water, which harm swimmers at a surprising distance,",
    ),
    (
        "a display of fireworks from two barges on the eve of the harvest fair",
        "falling embers and debris, which the wind carries well beyond the barges,",
    ),
    (
        "the raising of a tug that went down with fuel on board",
        "the sudden release of oil from tanks that cannot be sounded",
    ),
    (
        "a race of rowing galleys in which forty crews take part",
        "spectators' boats that anchor close together and cannot leave quickly",
    ),
    (
        "the lifting of the center span of the old swing bridge",
        "wash that could set the load swinging against the piers",
    ),
    (
        "a flying display at low height over the roadstead",
        "aircraft that may have to come down on the water without warning",
    ),
    (
        "the laying of a power cable across the fairway",
        "taut wires just below the surface, which can cut a small hull in two,",
    ),
    (
        "the towing out of a floating dock that leaves no room to pass",
        "pontoons without lights that swing with the turn of the tide",
    ),
)
LEAVE = (
    "vessels carrying a pilot, if they ask an hour ahead",
    "the ferry, on its printed timetable and at dead slow speed",
    "vessels in distress and those that go to help them",
    "vessels of less than five meters that keep to the eastern bank",
    "fishing vessels returning with a perishable catch",
    "barges of the waterworks, between two soundings of the horn",
    "hospital launches with a patient on board",
    "dredgers that cannot lift their spuds in time",
)
NO_NOTICE = (
    "the organizer settled the date only after the tide tables had been corrected",
    "the letter that asked for the zone was delivered to the wrong harbor",
    "the pilots' association withdrew its consent to the date first chosen",
    "the insurer refused cover for a later date",
    "the first application named a different bank of the river by mistake",
    "the survey of the bottom, on which the size of the zone depends, came in late",
    "an earlier zone proved too small and its rule cannot be used again",
    "the harbor commissioners voted on the event at their last sitting",
)

PREAMBLE = {
    "AGY": "{office} ({short}), {department}.",
    "ACT": "Temporary <final|> rule.",
    "SUM": """{short} is <establishing|setting up> a temporary safety zone <on|for certain waters of> the {water}
        <at|near> {town}. It is <needed|required> for the safety of <persons|people> and vessels <during|at>
        {event}. Entry is <prohibited|forbidden> unless the Harbormaster of {town} <allows|authorizes> it.""",
    "DATES": "This rule is <effective|in force> from {begins} <until|to> {ends} on {day}.",
    "FURINF": "{contact}.",
}
BODY = """
# Background and Authority
On {asked}, {organizer} <told|informed> {short} that {event} would <take place|be held> on the {water} <at|off> {town}.
The Harbormaster <names|gives> as the <chief|main> danger {danger} and <thinks|finds> nobody within {radius} meters
safe. <The authority is|{short} acts under> section {section} of the {law}.

{short} is issuing this rule without prior notice <and comment|> because {no_notice}, <so that|and> there was <no|not>
time <for comments|to take comments>.

# Discussion of the Rule
The zone <covers|takes in> all <navigable|> waters of the {water} within {radius} meters of {mark}. No person or vessel
may enter it or stay in it <without leave|unless permitted>, apart from {leave}. <Requests are made|Leave is sought> on
VHF channel {channel} or by telephone at {phone}. <The zone may be opened earlier if the work is finished|Those given
leave must follow all directions of the patrol>.

@text
"""
TEXT = """
1. Add § 165.T{number} to read as follows:

§ 165.T{number} Safety Zone; {water}, {town}.

(a) Location. All waters within {radius} meters of {mark}.

(b) Enforcement. The rules of § 165.23 <apply|are in force> from {begins} to {ends} on {day}.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    names = country.names
    columns = zip(
        pen.deal(EVENTS, count),
        pen.deal(LEAVE, count),
        pen.deal(NO_NOTICE, count),
        pen.spread(120, 900, 15, count),
        pen.deal([9, 10, 11, 12, 14, 21, 67, 68, 71, 73, 77], count),
        strict=True,
    )
    facts = []
    for (event, danger), leave, no_notice, radius, channel in columns:
        start, hours = pen.integer(7, 20), pen.integer(2, 10)
        facts.append(
            {
                **stock.common(country, HARBORS),
                "event": event,
                "danger": danger,
                "danger_answer": danger.removesuffix(","),
                "leave": leave,
                "no_notice": no_notice,
                "radius": radius,
                "channel": channel,
                "begins": f"{start:02d}00",
                "ends": f"{(start + hours) % 24:02d}00",
                "day": country.on(pen.integer(4, 25)),
                "asked": country.on(-pen.integer(5, 20)),
                "town": names.town(),
                "water": pen.pick([names.river(), names.water("Sound", "Estuary", "Inlet", "Basin", "Narrows")]),
                "organizer": pen.pick(
                    [names.firm("Salvage", "Dredging", "Marine Works"), f"the Harbor Festival of {names.town()}"]
                ),
                "mark": f"{pen.pick(['Beacon', 'Buoy', 'Dolphin', 'Pier'])} {pen.integer(2, 38)}",
                "number": f"{pen.integer(2, 14):02d}–{pen.integer(100, 999):04d}",
                "section": pen.integer(30, 70),
                "phone": country.phone(),
                "contact": country.contact(country.person(), "Waterways Management Division", HARBORS, brief=True),
                "signer": country.person(),
            }
        )
    return facts


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    return Sheet(
        kind="RULE",
        agency=HARBORS,
        subject=pen.say("Safety Zone; {water}, {town}", facts),
        heads=[("CFR", "33 CVR Part 165"), ("DEPDOC", pen.say("[Docket Number HWS–{year}–{number}]", facts))],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, {"text": amendment(33, 165, said(pen, TEXT, facts))}),
        signature=signed(
            f"Dated: {country.on(-pen.integer(1, 3))}", facts["signer"], f"Harbormaster of {facts['town']}"
        ),
    )


GENRE = Genre(
    name="zones",
    count=6,
    draw=draw,
    compose=compose,
    names=(
        "the temporary safety zone on the {water} at {town}",
        "the safety zone at {town}",
        "the zone closed to vessels on the {water} near {town}",
    ),
    asks=(
        Ask("event", "{event!c}", ("For which event was {name} established?", "What is to take place in {name}?")),
        Ask("danger", "{danger_answer!c}", ("What does the Harbormaster regard as the chief danger in {name}?",)),
        Ask(
            "leave",
            "{leave!c}",
            ("Which vessels need no leave to enter {name}?", "Who may pass through {name} without asking for leave?"),
        ),
        Ask(
            "no_notice",
            "Because {no_notice}",
            ("Why was there no time for public comment on {name}?", "Why was prior notice of {name} dispensed with?"),
        ),
        Ask("radius", "{radius} meters", ("How far around its mark does {name} extend?",), numerical=True),
        Ask(
            "channel",
            "VHF channel {channel}",
            ("On which radio channel can leave be sought for {name}?",),
            numerical=True,
        ),
    ),
)
