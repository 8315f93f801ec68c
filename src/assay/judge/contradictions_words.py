"""The words by which an attribute is told in text, and the closed lists of values that some questions ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from assay.text.tokens import stem

# Words that say the same of a thing: where a question uses one of a line, a passage may use any other.
_SAME = """
born birth birthday
die died death dead killed
built build constructed construction erected completed building dates dating
founded found establish established formed form formation created create organized \
organised instituted foundation founding began started start introduced inception incorporated constituted \
proclaimed
opened open opening inaugurated
released release publish published premiered premiere issued aired
launched launch
elected election elect elections
become became succeeded succeeded appointed inherited succeed baronet
place fought occurred held battle
passed enacted pass act
directed director direct filmmaker
wrote written writer author write authored
composed composer compose music
produced producer produce
created creator create creators written written directed
artist album record recorded recording sung singer band performed single song ep musician
architect architects designed design
father son daughter
mother son daughter
married wife husband spouse marry marriage wed consort
population people inhabitants residents populated persons
located situated location lies
based headquartered headquarters
worked closed operating operation
formed raised raise established
profession occupation career
flows flow tributary
debut debuted
fly flown operated involved
named name known called
led lead leader commanded
old aged age
won win winner winning champion champions defeated beat
"""
# What tells an attribute without being asked by it: a barracks is established when it is opened.
_ALSO = {"established": "opened built", "founded": "opened", "opened": "established"}


def _synonyms() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _SAME.split("\n"):
        group = {stem(word) for word in line.split()}
        for term in group:
            found.setdefault(term, set()).update(group)
    for asked, told in _ALSO.items():
        found[stem(asked)].update(stem(word) for word in told.split())
    return {term: frozenset(group) for term, group in found.items()}


SYNONYMS: Mapping[str, frozenset[str]] = MappingProxyType(_synonyms())

NATIONALITY = (
    r"(?:(?:North|South|West|East|Northern)\s)?(?:[A-Z][a-z]+-)?(?:[A-Z][a-z]+(?:ish|ese|ean|ian|can|ban|van|ican|gian|nian|sian|tian|man|lish|wegian|xican)|French|Dutch|Welsh"
    r"|Greek|Czech|Swiss|Thai|Iraqi|Israeli|Pakistani|Bangladeshi|Filipino|Afghan|Scots|Irish|English|Finnish|Danish"
    r"|British|German|Roman|Norman|Soviet|U\.S\.|US|UK|New Zealand|South African|North American|Old|Late|Early)"
    r"(?:[-–](?:[A-Z][a-z]+|born|language))?"
)

_SPORTS = """american football|australian rules football|association football|rugby league|rugby union|rugby
ice hockey|field hockey|hockey|football|soccer|basketball|baseball|cricket|tennis|golf|boxing|boxer|wrestling
wrestler|cycling|cyclist|swimming|swimmer|volleyball|handball|snooker|darts|bowling|bowler|speed skating
figure skating|skating|gymnastics|gymnast|athletics|sprinter|diving|diver|rowing|rower|sailing|chess
sumo wrestling|sumo|judo|karate
badminton|squash|fencing|fencer|water polo|polo|lacrosse|softball|bmx|skiing|skier|bodybuilding|bodybuilder
motor racing|racing driver|racing|surfing|surfer|skateboarding|weightlifting|triathlon|archery|hurling|netball
gambling|poker|billiards|equestrian|curling|mixed martial arts|afl|nba|nfl|nhl"""
_PARTIES = """republican|democratic|democrat|conservative|liberal|labour|labor|whig|federalist|socialist|communist
green party|libertarian|progressive|reform|national|independent|unionist|social democratic
christian democratic|populist"""
_LANGUAGES = """english|french|german|spanish|italian|portuguese|dutch|russian|polish|arabic|hindi|telugu|tamil
kannada|malayalam|marathi|bengali|punjabi|gujarati|assamese|odia|urdu|nepali|sinhala|persian|turkish|greek|hebrew
chinese|mandarin|cantonese|japanese|korean|thai|vietnamese|indonesian|malay|tagalog|filipino|swedish|norwegian
danish|finnish|hungarian|czech|romanian|bulgarian|serbian|croatian|ukrainian|latin|swahili|welsh|irish|catalan"""
_POSITIONS = """goalkeeper|defensive midfielder|attacking midfielder|central midfielder|midfielder|midfield|defender
centre-back|full-back|left-back|right-back|winger|forward|striker|quarterback|running back|wide receiver|tight end
linebacker|cornerback|safety|defensive end|defensive tackle|offensive tackle|guard|center|fullback|halfback|kicker
punter|pitcher|catcher|shortstop|first baseman|second baseman|third baseman|outfielder|infielder|point guard
shooting guard|small forward|power forward|prop|hooker|lock|flanker|fly-half|scrum-half|defenceman|goaltender"""
_RANKS = """brigadier general|lieutenant general|major general|lieutenant colonel|rear admiral|vice admiral
fleet admiral|field marshal|admiral|general|colonel|major|captain|commodore|commander|lieutenant|sergeant|marshal"""
_GENRES = """romantic comedy|musical comedy|comedy-drama|science fiction|black comedy|horror|comedy|drama|thriller
documentary|western|musical|romance|action|animation|animated|fantasy|mystery|crime|war|biographical|short film
telenovela|jazz|rock|pop|hip hop|country|folk|classical|opera|soul|blues|reggae|punk|metal|electronic
dance|ambient"""
_MEDIA = """television film|television series|tv series|board game|video game|card game|short story|radio|film
novel|novella|album|telenovela|series|play|musical|opera|book|comic|manga|anime|magazine|newspaper|song|single
documentary|sequel|miniseries|filly|ep"""
_INSTRUMENTS = """tabla|sitar|guitar|piano|violin|cello|drums|bass|trumpet|saxophone|flute|clarinet|harp|organ
trombone|banjo|mandolin|accordion|harmonica|viola|oboe|horn|percussion|keyboards|ukulele|sarod"""
_STYLES = """gothic revival|romanesque revival|colonial revival|greek revival|art deco|art nouveau|baroque|rococo
neoclassical|neo-gothic|gothic|romanesque|renaissance|victorian|georgian|queen anne|italianate|federal|modernist
brutalist|beaux-arts|tudor|moorish|mannerist|impressionist|cubist"""
_COLOURS = """black|white|grey|gray|red|orange|yellow|green|blue|purple|violet|pink|brown|silver|gold|beige
turquoise|maroon|crimson|cream"""


def _listed(names: str) -> re.Pattern[str]:
    """The names as one pattern that begins at a word; the longest come first."""
    each = sorted({name.strip() for name in names.replace("\n", "|").split("|")}, key=lambda name: -len(name))
    return re.compile(
        r"(?<![\w-])(?:" + "|".join(re.escape(name).replace(r"\ ", r"[\s-]") for name in each) + ")", re.I
    )


# What a question asks for by its noun, and the values that there are.
LISTS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "sport": _listed(_SPORTS),
        "parti": _listed(_PARTIES),
        "languag": _listed(_LANGUAGES),
        "posit": _listed(_POSITIONS),
        "rank": _listed(_RANKS),
        "instrument": _listed(_INSTRUMENTS),
        "style": _listed(_STYLES),
        stem("colour"): _listed(_COLOURS),
        stem("color"): _listed(_COLOURS),
    }
)
LISTED_KINDS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {"medium": _listed(_MEDIA), "format": _listed(_MEDIA), "genr": _listed(_GENRES)}
)
# Nouns of a question that is answered by what the thing is: "X is a drama film".
KINDS = frozenset(
    stem(word)
    for word in """profession occupation job genre medium format type kind function known institution nationality
    species media""".split()
)
