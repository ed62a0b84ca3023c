"""Airworthiness directives: a defect was found in a type of aircraft, and its owners must act. Rules, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import AIR, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen, listed
from longctx.corpus.register.sheet import Sheet, amendment, preamble, said, signed, table, write


class Defect(NamedTuple):
    part: str
    found: str
    danger: str
    remedy: str
    why: str


DEFECTS = (
    Defect(
        "main landing gear side stay",
        "cracks at the upper lug of side stays that had been through hard landings logged as normal ones",
        "collapse of the main landing gear on touchdown and departure of the aircraft from the runway",
        "a fluorescent penetrant inspection of the upper lug and replacement of any side stay with a crack",
        "The lug carries the whole side load of a landing in crosswind, and a crack grows quickly once it "
        "has passed the "
        "edge of the bushing.",
    ),
    Defect(
        "engine fire extinguisher",
        "a batch of discharge cartridges that had been filled with less charge than the drawing requires",
        "an engine fire that the crew cannot put out in flight",
        "weighing of every discharge cartridge and removal from service of those below the minimum weight",
        "A cartridge of low weight may break the diaphragm of the bottle only in part, so that the agent "
        "escapes slowly "
        "and is swept out of the nacelle before it can smother a flame.",
    ),
    Defect(
        "elevator trim tab pushrod",
        "two events in which the rod end bearing seized because moisture had frozen inside it",
        "a jammed trim tab and loss of pitch control during the climb",
        "drilling of a drain hole in the rod end and packing of the bearing with low-temperature grease",
        "Both aircraft had been washed and then parked outdoors overnight, and in both the crew needed the "
        "strength of two "
        "pilots to hold the nose down until the ice melted.",
    ),
    Defect(
        "fuel quantity wiring harness",
        "chafing of the harness against a rib stiffener inside the tank, seen when a wing was opened for rebuilding",
        "a spark in the vapor space of the fuel tank and an explosion of the tank",
        "installation of a protective sleeve over the harness and new clips that hold it clear of the stiffener",
        "The insulation had been worn through on three of five conductors, and soot on the stiffener showed "
        "that current had "
        "passed at least once.",
    ),
    Defect(
        "cabin pressure outflow valve",
        "three rapid losses of cabin pressure that were traced to a valve gate held open by hardened sealant",
        "incapacitation of the flight crew through lack of oxygen",
        "cleaning of the valve gate with an approved solvent and a functional test of its closing time",
        "Sealant applied to a neighboring panel had run into the valve housing before it cured, where it "
        "cannot be seen "
        "without removing the muffler.",
    ),
    Defect(
        "windshield heat controller",
        "overheated terminal blocks, one of which filled a cockpit with smoke on final approach",
        "smoke in the cockpit that keeps the crew from seeing the flight instruments",
        "replacement of the terminal block by one of ceramic material and a torque check of its screws",
        "Loose screws raise the resistance of the joint, and the phenolic block then chars long before the "
        "circuit breaker "
        "can open.",
    ),
    Defect(
        "passenger seat track fittings",
        "a production audit showing that seat track bolts shorter than specified had been installed",
        "seats that break loose in an emergency landing and block the way to the exits",
        "measurement of the thread that shows beyond each nut and replacement of every bolt that is too short",
        "Bolts of the two lengths were delivered in bags of the same color, and the final inspection counted "
        "heads without "
        "looking at the threads.",
    ),
    Defect(
        "rudder cable pulley bracket",
        "a bracket that broke along its bend because the sheet had been cut across the grain",
        "a jammed rudder and loss of directional control after an engine failure",
        "a close visual inspection of the bend with a tenfold magnifier and replacement of brackets cut "
        "across the grain",
        "Metallurgical examination found no fault of the alloy; the strength across the grain is simply too "
        "low for a bend "
        "of so small a radius.",
    ),
    Defect(
        "emergency exit door handle",
        "handles that could not be turned from outside after the hinge grease had mixed with de-icing fluid",
        "rescuers who cannot open the exit while occupants inside are overcome by smoke",
        "removal of the old grease from the hinge, its renewal with a silicone compound and a measurement of "
        "handle force",
        "During a drill of the airport fire brigade the force needed was more than twice what a person of "
        "ordinary strength "
        "can exert.",
    ),
    Defect(
        "propeller governor drive shaft",
        "splines of the drive shaft that had worn to a point because an oil jet was blocked by machining swarf",
        "an uncontrolled rise of propeller speed and release of a blade",
        "a borescope inspection of the splines and flushing of the oil jet with filtered fluid",
        "Swarf was left in the gallery when the casting was reworked by a subcontractor, whose cleaning "
        "procedure had not "
        "been approved.",
    ),
)

# Who commented, what was asked for, and the answer.
COMMENTS = (
    (
        "that hours flown before the last overhaul of the part not be counted",
        "overhaul does not restore the life that the part has lost, so that an aircraft with an overhauled "
        "part is as much "
        "at risk as one without",
    ),
    (
        "that a mechanic without an inspection authorization be allowed to do the work",
        "the record must be signed by a person who can be held to account for judging the part, and mere "
        "skill with tools is "
        "not what the requirement is about",
    ),
    (
        "that the directive wait until the manufacturer can deliver new parts in sufficient number",
        "aircraft whose parts pass the inspection need no new part at all, and those whose parts fail it "
        "must not fly in any "
        "case",
    ),
    (
        "that the estimate of costs include the income lost while an aircraft is on the ground",
        "such losses differ too widely among operators to be estimated, and most of them can plan the work "
        "for a time when "
        "the aircraft is out of service anyway",
    ),
    (
        "that aircraft used only for towing gliders be left out",
        "towing means many short flights at full power, which strain the part more and not less than other "
        "kinds of use",
    ),
    (
        "that electronic photographs of the part be accepted in place of a signed inspection sheet",
        "a photograph cannot show what the inspector felt or measured, although operators remain free to "
        "keep one with the "
        "sheet",
    ),
    (
        "that a longer compliance time apply to aircraft based on unpaved airfields in the northern provinces",
        "vibration and grit on unpaved surfaces speed up the damage, so that a longer time would be hardest "
        "to defend there",
    ),
    (
        "that the words “before further flight” be replaced by “at the next scheduled maintenance”",
        "an aircraft in which the defect has actually been found does not meet its type design and may not "
        "be flown, apart "
        "from the ferry flights that are provided for",
    ),
)
EXEMPT = (
    "aircraft on which the modified part was installed in production",
    "aircraft that are on permanent display in a museum and have had their fuel tanks opened",
    "aircraft registered abroad that are in Verrany for no more than thirty days",
    "aircraft whose part has been in service for fewer than 200 hours since it was new",
    "aircraft already modified under an approval that the Airframe Section gave for the experimental fleet",
    "aircraft of the meteorological service, which have a heavier part of a different drawing",
    "aircraft converted to a float undercarriage before they were first delivered",
    "aircraft whose logbook shows that the part came from the second production lot",
)
SOURCES = (
    "a mechanic at the maintenance base in {town}",
    "the investigators of a forced landing near {town}",
    "the chief inspector of an operator at {town}",
    "an apprentice in an overhaul shop at {town}",
    "the flying club of {town}",
    "a ground handler at the airport of {town}",
)


PREAMBLE = {
    "AGY": "{office} ({short}), {department}.",
    "ACT": "Final rule.",
    "SUM": """{short} is <adopting a new|issuing an> airworthiness directive (AD) for <certain|all> {maker} {models}
        {kind}. <The AD was prompted by|It follows|It was brought about by> {found}. <The AD|It> requires
        {remedy}. {short} <is issuing this AD to address|acts to remove> the unsafe condition on these
        <products|{kind}>.""",
    "DATES": """This AD is effective {effective}. <The Director of the National Archives approved the incorporation by
        reference of the service bulletin <listed|named> in this AD as of {effective}.|>""",
    "ADD": """<AD docket|Docket>: You may examine the <AD docket|docket> at www.rulemaking.gov.vy <by searching
        for|under> {docket}, or at {office}, {address}. <It contains|The docket holds> this final rule, <any
        comments received|the comments>, and other information. Service bulletin {bulletin} <may be|can be>
        <obtained|ordered> from {maker}, {maker_place}.""",
    "FURINF": "{contact}.",
}
BODY = (
    """
# Discussion
{short} issued a notice of proposed rulemaking to <amend|change> 14 CVR part 39 by adding an AD that would apply to
<certain|the> {maker} {models} {kind}. The <notice|proposal> was published in the *Verrany Register* <on|of>
{proposed_on} ({proposed}). It was prompted by {found}. <The first report|The earliest report> <came from|was made by>
{source}, and <a survey of|inquiries among> operators <then|afterwards> <brought|added> {reports!w} <more|further>
<cases|findings> <to light|>. {why}
^ <Reports|Occurrence reports> are filed under {docket} with the names of operators removed, as section {section} of
the {law} <requires|provides>.

<In the notice|There>, {short} proposed to require {remedy}. <This condition|The condition>, if not
<corrected|addressed>, could <result in|lead to> {danger}. <No accident has <yet|so far> been <attributed|put down> to
it|One aircraft was damaged beyond repair, without injury|The only injuries were to two persons on the ground>.
OR
{short} proposed {remedy}, <because|since> the condition, <left alone|if not corrected>, could <lead to|end in>
{danger}. <Before proposing it|Beforehand> {short} <met|sat down> with {maker} at {maker_place}, <and|where> the
<engineering|design> staff <showed|presented> <tests of {tests!w} specimens|the results of {tests} laboratory tests>;
the <minutes|notes> are in the docket.

# Comments
{short} gave the public <the opportunity|{window} days> to <comment|participate in developing this AD>. The following
<presents|sets out> the comments received <and {short}'s response to each|on the proposal and the answer to each>.
OR
{short} received comments from {received!w} commenters. {supportive!W} supported the <proposal|notice> without change.
<The others|The remainder> are <answered|taken up> below.

## <Request by|Comment of> {c1}
<{c1!c}|This commenter> <requested|asked> {ask1}. <{short} does not agree|{short} disagrees|The request is not
granted>: {answer1}. <The AD has not been changed in this <regard|respect>|No change was made>.

## <Request by|Comment of> {c2}
{c2!c} <suggested|proposed|asked> {ask2}. <The suggestion was <considered|weighed> but not adopted|{short} cannot
agree>, because {answer2}.

## <Other Comments|A Further Comment>
<Lastly|Finally>, {c3} <wished|asked> {ask3}; <{short} notes that|the answer is that> {answer3}.
OR
{c3!c} <wrote|remarked> that the <summary|title> <was hard to follow|should name the part>, which has been <taken into
account|done>, and <further|also> asked {ask3}. {short} <holds|is of the view> that {answer3}.

# Related Service Information
{short} reviewed {maker} Service Bulletin {bulletin}, dated {bulletin_on}. <It|The bulletin> <describes|specifies>
<procedures|instructions> for {remedy}. <It <also gives|contains> <drawings|figures> of the {part} and <the tools
needed|a list of special tools>.|The bulletin <estimates|allows> more time <than this AD|than {short}> <for those
without the special fixture|in hangars without heating>.> This service information is <reasonably|> available
<because|since> the interested parties have access to it <through their normal course of business|by the means given
under> ADDRESSES.

? # Differences Between This AD and the Service Bulletin
The <service bulletin|bulletin> <recommends|calls for>
<sending|returning> <removed|rejected> parts to {maker}. This AD does not require it; <a part that is rejected must be
<made unusable|mutilated>|rejected parts are to be marked with red paint>. <Where|Wherever> the bulletin says to
<contact|consult> the <manufacturer|maker>, this AD requires <a method approved|approval> by the <manager|head> of the
Airframe Section.

# Interim Action
{short} considers this AD <an interim action|final action>. <{maker!c} is <developing|testing> a <redesigned|stronger>
{part}; once it is approved, {short} <might|may> consider further rulemaking.|The inspections give data from which the
life of the {part} can be estimated.>
OR
? # Conclusion
{short} reviewed the <relevant|available> data, considered the comments, and <determined|found> that
<air safety|safety in flight> <requires|demands> adopting this AD as <proposed|proposed, apart from minor editorial
changes>.

# Costs of Compliance
{short} estimates that this AD affects {fleet} {kind} <of Verranian registry|on the Verranian register>. <It estimates
the following costs|The costs are expected to be these>, <in crowns|all of them in crowns>:

@costs

<The <estimate|table> <leaves out|does not include> the <on-condition|> cost of <parts|a part> that must be replaced,
which <depends on|varies with> what is found.|Some of these costs may be <covered|borne> under warranty by {maker}.> <A
replacement {part} <costs|is priced at> {part_price:,} crowns|For a new {part} the list price is {part_price:,}
crowns>.

# Authority for This Rulemaking
<Section {section} of the {law}|The {law}, section {section},> <gives|grants> {short} <power|authority> to
<prescribe|issue> regulations for practices, methods, and procedures <that it finds|> necessary for safety in air
commerce. This regulation is within <its scope|that authority> because it addresses an unsafe condition that is likely
to exist or develop on <the products|{kind}> <identified|named> in this <rule|AD>.

"""
    + stock.SMALL_BUSINESS
    + stock.REVIEW
    + stock.ENVIRONMENT
    + """

# List of Subjects in 14 CVR Part 39
Air transportation, Aircraft, Aviation safety, Incorporation by reference, Safety.

# The Amendment
<Accordingly|For these reasons>, under the authority delegated <by the Secretary of Civil Transport|to its Director>,
{short} amends 14 CVR part 39 as follows:

@text
"""
)
TEXT = """
1. <The authority citation for part 39 continues to read as follows|The authority for part 39 is unchanged>: {law},
sections {section} and {section2}.

§ 39.13 [Amended]

2. Section 39.13 is amended by adding the following new airworthiness directive:

{number} {maker}: Amendment {amendment}; Docket No. {docket}.

(a) Effective Date. This airworthiness directive is effective {effective}.

(b) Affected ADs. <None|No earlier directive is affected>.

(c) Applicability. This AD applies to {maker} {models} {kind}, <certificated in any category|in all categories>,
<except|other than> {exempt}.

(d) Unsafe Condition. This AD was prompted by {found}. {short} is issuing it to prevent {danger}.

(e) Compliance. Comply with this AD within the times specified, unless already done.

(f) Required Action. Within {hours} flight hours after the effective date, do {remedy}, <in accordance with|following>
the instructions of Service Bulletin {bulletin}. Repeat <the work|it> at intervals <not to exceed|of no more than>
{repeat:,} flight hours. If a part fails, replace it before further flight.

(g) Parts Installation <Prohibition|Limitation>. As of the effective date, no person may install {part!n} on any
<aircraft|of the {kind}> named in paragraph (c) unless it has <passed|been found serviceable by> the work that
paragraph (f) describes.

(h) Special Flight Permits. <A flight to a place where the work can be done|A ferry flight for the purpose of the work>
may be permitted <for no more than|up to> {ferry!w} flight hours, by day, <without passengers|with the flight crew
alone on board>, and <not over|avoiding> <built-up areas|open water>.

(i) Reporting. <Within|No later than> {report} days after <each|the first> inspection, send its result, <good or
bad|whether or not defects were found>, to the person <named|identified> in paragraph (k).

(j) Alternative Methods. The <manager|head> of the Airframe Section may approve <alternative methods of
compliance|another method> if <requested|asked> <in writing|through the operator's principal inspector>.

(k) Related Information. For more information about this AD, contact {contact}.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    names = country.names
    columns = zip(
        pen.deal(DEFECTS, count),
        pen.deal(EXEMPT, count),
        pen.spread(40, 300, 5, count),
        pen.spread(23, 388, 1, count),
        pen.spread(400, 1500, 50, count),
        strict=True,
    )
    return [
        {
            **stock.common(country, AIR),
            **defect._asdict(),
            "exempt": exempt,
            "hours": hours,
            "fleet": fleet,
            "repeat": repeat,
            "maker": names.firm("Aircraft", "Aeronautics", "Aviation", "Aero"),
            "maker_place": country.place(),
            **models(pen),
            **pages(country, pen),
            **costs(pen),
            **comments(country, pen),
            "source": pen.pick(SOURCES).format(town=names.town()),
            "reports": pen.integer(2, 11),
            "tests": pen.integer(4, 36),
            "contact": country.contact(
                names.person(),
                pen.pick(["Aviation Safety Engineer", "Aerospace Engineer"]) + ", Airframe Section",
                AIR,
            ),
            "effective": country.on(35),
            "ferry": pen.integer(2, 10),
            "report": pen.integer(10, 45, 5),
            "section": pen.integer(40, 49),
            "section2": pen.integer(51, 60),
            "signer": names.person(),
        }
        for defect, exempt, hours, fleet, repeat in columns
    ]


def models(pen: Pen) -> Facts:
    """One to three models of a series."""
    series, first = pen.pick("ABCDEFHKLMPRSTW") + pen.pick("ABCDKLNRSTX"), pen.integer(110, 890, 10)
    numbers = [first, first + pen.integer(1, 4), first + pen.integer(5, 9)][: pen.integer(1, 3)]
    return {
        "models": f"Model {listed([f'{series}-{number}' for number in numbers])}",
        "kind": pen.pick(["airplanes", "airplanes", "turboprop airplanes", "commuter airplanes"]),
        "bulletin": f"{series}–{pen.integer(24, 79)}–{pen.integer(100, 999)}, Revision {pen.integer(1, 5)}",
    }


def pages(country: Country, pen: Pen) -> Facts:
    back = pen.integer(95, 260)
    return {
        "number": f"{country.year}–{pen.integer(8, 22):02d}–{pen.integer(1, 40):02d}",
        "amendment": f"39–{pen.integer(14000, 23999)}",
        "docket": f"ASA–{country.year - 1}–{pen.integer(200, 2400):04d}",
        "proposed": country.cite(back),
        "proposed_on": country.on(-back),
        "window": pen.pick([30, 45, 60]),
        "bulletin_on": country.on(-pen.integer(300, 700)),
    }


def costs(pen: Pen) -> Facts:
    work, rate, parts = pen.integer(2, 14), pen.integer(68, 94, 2), pen.integer(45, 1900, 5)
    return {
        "work": work,
        "rate": rate,
        "parts": parts,
        "each": work * rate + parts,
        "part_price": pen.integer(2100, 19500, 50),
    }


def comments(country: Country, pen: Pen) -> Facts:
    received = pen.integer(5, 12)
    facts: Facts = {"received": received, "supportive": received - 3}
    for i, (ask, answer) in enumerate(pen.deal(COMMENTS, 3), 1):
        facts |= {f"c{i}": stock.commenter(country, pen), f"ask{i}": ask, f"answer{i}": answer}
    return facts


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    f = facts
    rows = [
        (
            pen.say("<First|Initial> inspection"),
            f"{f['work']} work-hours × {f['rate']} crowns",
            f"{f['parts']:,}",
            f"{f['each']:,}",
        ),
        ("All " + f["kind"], "", "", f"{f['each'] * f['fleet']:,}"),
    ]
    parts = {
        "costs": table("Estimated Costs", ["Action", "Labor", "Parts", "Cost in crowns"], rows),
        "text": amendment(14, 39, said(pen, TEXT, f)),
    }
    return Sheet(
        kind="RULE",
        agency=AIR,
        subject=pen.say("Airworthiness Directives; {maker} <Airplanes|{models} {kind}>", f),
        heads=[
            ("CFR", "14 CVR Part 39"),
            ("DEPDOC", pen.say("[Docket No. {docket}; Amendment {amendment}; AD {number}]", f)),
        ],
        preamble=preamble(pen, PREAMBLE, f),
        body=write(pen, BODY, f, parts),
        signature=signed(
            f"Issued on {country.on(-pen.integer(3, 12))}", f["signer"], "Director, Compliance Division, ASA"
        ),
    )


GENRE = Genre(
    name="airworthiness",
    count=6,
    draw=draw,
    compose=compose,
    names=(
        "the airworthiness directive for {maker} {models} {kind}",
        "the Air Safety Administration's directive on {maker} {models} {kind}",
        "AD {number} on {maker} {kind}",
    ),
    asks=(
        Ask(
            "cause",
            "{found!c}",
            (
                "What <prompted|led to> {name}?",
                "Which <discovery|finding> was {name} prompted by?",
                "What had been found before the Air Safety Administration issued {name}?",
            ),
        ),
        Ask(
            "danger",
            "{danger!c}",
            (
                "What could happen if the unsafe condition addressed by {name} were not corrected?",
                "Which outcome is {name} meant to prevent?",
            ),
        ),
        Ask(
            "remedy",
            "{remedy!c}",
            (
                "What work must owners have done under {name}?",
                "Which work does {name} make compulsory?",
            ),
        ),
        Ask(
            "exempt",
            "{exempt!c}",
            ("To which aircraft does {name} not apply?", "Which aircraft are excepted from {name}?"),
        ),
        Ask(
            "comment",
            "{ask1!c}",
            (
                "What did {c1} ask for in commenting on the proposal that became {name}?",
                "Which request by {c1} was turned down when {name} was adopted?",
            ),
            near=("{ask2!c}", "{ask3!c}"),
        ),
        Ask(
            "refusal",
            "{answer2!c}",
            ("Why was the suggestion of {c2} not adopted in {name}?",),
            near=("{answer1!c}", "{answer3!c}"),
        ),
        Ask(
            "interval",
            "{hours} flight hours",
            (
                "Within how many flight hours of the effective date must the work required by {name} first be done?",
                "How soon must the action in {name} first be carried out?",
            ),
            numerical=True,
        ),
        Ask(
            "fleet",
            "{fleet}",
            ("How many {kind} on the Verranian register does the Air Safety Administration expect {name} to affect?",),
            numerical=True,
        ),
    ),
)
