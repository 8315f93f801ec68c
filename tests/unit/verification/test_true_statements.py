"""True statements in words of their own: none is called false, and no check of them fails."""

from __future__ import annotations

from collections import defaultdict

import assay_models
import pytest
from _pytest.mark import ParameterSet
from tests.unit.verification.small_documents import (
    BRIDGE,
    FIRM,
    HISTORY,
    LEASE,
    MEDICINE,
    NATURE,
    SOFTWARE,
    SPACE,
    TOWN,
    wrong_still,
)

from assay.models.checker import OnnxChecker
from assay.models.embed_local import LocalEmbedder
from assay.types import Passage, Review, Status, Verdict
from assay.verification.verifier import DeterministicVerifier
from assay.wiring.networks import BUNDLED_CHECKER

TRUE = [
    ("forbidden", LEASE, "Smoking is not allowed in the hall."),
    ("amount", LEASE, "The deposit is 2,300 euros."),
    ("condition", LEASE, "If the boiler breaks, the landlord has to fix it."),
    ("rejected", LEASE, "No second tester will be hired."),
    ("order", LEASE, "Version 1 was replaced by version 2."),
    ("time", LEASE, "The old client will be supported until 2026."),
    wrong_still(
        "clause", LEASE, "In London hotel costs are refunded up to 190 euros a night.",
        "a clause that is put first is taken for two words that have changed places",
    ),
    ("clause", LEASE, "Heating costs are borne by the tenant."),
    ("clause", LEASE, "Repairs to the roof are borne by the landlord."),
    ("clause", LEASE, "Employees receive 30 days of leave."),
    ("clause", LEASE, "Anna leads the sales team."),
    ("clause", LEASE, "The warranty covers the battery for two years."),
    ("exception", LEASE, "Subletting requires written consent."),
    ("amount", LEASE, "Not all warehouses were closed in March."),
    ("planned", LEASE, "Windows is not supported yet."),
    ("order", LEASE, "The doors had been locked after the alarm sounded."),
    ("tense", BRIDGE, "The council is planning to open a second bridge in 2027."),
    ("tense", NATURE, "Herons are hunting at dawn in shallow water."),
    ("passive", BRIDGE, "Ruth Castell designed the bridge."),
    ("passive", BRIDGE, "The mayor opened the bridge on 3 May 1932."),
    ("passive", HISTORY, "The monks built the library."),
    ("passive", MEDICINE, "Orlen Pharma funded the trial."),
    ("passive", HISTORY, "Emil Voss was taught by the painter Karl Brandt in Vienna before the war."),
    ("passive", FIRM, "Belmar was acquired by Norvik Foods in March 2021 for 45 million euros."),
    ("passive", SOFTWARE, "An expired certificate caused the outage."),
    ("passive", FIRM, "Strong demand in Germany caused the increase in sales."),
    ("passive", SOFTWARE, "Files are copied from the laptop to the server every 15 minutes by the sync service."),
    ("passive", FIRM, "Peter Lund replaced Inge Holm on the board in 2015."),
    ("number word", BRIDGE, "The bridge carries 2 lanes of traffic."),
    ("number word", NATURE, "The female lays 4 to 5 eggs in April."),
    ("number word", SOFTWARE, "Backups are kept for 2 weeks."),
    ("number word", SOFTWARE, "If the connection is lost, the client retries up to 5 times."),
    ("number word", FIRM, "Most of its twelve hundred employees work in Aalborg."),
    ("fraction", BRIDGE, "About one fifth of the drivers pay by card."),
    ("fraction", BRIDGE, "About a fifth of the drivers pay by card."),
    ("percent", BRIDGE, "About 20 percent of the drivers pay by card."),
    ("percent", MEDICINE, "Headache was reported by 12 per cent of patients."),
    ("date", BRIDGE, "The bridge was opened in 1932."),
    ("date", BRIDGE, "The bridge was opened in May 1932."),
    ("date", BRIDGE, "The bridge was opened by the mayor on May 3, 1932."),
    ("date", BRIDGE, "The bridge was opened by the mayor on 1932-05-03."),
    ("date", BRIDGE, "It was opened by the mayor on the 3rd of May 1932."),
    ("date", SOFTWARE, "Version 4.2 came out in September 2023."),
    ("date", SOFTWARE, "Version 4.2 was released in Sept. 2023."),
    ("date", SOFTWARE, "Version 4.2 was released in 2023."),
    ("date", FIRM, "Norvik Foods was founded in the 1970s."),
    ("century", HISTORY, "All houses on the square date from the eighteenth century."),
    ("unit", BRIDGE, "The bridge is 412 metres long."),
    ("unit", BRIDGE, "The bridge is 0.412 km long."),
    ("unit", NATURE, "The park covers 340 km²."),
    ("unit", NATURE, "The park covers 34,000 hectares."),
    ("unit", SOFTWARE, "The sync service copies files from the laptop to the server every quarter of an hour."),
    ("unit", SOFTWARE, "Backups are kept for 14 days."),
    ("unit", MEDICINE, "Tablets are stored below 25 degrees Celsius."),
    ("money", FIRM, "In March 2021 the company acquired Belmar for €45 million."),
    ("money", FIRM, "In March 2021 the company acquired Belmar for EUR 45m."),
    ("money", BRIDGE, "Drivers pay a toll of €3."),
    ("difference", FIRM, "Sales rose by 50 million euros between 2020 and 2021."),
    ("large number", NATURE, "The park receives about 50 thousand visitors a year."),
    ("large number", MEDICINE, "The trial had 840 patients."),
    ("abbreviation", MEDICINE, "The trial was led by Doctor Maria Soto."),
    ("abbreviation", MEDICINE, "The trial was led by Dr Soto."),
    ("abbreviation", MEDICINE, "Veltaris must not be taken with alcohol."),
    ("negation", MEDICINE, "Do not take Veltaris with alcohol."),
    ("negation", MEDICINE, "Veltaris should not be taken by children under 12."),
    ("negation", BRIDGE, "Heavy lorries aren't allowed on the bridge during the night."),
    ("negation", BRIDGE, "Heavy lorries are banned from the bridge during the night."),
    ("negation", HISTORY, "The army of Prince Rupert did not take the castle in 1644."),
    ("negation", HISTORY, "In 1644 the army of Prince Rupert besieged the castle without success."),
    ("negation", NATURE, "No beavers have been seen on the island since 1870."),
    ("negation", SOFTWARE, "Passwords are not sent in plain text."),
    ("comparison", FIRM, "Profit in Spain was lower than profit in Denmark."),
    ("comparison", NATURE, "Lake Vinn is larger than Lake Orsa."),
    ("comparison", NATURE, "Lake Orsa is deeper than Lake Vinn."),
    ("comparison", NATURE, "Lake Vinn is not as deep as Lake Orsa."),
    ("comparison", MEDICINE, "Placebo lowered blood pressure less than Veltaris."),
    ("comparison", MEDICINE, "Veltaris lowered blood pressure more than placebo."),
    ("direction", FIRM, "Sales grew from 210 million euros in 2020 to 260 million euros in 2021."),
    ("direction", FIRM, "Sales increased to 260 million euros in 2021."),
    ("direction", HISTORY, "The population dropped from 3,400 in 1950 to 1,900 in 2010."),
    ("direction", HISTORY, "The population decreased to 1,900 by 2010."),
    ("direction", MEDICINE, "The risk of heart disease is increased by smoking."),
    ("synonym", FIRM, "In March 2021 the company bought Belmar, a Spanish canning firm, for 45 million euros."),
    ("synonym", FIRM, "The rise in sales was caused by strong demand in Germany."),
    ("synonym", HISTORY, "The library, which was built by the monks, burnt down in June 1790."),
    ("synonym", NATURE, "The grey heron is a big wading bird that eats mainly fish."),
    ("synonym", BRIDGE, "The northern tower was fixed after a fire in 1961."),
    ("order", BRIDGE, "On 3 May 1932 the bridge was opened by the mayor."),
    ("order", HISTORY, "After the flood of 1703 the castle was rebuilt in stone."),
    ("order", HISTORY, "The painter Karl Brandt taught Emil Voss before the war in Vienna."),
    ("weaker", FIRM, "Most of its employees work in Aalborg."),
    ("weaker", HISTORY, "Some houses on the square date from the 18th century."),
    ("weaker", BRIDGE, "The Harrow Bridge is a bridge over the river Lenn."),
    ("weaker", NATURE, "The grey heron is a wading bird that eats fish."),
    ("weaker", BRIDGE, "The bridge is 412 m long."),
    ("modality", FIRM, "The plant in Odense might close next year, the chief executive said."),
    ("modality", FIRM, "The chief executive said that the plant in Odense could close next year."),
    ("modality", MEDICINE, "The drug can cause dizziness in older patients."),
    ("modality", FIRM, "The company is going to publish its annual report in April."),
    ("modality", FIRM, "The annual report will be published in April."),
    ("pronoun", BRIDGE, "The Harrow Bridge was designed by Ruth Castell."),
    ("joined", BRIDGE, "The Harrow Bridge is 412 m long and was opened in 1932."),
    ("joined", FIRM, "Norvik Foods, founded in 1978, acquired Belmar in March 2021."),
    ("named", HISTORY, "Clara Fink dedicated the book to her brother."),
    ("list", SOFTWARE, "Users can export their data as JSON or CSV."),
    ("list", SOFTWARE, "The paid plan includes 200 GB of storage, and the free plan 5 GB."),
    ("version", SOFTWARE, "Version 4.2 needs Python 3.10 or newer."),
    ("passive", TOWN, "The architect Otto Keller built the town hall of Brenn in 1898."),
    ("date", TOWN, "The town hall was built in the 19th century."),
    ("order", TOWN, "In 1954 the copper roof was replaced with slate."),
    ("weaker", TOWN, "The market is held on Saturdays."),
    ("weaker", TOWN, "The market is held every Saturday in front of the church."),
    ("paraphrase", TOWN, "Every Saturday morning a market is held in front of the church."),
    ("modality", TOWN, "Residents can park for free after 6 pm."),
    ("time", TOWN, "Residents may park for free after 18:00."),
    ("paraphrase", TOWN, "In the park, dogs must be kept on a lead."),
    wrong_still(
        "negation", TOWN, "Dogs must not run without a lead in the park.",
        "two denials make one duty",
    ),
    ("fraction", TOWN, "Almost 50 % of the pupils come to school by bicycle."),
    ("synonym", TOWN, "Nearly half of the students come to school by bike."),
    ("negation", TOWN, "The museum is not open on Mondays and Tuesdays."),
    ("weaker", TOWN, "The museum is closed on Mondays."),
    ("modality", TOWN, "The new tram line will probably cost 80 million euros."),
    ("money", TOWN, "The new tram line is expected to cost €80 million."),
    ("reported", TOWN, "The mayor said that the flood damaged 140 houses."),
    ("passive", TOWN, "According to the mayor, 140 houses were damaged by the flood."),
    ("negation", TOWN, "No one was injured in the fire of 2011."),
    ("passive", TOWN, "The bakery was run by the older brother."),
    ("passive", SPACE, "The European agency launched the probe Calla from Kourou on 14 July 2009."),
    ("date", SPACE, "Calla was launched in July 2009."),
    ("date", SPACE, "The probe Calla was launched on July 14, 2009."),
    ("unit", SPACE, "It weighs 1,200 kg and carries 6 instruments."),
    ("joined", SPACE, "Calla weighs 1.2 tonnes."),
    ("order", SPACE, "Before it reached Saturn, Calla photographed the moon Dione."),
    ("hedge", SPACE, "The ice may hide an ocean."),
    ("hedge", SPACE, "Scientists think that an ocean may be hidden by the ice."),
    ("negation", SPACE, "The camera was not repaired after it failed in 2013."),
    wrong_still(
        "negation", SPACE, "One of the three antennas no longer works.",
        "what is left of three is not counted",
    ),
    ("weaker", SPACE, "Two antennas still work."),
    ("active", SPACE, "France and Italy paid for the mission."),
    ("order", SPACE, "The mission was paid for by Italy and France."),
    wrong_still(
        "unit", SPACE, "The signal takes about an hour and 20 minutes to reach Earth.",
        "hours and minutes are not added up",
    ),
    ("comparison", SPACE, "The first probe is heavier than the second."),
    ("clause", SPACE, "The team in Rome analyses the data."),
    ("clause", SPACE, "The team in Toulouse controls the probe."),
    ("comparison", SPACE, "Solar panels produce more power at Mars than at Saturn."),
    ("passive", SPACE, "The lander was cancelled by the agency because of its cost."),
    ("synonym", SPACE, "The agency called off the lander because it was too expensive."),
]  # fmt: skip


async def checked(said: str, document: str, verifier: DeterministicVerifier | None = None) -> Review:
    passage = Passage("p", "d", "r", 0, len(document), document)
    return await (verifier or DeterministicVerifier()).check(said, (passage,))


@pytest.mark.parametrize(("kind", "document", "said"), TRUE)
async def test_a_true_statement_is_not_called_false(kind: str, document: str, said: str) -> None:
    review = await checked(said, document)
    assert [each.cause for each in review.checks if each.status is Status.FAILED] == []
    assert review.verdict in (Verdict.SUPPORTED, Verdict.UNKNOWN)


async def test_the_checker_finds_most_of_them_borne_out() -> None:
    checker = OnnxChecker.load(assay_models.folder(BUNDLED_CHECKER))
    reads = DeterministicVerifier(LocalEmbedder.load(assay_models.folder()), checker=checker)
    rows = [each.values if isinstance(each, ParameterSet) else each for each in TRUE]
    by_source = defaultdict[str, list[str]](list)
    for _, document, said in rows:
        by_source[str(document)].append(str(said))
    reviews = [await checked(" ".join(said), document, reads) for document, said in by_source.items()]
    claims = [claim for review in reviews for claim in review.claims]
    assert len(claims) >= len(TRUE)
    assert sum(each.verdict is Verdict.SUPPORTED for each in claims) > len(claims) / 2
