"""False statements close to their source: none passes as supported."""

from __future__ import annotations

import assay_models
import pytest
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
)

from assay.models.checker import OnnxChecker
from assay.models.embed_local import LocalEmbedder
from assay.types import Passage, Review, Verdict
from assay.verification.verifier import DeterministicVerifier
from assay.wiring.networks import BUNDLED_CHECKER

FALSE = [
    ("forbidden", LEASE, "The tenant can smoke in the hall."),
    ("year", LEASE, "In 2023 the firm spent 1.2 million euros on travel."),
    ("order", LEASE, "Version 1 replaced version 2."),
    ("time", LEASE, "The old client will be supported from the end of 2026."),
    ("list", FIRM, "Norvik Foods is a Danish producer of frozen fish, founded by Lars Holm, Inge and Peter."),
    ("list", LEASE, "Heating costs are borne by the tenant and the guarantor."),
    ("order", LEASE, "The alarm sounded after the doors had been locked."),
    ("modifier", BRIDGE, "The southern tower was repaired after a fire in 1961."),
    ("modifier", NATURE, "The grey heron is a small wading bird that eats mainly fish."),
    ("modifier", MEDICINE, "Veltaris is a tablet for adults with low blood pressure."),
    ("agent", BRIDGE, "It was opened by the king."),
    ("agent", BRIDGE, "It was designed by the mayor and opened by Ruth Castell on 3 May 1932."),
    ("agent", HISTORY, "The library was built by the soldiers."),
    ("agent", FIRM, "In March 2021 Belmar acquired the company for 45 million euros."),
    ("roles", HISTORY, "The painter Emil Voss taught Karl Brandt in Vienna before the war."),
    ("roles", HISTORY, "Emil Voss taught the painter Karl Brandt in Vienna."),
    ("roles", FIRM, "Belmar acquired Norvik Foods in March 2021."),
    ("roles", FIRM, "Peter Lund left the board in 2015 and was replaced by Inge Holm."),
    ("roles", HISTORY, "Her brother dedicated the book to the poet Clara Fink."),
    ("roles", SOFTWARE, "The sync service copies files from the server to the laptop every 15 minutes."),
    ("roles", NATURE, "The eel migrates from the Sargasso Sea to the rivers of Europe."),
    ("comparison", FIRM, "Profit in Spain was higher than profit in Denmark."),
    ("comparison", FIRM, "Profit in Denmark was lower than profit in Spain."),
    ("comparison", NATURE, "Lake Vinn is deeper than Lake Orsa."),
    ("comparison", NATURE, "Lake Orsa is larger than Lake Vinn."),
    ("comparison", MEDICINE, "In a trial with 840 patients, placebo lowered blood pressure more than Veltaris."),
    ("direction", FIRM, "Sales fell from 260 million euros in 2020 to 210 million euros in 2021."),
    ("direction", FIRM, "Sales rose from 260 million euros in 2020 to 210 million euros in 2021."),
    ("direction", MEDICINE, "Smoking reduces the risk of heart disease."),
    ("direction", HISTORY, "The population rose from 3,400 in 1950 to 1,900 in 2010."),
    ("quantifier", HISTORY, "Some houses on the square date from the 17th century."),
    ("quantifier", HISTORY, "No houses on the square date from the 18th century."),
    ("cause", FIRM, "Strong demand in Germany was caused by the increase in sales."),
    ("cause", SOFTWARE, "The expired certificate was caused by the outage."),
    ("cause", FIRM, "The increase in sales was caused by lower prices in Germany."),
    ("place", FIRM, "Most of its 1,200 employees work in Odense."),
    ("place", NATURE, "The largest colony is on the east shore of Lake Orsa."),
    ("place", NATURE, "The largest colony is on the west shore of Lake Vinn."),
    ("place", HISTORY, "The painter Karl Brandt taught Emil Voss in Berlin before the war."),
    ("place", NATURE, "Herons hunt at dawn in deep water."),
    ("units", BRIDGE, "The bridge is 412 km long and carries two lanes of traffic."),
    ("units", MEDICINE, "Adults take one 50 g tablet twice a day with food."),
    ("units", SOFTWARE, "The free plan includes 5 MB of storage."),
    ("units", MEDICINE, "Tablets are stored below 25 °F."),
    ("units", SOFTWARE, "The sync service copies files to the server every 15 hours."),
    ("ordinal", HISTORY, "Anna Weiss was the first woman to lead the school."),
    ("ordinal", HISTORY, "All houses on the square date from the 19th century."),
    ("number", SOFTWARE, "The free plan includes 200 GB of storage."),
    ("number", MEDICINE, "Adults take one 50 mg tablet three times a day with food."),
    ("number", NATURE, "The female lays two to three eggs in April."),
    ("number", SOFTWARE, "Backups are kept for two months and then deleted automatically."),
    ("number", MEDICINE, "Adults take one 50 mg tablet once a day with food."),
    ("date", BRIDGE, "The bridge was opened on 5 March 1932."),
    ("date", BRIDGE, "The bridge was opened in June 1932."),
    ("date", BRIDGE, "The ferry was sold in 1932."),
    ("date", SOFTWARE, "Version 4.2 was released in September 2022."),
    ("date", HISTORY, "The library burned down in July 1790."),
    ("date", BRIDGE, "The bridge was opened in 1961."),
    ("time", HISTORY, "The painter Karl Brandt taught Emil Voss in Vienna after the war."),
    ("time", BRIDGE, "Heavy lorries are not allowed on the bridge during the day."),
    ("time", HISTORY, "The castle was rebuilt in stone before the flood of 1703."),
    ("negation", BRIDGE, "Heavy lorries are allowed on the bridge during the night."),
    ("negation", MEDICINE, "Veltaris can be taken with alcohol."),
    ("negation", MEDICINE, "Children under 12 should take Veltaris."),
    ("negation", HISTORY, "In 1644 the army of Prince Rupert besieged the castle and took it."),
    ("negation", HISTORY, "The army of Prince Rupert took the castle in 1644."),
    ("negation", SOFTWARE, "Passwords are stored as unsalted hashes."),
    ("negation", SOFTWARE, "Passwords are sent in plain text."),
    ("negation", NATURE, "Beavers have been seen on the island since 1870."),
    ("negation", SOFTWARE, "Administrators cannot delete accounts that have been inactive for 90 days."),
    ("prefix", SOFTWARE, "Administrators can delete accounts that have been active for 90 days."),
    ("object", BRIDGE, "Cyclists may cross the bridge free of charge, while drivers pay a toll of 5 euros."),
    ("object", SOFTWARE, "Users can export their data as XML or JSON."),
    ("family", FIRM, "Norvik Foods was founded in 1978 by Lars Holm and his brother Inge."),
    ("superlative", MEDICINE, "Headache was the least common side effect, reported by 12 % of patients."),
    ("superlative", NATURE, "The smallest colony is on the west shore of Lake Orsa."),
    ("modifier", TOWN, "Its slate roof was replaced with copper in 1954."),
    ("time", TOWN, "The market is held every Saturday evening in front of the church."),
    ("object", TOWN, "The city council voted to sell the swimming pool to a public investor."),
    ("time", TOWN, "Residents may park for free before 6 pm."),
    ("negation", TOWN, "Dogs need not be kept on a lead in the park."),
    ("negation", TOWN, "The museum is open on Mondays and Tuesdays."),
    ("list", TOWN, "The museum is closed on Mondays and Thursdays."),
    ("roles", TOWN, "The younger brother ran the bakery, and the older brother ran the mill."),
    ("negation", TOWN, "Somebody was injured in the fire of 2011."),
    ("number", TOWN, "Two people were injured in the fire of 2011."),
    ("place", SPACE, "The probe Calla was launched on 14 July 2009 from Houston by the European agency."),
    ("agent", SPACE, "The probe Calla was launched on 14 July 2009 by the Russian agency."),
    ("units", SPACE, "It weighs 1.2 kg and carries six instruments."),
    ("time", SPACE, "Calla photographed the moon Dione after it reached Saturn."),
    ("negation", SPACE, "The camera failed in 2013 and was repaired."),
    ("negation", SPACE, "The camera was repaired in 2013."),
    ("number", SPACE, "One of the three antennas still works."),
    ("agent", SPACE, "The mission was paid for by France and Spain."),
    ("units", SPACE, "The signal takes about 80 seconds to reach Earth."),
    ("comparison", SPACE, "The second probe is heavier than the first."),
    ("comparison", SPACE, "The first probe is lighter than the second."),
    ("roles", SPACE, "The team in Rome controls the probe, whereas the team in Toulouse analyses the data."),
    ("comparison", SPACE, "Solar panels produce less power at Mars than at Saturn."),
    ("comparison", SPACE, "Solar panels produce more power at Saturn than at Mars."),
]  # fmt: skip
# A word in another's place, a clause's subject left out, what is only planned, more or fewer of them: the rules
# take these for what the source says, and leave them to the checker.
TAKEN = [
    ("moved", LEASE, "The deposit is returned within 30 days after the lease starts."),
    ("clause", LEASE, "In London hotel costs are refunded up to 140 euros a night."),
    ("modifier", LEASE, "Staff may book first class on flights longer than six hours."),
    ("alternative", LEASE, "The adults were assigned to veltrane 50 mg daily."),
    ("verb", LEASE, "Three patients on veltrane died."),
    ("place", LEASE, "Spare parts are available worldwide for ten years."),
    ("clause", LEASE, "Repairs to the roof are borne by the tenant."),
    ("clause", LEASE, "Revenue was 12 million euros in 2023."),
    ("clause", LEASE, "Trainees receive 30 days of leave."),
    ("clause", LEASE, "Bruno leads the sales team."),
    ("clause", LEASE, "The warranty covers the screen for two years."),
    ("amount", LEASE, "The warehouses were closed in March."),
    ("planned", LEASE, "Windows is supported."),
    ("modifier", BRIDGE, "The Harrow Bridge is a wooden bridge over the river Lenn in the town of Aldmoor."),
    ("modifier", BRIDGE, "The Harrow Bridge is a wooden bridge over the river Lenn."),
    ("modifier", BRIDGE, "The Harrow Bridge in Aldmoor is a wooden bridge."),
    ("modifier", FIRM, "Norvik Foods is a Danish producer of canned fish."),
    ("modifier", HISTORY, "The castle was rebuilt in wood after the flood of 1703."),
    ("agent", BRIDGE, "The bridge was opened by the king on 3 May 1932."),
    ("agent", HISTORY, "The library, which was built by the farmers, burned down in June 1790."),
    ("agent", MEDICINE, "The trial was funded by the government and led by Dr. Maria Soto."),
    ("agent", SOFTWARE, "Users can delete accounts that have been inactive for 90 days."),
    ("modality", BRIDGE, "The council opened a second bridge in 2027."),
    ("modality", BRIDGE, "The council has opened a second bridge."),
    ("modality", FIRM, "The plant in Odense will close next year."),
    ("modality", FIRM, "The chief executive said that the plant in Odense has closed."),
    ("modality", FIRM, "The company published its annual report in April."),
    ("modality", MEDICINE, "The drug causes dizziness in older patients."),
    ("hedge", NATURE, "Wolves certainly returned to the valley around 1998."),
    ("modality", SOFTWARE, "Users must export their data as CSV or JSON."),
    ("quantifier", FIRM, "All suppliers have signed the new code of conduct."),
    ("quantifier", FIRM, "All of its 1,200 employees work in Aalborg."),
    ("quantifier", HISTORY, "Many records of the abbey survive."),
    ("quantifier", NATURE, "The grey heron is a large wading bird that eats only fish."),
    ("cause", SOFTWARE, "The outage was caused by an expired password."),
    ("time", NATURE, "Herons hunt at dusk in shallow water."),
    ("exception", SOFTWARE, "Support answers within one working day, also on public holidays."),
    ("condition", SOFTWARE, "If the connection is restored, the client retries up to five times."),
    ("object", BRIDGE, "The old wooden bridge was sold in 1934."),
    ("object", BRIDGE, "Cyclists pay a toll of 3 euros."),
    ("object", FIRM, "In March 2021 the company sold Belmar, a Spanish canning firm, for 45 million euros."),
    ("kind", FIRM, "Norvik Foods is a Danish producer of frozen meat, founded in 1978 by Lars Holm."),
    ("kind", NATURE, "The grey heron is a large wading bird that eats mainly frogs."),
    ("family", FIRM, "Norvik Foods was founded in 1978 by Lars Holm and his wife Inge."),
    ("modifier", TOWN, "Its tin roof was replaced with slate in 1954."),
    ("agent", TOWN, "The town hall of Brenn was built in 1898 by the bishop."),
    ("time", TOWN, "The market is held every Sunday morning in front of the church."),
    ("place", TOWN, "The market is held every Saturday morning behind the church."),
    ("modality", TOWN, "The city council sold the swimming pool to a private investor."),
    ("modality", TOWN, "Residents must park for free after 6 pm."),
    ("modality", TOWN, "Dogs may be kept on a lead in the park."),
    ("quantifier", TOWN, "All of the pupils come to school by bicycle."),
    ("object", TOWN, "Nearly half of the teachers come to school by bicycle."),
    ("modality", TOWN, "The new tram line cost 80 million euros."),
    ("verb", TOWN, "According to the mayor, the flood destroyed 140 houses."),
    ("attribution", TOWN, "The older brother ran the mill."),
    ("hedge", SPACE, "The ice hides an ocean."),
    ("hedge", SPACE, "Scientists know that the ice hides an ocean."),
    ("number", SPACE, "All three antennas still work."),
    ("quantifier", SPACE, "The mission was paid for by France alone."),
    ("attribution", SPACE, "The team in Toulouse analyses the data."),
    ("cause", SPACE, "The agency cancelled the lander because of its weight."),
    ("verb", SPACE, "The agency delayed the lander because of its cost."),
]  # fmt: skip


async def checked(said: str, document: str, verifier: DeterministicVerifier | None = None) -> Review:
    passage = Passage("p", "d", "r", 0, len(document), document)
    return await (verifier or DeterministicVerifier()).check(said, (passage,))


@pytest.mark.parametrize(("kind", "document", "said"), FALSE)
async def test_a_false_statement_is_not_supported(kind: str, document: str, said: str) -> None:
    assert (await checked(said, document)).verdict is not Verdict.SUPPORTED


async def test_the_checker_lets_few_of_those_pass_that_the_rules_take_for_what_the_source_says() -> None:
    checker = OnnxChecker.load(assay_models.folder(BUNDLED_CHECKER))
    reads = DeterministicVerifier(LocalEmbedder.load(assay_models.folder()), checker=checker)
    claims = [
        claim
        for source in dict.fromkeys(document for _, document, _ in TAKEN)
        for claim in (
            await checked(" ".join(said for _, document, said in TAKEN if document == source), source, reads)
        ).claims
    ]
    assert len(claims) == len(TAKEN)
    # 12 of 63 with the checker of decision 159; without one all do.
    assert sum(each.verdict is Verdict.SUPPORTED for each in claims) <= len(TAKEN) // 4
