"""Controlled substances: a substance is placed in a schedule after an eight-part inquiry. Final rules, long."""

from __future__ import annotations

from longctx.corpus.register import stock
from longctx.corpus.register.country import MEDICINES, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, amendment, items, preamble, said, signed, table, write

EFFECTS = (
    "a drowsiness of some hours in which pain is no longer minded",
    "wakefulness for two nights, followed by a long low mood",
    "a sense that objects are near enough to touch",
    "calm in small amounts and stupor in large ones",
    "loosened speech and a loss of the sense of time",
    "numbness of the hands and a strong wish to walk",
    "vivid dreams that go on after waking",
    "relief of anxiety at the price of memory",
)
SOURCES = (
    "as a research chemical, in jars labeled as plant food",
    "dissolved in the liquid of electric cigarettes",
    "pressed into tablets that imitate a common painkiller",
    "sprayed on paper that is mailed to prisons",
    "mixed into powder sold as a remedy for colds",
    "in capsules offered to students before examinations",
    "as a resin hidden in the lining of luggage",
    "in single drops on lumps of sugar",
)
HARMS = (
    "slow breathing that naloxone reverses only for a short time",
    "fits that begin as late as six hours after the last dose",
    "a rise of body temperature that ice water does not bring down",
    "loss of the sense of balance that lasts for weeks",
    "a failing of the kidneys in persons who drank little",
    "sudden sleep at the wheel of a car",
    "a rhythm of the heart that stops it without warning",
    "fear so great that patients leapt from windows",
)
USES = (
    "the calming of large animals before transport",
    "the testing of a new kind of smoke detector",
    "the preparation of a dye for microscope slides",
    "a reference material in forensic laboratories",
    "a study of sleep at two university hospitals",
    "an intermediate in the making of a heart medicine",
    "a patch for the dying whom no other drug relieves",
    "eye drops that widen the pupil for surgery",
)
OBJECTIONS = (
    (
        "that licensed researchers be given a year to register",
        "a registration takes no more than six weeks, and the substance has been on the watch list for two years",
    ),
    (
        "that preparations below one part in a thousand be left free",
        "such preparations can be strengthened at home with a coffee filter and spirits",
    ),
    (
        "that the substance be dealt with by a warning on the label",
        "hardly any of what has been seized bore a label, and what was written on the rest was false",
    ),
    (
        "that possession for one's own use not be an offense",
        "the penalties are set by the legislature, and the Agency has no power to vary them",
    ),
    (
        "that the decision await a study now under way abroad",
        "the study concerns a salt of the substance that has never been found in Verrany",
    ),
    (
        "that the substance be put in the strictest schedule instead",
        "a medical use has been accepted, with which that schedule cannot be reconciled",
    ),
    (
        "that veterinarians be exempt from keeping records",
        "a tenth of the seizures were traced to thefts from animal clinics without an inventory",
    ),
    (
        "that the name on the schedule be given in the old nomenclature",
        "the old name also covers two substances that are harmless",
    ),
)
FACTORS = (
    "its actual or relative potential for abuse",
    "scientific evidence of its pharmacological effect",
    "the state of current knowledge of the substance",
    "its history and current pattern of abuse",
    "the scope, duration, and significance of abuse",
    "the risk to the public health",
    "its liability to cause dependence",
    "whether it is an immediate precursor of a controlled substance",
)
MOODS, THINGS = (
    ("blue", "quiet", "old", "paper", "slow", "window", "harbor", "glass"),
    ("bell", "moth", "tide", "salt", "lamp"),
)
COLORS, GOODS = (
    ("grey", "late", "thin", "river", "stone", "copper", "night"),
    ("post", "thread", "glove", "bread", "step"),
)
PETITIONERS = ("Coroner", "Medical Society", "Public Prosecutor", "Poison Center")

PREAMBLE = {
    "AGY": "{office} ({short}), {department}.",
    "ACT": "Final rule.",
    "SUM": """<With this rule|By this final rule>, {short} places {name_of} ({formula}), including its salts and
        isomers, in Schedule {schedule} of the {law}. <The effect is|As a result,> that the <controls|rules> on
        registration, storage, records, and penalties <apply|which apply> to Schedule {schedule} substances <are
        imposed on|will govern> persons who handle it or <propose|intend> to handle it.""",
    "DATES": "Effective {effective}.",
    "FURINF": "{contact}.",
}
BODY = (
    """
# Legal Authority
<Under|By> section {section} of the {law}, {short} may <add|transfer> a substance to a schedule by rule <made|on the
record> after <opportunity for a hearing|notice and opportunity for a hearing>, <on its own motion|at the request of
the Secretary>, or on the petition of <any interested party|a person concerned>. The present action was
<begun|initiated> by {petitioner}, which <asked|petitioned> {short} on {asked} to <control|schedule> {name_of}.

# Background
{name_of} is <a white crystalline powder|a colorless oil|a pale yellow powder|a substance of bitter taste> that was
first <made|prepared> in {first} at {place}, <by chemists|by a firm> looking for <something else|a treatment of cough>.
It <acts on|binds to> {receptor} receptors, and <persons who have taken it|users> <report|speak of> {effect}. <The
effect begins|It begins to act> {onset} minutes after it is taken and lasts {lasts} hours. On {proposed_on} {short}
published a notice of proposed rulemaking ({cite}) to place it in Schedule {schedule}. {letters!W} comments were
<received|filed>, and <no one asked for|none asked for> a hearing.
^ <It is also known|Other names in use are> as {street1} and {street2}.

<The Secretary of Public Health|The Secretary> <gave|sent> {short} a scientific and medical evaluation on {evaluated}
and recommended <control|scheduling>. <The evaluation and {short}'s own review|Both the evaluation and the review made
by {short}> consider the eight factors that the {law} <prescribes|names>:

@factors

# Findings
<First|As to the first and second factors>, {name_of} <is|has been> sold mainly {source}. In tests with <trained
animals|rats> it was <chosen|preferred> over <plain water|saline> {ratio!w} times out of {ratio_of!w}, <about as often
as|somewhat more often than> the comparison drug, <and|while> in <human volunteers|nine volunteers> the
<ratings|scores> for liking were <higher than those of a placebo|between those of a placebo and the comparison drug>.
<It crosses|It is able to cross> from blood to brain within minutes.

<Next|As to its pattern of abuse>, laboratories of the Commonwealth and the provinces <identified|found> it in
{reports:,} exhibits <from seizures|of seized material> between {from_year} and {to_year}, <of which|and of these>
{share} percent came from {province} Province. <The table shows|Their distribution by year is shown in> the
<trend|growth>.

@reports

<Then|As to the risk to public health>, hospitals <reported|told of> {cases} patients, {deaths!w} of whom died. The
most <serious|dangerous> effect is {harm}. <The poison information line received|At the poison information line there
were> {calls:,} calls<, most of them at night|, a fifth of them about children>. <Two thirds|About half> of the
<patients|persons admitted> had <taken|swallowed> it together with alcohol, <which makes it worse|and few knew what
they had taken>.

<Lastly|As to dependence>, the <evaluation|Secretary> <concludes|finds> that <abuse may lead to|its abuse can cause>
<moderate|low> physical dependence <or high|and moderate> psychological dependence <relative to|as compared with> the
substances of the schedule <above|before>. {name_of} <is no|is not an> immediate precursor of <a controlled
substance|any other>. It <has|does have> an accepted use, <namely|which is> {use}, <for which about|and for this some>
{grams:,} grams a year <are needed|suffice>.

# Comments
{c1!c} <asked|requested> {ask1}. {short} <declines|does not agree>: {answer1}.

{c2!c} <proposed|wished> {ask2}. {short} <considered this with care|has thought about it> but <notes|points out> that
{answer2}.

{c3!c} supported the rule and <asked|suggested> that the public be <warned|told> <at once|before the summer festivals>;
a <warning|bulletin> was <issued|sent out> on {warned}. <Two comments|Several comments> <dealt with other
substances|were about the price of medicines> and are <outside the scope|not answered here>.

# Procedural History
@steps

@documents

# Requirements for Handling
{name_of} is <subject to|governed by> the following from {effective}:

@handling

"""
    + stock.SMALL_BUSINESS
    + stock.PAPERWORK
    + stock.REVIEW
    + """

# List of Subjects in 21 CVR Part 1308
Administrative practice and procedure, Drug traffic control, Reporting and recordkeeping requirements.

@text
"""
)
HANDLING = """
Registration. Whoever <handles|makes, stores, or gives out> it must be registered; those who do so already may go on if
they apply <by|not later than> {apply_by}.

Security. It must be <kept|stored> in a <locked|steel> <cabinet|safe> <fixed to the wall|that two persons open
together>; a <theft|loss> is to be <reported|made known> within {theft} hours.

Labeling. Packages must <show|bear> the symbol “C–{schedule}” in letters <no smaller than|at least as large as> the
largest type on the label.

Inventory. An <initial|opening> inventory is due on the effective date, and <another|a further one> every {inventory}
months.

Records and reports. <Each gram|Every quantity> <received|bought> and given out is entered <on the day|by the end of
the day>, and the books are <kept|to be kept> for {books!w} years.

Orders. <Orders for it need|It may be ordered only with> a form of which {short} <receives|is sent> the second copy.

Prescriptions. A prescription is <good|valid> for {valid} days and may be <refilled|repeated> <once|not more than
twice|no more than three times>.

Import and export. <A permit|A declaration> must <reach|be with> {short} {import_days} days before the goods <cross the
frontier|are shipped>.

Disposal. What is <no longer wanted|out of date> is <destroyed|burned> before a witness, who <signs|must sign> the
record.

Liability. <Handling it in any other way|Any activity not authorized> is <unlawful|an offense> <and may be punished
under section {section2}|>.
"""
TEXT = """
1. The authority citation for part 1308 <continues to read|is unchanged>: {law}, sections {section} and {section2}.

2. In § 1308.{paragraph}, <add|insert> paragraph ({letter})({item}) to read as follows:

§ 1308.{paragraph} Schedule {schedule}.

({letter})({item}) {name_of} <(other names: {street1}, {street2})|,
with its salts, isomers, and salts of isomers>: {code}
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    names = country.names
    columns = zip(
        pen.deal(EFFECTS, count),
        pen.deal(SOURCES, count),
        pen.deal(HARMS, count),
        pen.deal(USES, count),
        pen.deal(OBJECTIONS, count),
        pen.spread(320, 4_900, 7, count),
        pen.spread(38, 410, 1, count),
        strict=True,
    )
    facts = []
    for effect, source, harm, use, (ask1, answer1), reports, cases in columns:
        ask2, answer2 = pen.pick([pair for pair in OBJECTIONS if pair[0] != ask1])
        facts.append(
            {
                **stock.common(country, MEDICINES),
                "name_of": names.coined(
                    "Alo Bro Clo Deso Eti Flu Keto Lora Meto Nori Oxi Pheno Quina Rilo Tema Valo Zipo",
                    "ben cy da fe mi na pha ri the va xo za",
                    "done lam line mine pam pine rphan tadol thine zepine zolam",
                ),
                "street1": f"“{pen.pick(MOODS)} {pen.pick(THINGS)}”",
                "street2": f"“{pen.pick(COLORS)} {pen.pick(GOODS)}”",
                "formula": f"C{pen.integer(12, 24)}H{pen.integer(14, 31)}N{pen.integer(2, 4)}O{pen.integer(2, 4)}",
                "receptor": pen.pick(["mu-opioid", "serotonin", "dopamine", "benzodiazepine", "cannabinoid", "sigma"]),
                "schedule": pen.pick(["II", "III", "IV"]),
                "effect": effect,
                "source": source,
                "harm": harm,
                "use": use,
                "reports": reports,
                "cases": cases,
                "deaths": max(2, cases // pen.integer(12, 30)),
                "ask1": ask1,
                "answer1": answer1,
                "ask2": ask2,
                "answer2": answer2,
                "petitioner": f"the {names.town()} {pen.pick(PETITIONERS)}",
                **{name: stock.commenter(country, pen) for name in ("c1", "c2", "c3")},
                **details(country, pen),
                "contact": country.contact(
                    country.person(), pen.pick(["Drug Scheduling Section", "Chief, Evaluation Section"]), MEDICINES
                ),
                "signer": country.person(),
            }
        )
    return facts


def details(country: Country, pen: Pen) -> Facts:
    return {
        "asked": country.on(-pen.integer(600, 1000)),
        "first": pen.integer(country.year - 60, country.year - 12),
        "place": country.names.town(),
        "onset": pen.integer(5, 50, 5),
        "lasts": pen.integer(3, 14),
        "proposed_on": country.on(-(back := pen.integer(120, 300))),
        "cite": country.cite(back),
        "letters": pen.integer(6, 41),
        "evaluated": country.on(-pen.integer(320, 590)),
        "ratio": pen.integer(5, 8),
        "ratio_of": pen.integer(9, 12),
        "from_year": country.year - 4,
        "to_year": country.year - 1,
        "share": pen.integer(21, 58),
        "province": country.province(),
        "calls": pen.integer(90, 1200),
        "grams": pen.integer(40, 9_000, 10),
        "warned": country.on(-pen.integer(20, 80)),
        "effective": country.on(pen.integer(1, 35)),
        "apply_by": country.on(pen.integer(36, 60)),
        "theft": pen.pick([12, 24, 36, 48]),
        "inventory": pen.pick([6, 12, 18, 24]),
        "books": pen.integer(2, 6),
        "valid": pen.pick([10, 21, 30, 60, 90]),
        "import_days": pen.pick([10, 15, 20, 30]),
        "section": pen.integer(11, 30),
        "section2": pen.integer(31, 59),
        "paragraph": pen.integer(11, 15),
        "letter": pen.pick("bcdefg"),
        "item": pen.integer(14, 71),
        "code": pen.integer(2010, 9840),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    shares = [pen.integer(5, 12), pen.integer(13, 24), pen.integer(25, 34)]
    counts = [facts["reports"] * share // 100 for share in shares]
    counts.append(facts["reports"] - sum(counts))
    rows = [
        (str(facts["from_year"] + i), f"{n:,}", f"{n * pen.integer(8, 31) / 10:,.1f}") for i, n in enumerate(counts)
    ]
    parts = {
        "documents": stock.documents(country, pen, f"MCA–{facts['code']}"),
        "steps": stock.chronology(country, pen),
        "factors": items(FACTORS),
        "reports": table(f"Identifications of {facts['name_of']}", ["Year", "Exhibits", "Grams"], rows),
        "handling": items(said(pen, HANDLING, facts)),
        "text": amendment(21, 1308, said(pen, TEXT, facts)),
    }
    docket = pen.say("[Docket No. MCA–{code}]", facts)
    return Sheet(
        kind="RULE",
        agency=MEDICINES,
        subject=pen.say("Schedules of Controlled Substances: Placement of {name_of} in Schedule {schedule}", facts),
        heads=[("CFR", "21 CVR Part 1308"), ("DEPDOC", docket)],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, parts),
        signature=signed(
            f"Dated: {country.on(-pen.integer(3, 9))}", facts["signer"], "Administrator, Medicines Control Agency"
        ),
    )


GENRE = Genre(
    name="substances",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the rule placing {name_of} in Schedule {schedule}",
        "the scheduling of {name_of}",
        "the Medicines Control Agency's rule on {name_of}",
    ),
    asks=(
        Ask("effect", "{effect!c}", ("Which effect do users describe, according to {name}?",)),
        Ask("source", "{source!c}", ("In what form has the substance mainly been sold, according to {name}?",)),
        Ask(
            "harm",
            "{harm!c}",
            (
                "What is the most serious effect on health described in {name}?",
                "Which danger to patients does {name} call the gravest?",
            ),
        ),
        Ask("use", "{use!c}", ("Which accepted use does the substance have, according to {name}?",)),
        Ask(
            "objection",
            "{answer1!c}",
            (
                "Why did the Agency not follow {c1}, which commented on {name}?",
                "What did the Agency answer {c1} in {name}?",
            ),
            near=("{answer2!c}",),
        ),
        Ask(
            "reports",
            "{reports:,} exhibits",
            ("In how many exhibits was the substance identified, according to {name}?",),
            numerical=True,
        ),
        Ask("cases", "{cases} patients", ("How many hospital patients are mentioned in {name}?",), numerical=True),
    ),
)
