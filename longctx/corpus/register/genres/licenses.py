"""Hydropower: applications to the Energy and Waters Commission, in its lettered form. Short."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import ENERGY, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, signed, write


class Filing(NamedTuple):
    kind: str
    request: str


FILINGS = (
    Filing("Application for a License", "to put two turbines into the abandoned conduit of a paper mill"),
    Filing("Application to Amend a License", "to raise the crest of the dam by inflatable gates"),
    Filing("Application to Surrender a License", "to remove the powerhouse and leave the dam for flood control"),
    Filing("Application to Transfer a License", "to pass the works to a cooperative of the households they serve"),
    Filing("Application for a Temporary Variance", "to let the pond fall below its limit while a gate seal is renewed"),
    Filing("Application for a Preliminary Permit", "to study a pumped storage plant in a disused quarry"),
    Filing("Application for an Exemption", "to generate from the water that a fish hatchery already draws"),
    Filing("Application to Amend a License", "to replace the overhead line by a cable under the towpath"),
)
FEATURES = (
    "a timber crib dam that was faced with concrete after a flood",
    "a masonry arch dam with a chapel on its western abutment",
    "an earth embankment whose spillway is cut through rock",
    "a row of sluices that formerly served a tannery",
    "a brick-lined tunnel that passes under the high street",
    "a concrete weir in the form of a horseshoe",
    "a steel penstock carried on stone piers across a ravine",
    "a stop-log dam at the outlet of a natural lake",
)
CONDITIONS = (
    "a stairway of pools by which salmon and shad can pass upstream",
    "a bell and lamps that warn bathers before the gates are opened",
    "a carrying place for canoes with a landing at either end",
    "a gauge that shows the flow on a board visible from the bridge",
    "a screen of narrow bars that is raked twice a day in autumn",
    "a nesting platform for ospreys away from the conductors",
    "a minimum flow over the falls during the hours of daylight",
    "a fund for planting the banks that the pond has laid bare",
)
HOLDUPS = (
    "the map does not show who owns the islands below the dam",
    "the costs were stated for a plant of twice the size",
    "the letter of the Wildlife Service was not attached",
    "no agreement with the owner of the millrace was filed",
    "the flow records stop two years before the application",
    "the drawing of the trash rack bears no engineer's seal",
    "nothing is said of the graves that the pond would cover",
    "the notice to riparian owners was posted in one parish only",
)

BODY = """
Take notice that the following <hydroelectric|hydropower> application has been <filed with|received by> the Commission
and is <available|open> for public inspection.
OR
<The public is informed|Notice is given> that the <application|filing> described below has been <lodged|placed> with
the Commission under part {part} of its rules.

- a. Type of <Application|Filing>: {kind}.
- b. Project No.: {project}.
- c. Date <Filed|Received>: {filed}.
- d. Applicant: {applicant}.
- e. Name of Project: {works}.
- f. Location: <On|The project lies on> the {river}, <near|below|above> {place}. <The project occupies|It takes up>
{acres:,} acres of land administered by the <Forest Service|Lands Office>.
- g. Filed <Pursuant|According> to: {law}, section {section}.
- h. Applicant Contact: {agent}, {agent_place}, telephone {phone}.
- i. Commission Contact: {contact}.
- j. Deadline for <filing motions and protests|comments, motions, and protests>: {deadline}. <The Commission strongly
encourages|The Commission prefers> electronic filing; a paper filing goes to {address}. The first page must <show|bear>
docket number {project}.

k. Description of <Request|Project>: The {applicant_short} <asks leave|applies> {request}. The <existing|> works
<comprise|consist of> {feature}; a <powerhouse|generating house> with {units!w} <units|turbines> of {capacity:,}
kilowatts <in all|together>; and <a line|a transmission line> of {line} kilometers. <Average yearly generation|In a
mean year generation> <is put at|would be> {output:,} megawatt-hours. <As a safeguard the applicant offers|The
applicant undertakes to provide> {condition}.

l. <Deficiencies|Additional Information>: The application <is not yet accepted|cannot yet be accepted>, because
{holdup}. <The applicant has|The {applicant_short} was given> {cure} days to <make this good|cure the defect>.

m. <Locations of the Application|Where the application can be seen>: <Copies are kept|A copy may be read> at {address}
and at the <town hall|public library> of {town}.

n. <Individuals desiring to be included on the mailing list should <so indicate|write> to the Secretary of the
Commission|Whoever wishes to become a party must move to intervene before the date in paragraph j>.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    names = country.names
    columns = zip(
        pen.deal(FILINGS, count),
        pen.deal(FEATURES, count),
        pen.deal(CONDITIONS, count),
        pen.deal(HOLDUPS, count),
        pen.spread(180, 4900, 20, count),
        pen.deal(range(20, 95, 5), count),
        strict=True,
    )
    facts = []
    for filing, feature, condition, holdup, capacity, cure in columns:
        town, short = names.town(), names.town()
        applicant = pen.pick(
            [f"{short} Water Power Company", f"Municipality of {short}", f"{short} Light and Power Cooperative"]
        )
        facts.append(
            {
                **stock.common(country, ENERGY),
                **filing._asdict(),
                "feature": feature,
                "condition": condition,
                "holdup": holdup,
                "capacity": capacity,
                "output": capacity * pen.integer(38, 62) // 10,
                "cure": cure,
                "applicant": applicant,
                "applicant_short": applicant.removeprefix(short + " ").replace(f" of {short}", ""),
                "town": town,
                "works": f"{town} {pen.pick(['Mills', 'Falls', 'Dam', 'Lock', 'Weir'])} Project",
                "river": names.river(),
                "place": f"{town} in {country.province()} Province",
                "project": f"P–{pen.integer(2100, 9900)}–{pen.integer(2, 41):03d}",
                "part": pen.integer(4, 16),
                "filed": country.on(-pen.integer(20, 90)),
                "acres": pen.integer(11, 960),
                "section": pen.integer(4, 30),
                "agent": names.person(),
                "agent_place": country.place(),
                "phone": country.phone(),
                "deadline": country.on(pen.integer(30, 60)),
                "units": pen.integer(1, 4),
                "line": f"{pen.integer(2, 180) / 10}",
                "contact": country.contact(
                    country.person(), pen.pick(["Hydraulic Engineer", "Project Coordinator"]), ENERGY, brief=True
                ),
                "signer": country.person(),
            }
        )
    return facts


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    return Sheet(
        kind="NOTICE",
        agency=ENERGY,
        subject=pen.say("{applicant}; Notice of {kind} and <Soliciting|Request for> Comments", facts),
        heads=[("DEPDOC", f"[Project No. {facts['project']}]")],
        preamble=[],
        body=write(pen, BODY, facts),
        signature=signed(f"Dated: {country.on(-pen.integer(2, 9))}", facts["signer"], "Secretary of the Commission"),
    )


GENRE = Genre(
    name="licenses",
    count=6,
    draw=draw,
    compose=compose,
    names=(
        "the {works} on the {river}",
        "Project No. {project} of the {applicant}",
        "the hydropower application by the {applicant} for the {works}",
    ),
    asks=(
        Ask(
            "request",
            "{request!c}",
            (
                "What does the applicant ask leave to do, according to the notice of {name}?",
                "What is requested for {name}?",
            ),
        ),
        Ask(
            "feature",
            "{feature!c}",
            (
                "Which structure belongs to {name}?",
                "What do the works described for {name} consist of, besides a powerhouse and a line?",
            ),
        ),
        Ask(
            "condition",
            "{condition!c}",
            (
                "What safeguard does the applicant offer for {name}?",
                "What has the applicant undertaken to provide for {name}?",
            ),
        ),
        Ask(
            "holdup",
            "Because {holdup}",
            (
                "Why has the Energy and Waters Commission not yet accepted the papers for {name}?",
                "Which defect keeps the papers for {name} from being accepted?",
            ),
        ),
        Ask("capacity", "{capacity:,} kilowatts", ("Which total capacity is given for {name}?",), numerical=True),
        Ask(
            "cure",
            "{cure} days",
            ("How long did the Commission give the applicant to cure the defect in the papers for {name}?",),
            numerical=True,
        ),
    ),
)
