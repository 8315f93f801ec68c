"""Small documents written for tests, and cases about them."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet

BRIDGE = (
    "The Harrow Bridge is a steel bridge over the river Lenn in the town of Aldmoor. "
    "It was designed by Ruth Castell and opened by the mayor on 3 May 1932. "
    "The bridge is 412 m long and carries two lanes of traffic. "
    "The old wooden ferry was sold in 1934. "
    "Heavy lorries are not allowed on the bridge during the night. "
    "The council plans to open a second bridge in 2027. "
    "About 20 % of the drivers pay by card. "
    "The northern tower was repaired after a fire in 1961. "
    "Cyclists may cross the bridge free of charge, while drivers pay a toll of 3 euros."
)
FIRM = (
    "Norvik Foods is a Danish producer of frozen fish, founded in 1978 by Lars Holm and his sister Inge. "
    "In March 2021 the company acquired Belmar, a Spanish canning firm, for 45 million euros. "
    "Sales rose from 210 million euros in 2020 to 260 million euros in 2021. "
    "The increase in sales was caused by strong demand in Germany. "
    "Most of its 1,200 employees work in Aalborg. "
    "Some suppliers have signed the new code of conduct. "
    "The chief executive said that the plant in Odense might close next year. "
    "Profit in Denmark was higher than profit in Spain. "
    "The company will publish its annual report in April. "
    "Inge Holm left the board in 2015 and was replaced by Peter Lund."
)
MEDICINE = (
    "Veltaris is a tablet for adults with high blood pressure. "
    "Adults take one 50 mg tablet twice a day with food. "
    "It must not be taken with alcohol. "
    "In a trial with 840 patients, Veltaris lowered blood pressure more than placebo. "
    "Headache was the most common side effect, reported by 12 % of patients. "
    "The drug may cause dizziness in older patients. "
    "Smoking increases the risk of heart disease. "
    "Children under 12 should not take Veltaris. "
    "The trial was funded by Orlen Pharma and led by Dr. "
    "Maria Soto. "
    "Tablets are stored below 25 °C."
)
HISTORY = (
    "The village of Tarn was first mentioned in a letter of 1142. "
    "In 1644 the army of Prince Rupert besieged the castle, but failed to take it. "
    "The castle was rebuilt in stone after the flood of 1703. "
    "Anna Weiss was the second woman to lead the school. "
    "The painter Karl Brandt taught Emil Voss in Vienna before the war. "
    "All houses on the square date from the 18th century. "
    "Few records of the abbey survive. "
    "The library, which was built by the monks, burned down in June 1790. "
    "The poet Clara Fink dedicated the book to her brother. "
    "The population fell from 3,400 in 1950 to 1,900 in 2010."
)
SOFTWARE = (
    "The sync service copies files from the laptop to the server every 15 minutes. "
    "Administrators can delete accounts that have been inactive for 90 days. "
    "Version 4.2 was released in September 2023 and requires Python 3.10 or later. "
    "Backups are kept for two weeks and then deleted automatically. "
    "The free plan includes 5 GB of storage; the paid plan includes 200 GB. "
    "Passwords are stored as salted hashes and are never sent in plain text. "
    "If the connection is lost, the client retries up to five times. "
    "The outage was caused by an expired certificate. "
    "Users can export their data as CSV or JSON. "
    "Support answers within one working day, except on public holidays."
)
NATURE = (
    "The grey heron is a large wading bird that eats mainly fish. "
    "The female lays four to five eggs in April. "
    "Herons hunt at dawn in shallow water. "
    "The eel migrates from the rivers of Europe to the Sargasso Sea. "
    "Lake Orsa is deeper than Lake Vinn, but Lake Vinn is larger. "
    "The largest colony is on the west shore of Lake Orsa. "
    "Beavers have not been seen on the island since 1870. "
    "Wolves probably returned to the valley around 1998. "
    "Warm winters reduce the number of bark beetles that die. "
    "The park covers 340 square kilometres and receives about 50,000 visitors a year."
)
LEASE = (
    "Heating costs are borne by the tenant; repairs to the roof and the outer walls are borne by the landlord. "
    "The tenant must not sublet without written consent. "
    "Revenue was 12 million euros in 2022 and 15 million euros in 2023. "
    "Employees receive 30 days of leave; trainees receive 24 days. "
    "Anna leads the sales team and Bruno leads the support team. "
    "The warranty covers the battery for two years and the screen for one year. "
    "Some of the warehouses were closed in March. "
    "Support for Windows is planned. "
    "The alarm sounded before the doors had been locked. "
    "Smoking is forbidden in the hall. "
    "A deposit of 2,300 euros is held in an account and is returned within 30 days after the tenant moves out. "
    "Hotel costs are refunded up to 140 euros a night, in London up to 190 euros. "
    "In 2024 the firm spent 1.2 million euros on travel, 15 percent less than in 2023. "
    "Version 2 replaced version 1. "
    "Staff may book business class on flights longer than six hours. "
    "The old client will be supported until the end of 2026. "
    "The adults were assigned to veltrane 50 mg daily (206 patients) or placebo. "
    "Three patients on veltrane stopped treatment because of side effects. "
    "In Europe spare parts are available for ten years. "
    "Dana proposed hiring a second tester; the proposal was rejected. "
    "The landlord repairs the boiler."
)
TOWN = (
    "The town hall of Brenn was built in 1898 by the architect Otto Keller. "
    "Its copper roof was replaced with slate in 1954. "
    "The market is held every Saturday morning in front of the church. "
    "The city council voted to sell the swimming pool to a private investor. "
    "Residents may park for free after 6 pm. "
    "Dogs must be kept on a lead in the park. "
    "Nearly half of the pupils come to school by bicycle. "
    "The museum is closed on Mondays and Tuesdays. "
    "The new tram line is expected to cost 80 million euros. "
    "According to the mayor, the flood damaged 140 houses. "
    "The older brother ran the bakery, and the younger brother ran the mill. "
    "Nobody was injured in the fire of 2011."
)
SPACE = (
    "The probe Calla was launched on 14 July 2009 from Kourou by the European agency. "
    "It weighs 1.2 tonnes and carries six instruments. "
    "Calla photographed the moon Dione before it reached Saturn. "
    "Scientists believe that the ice may hide an ocean. "
    "The camera failed in 2013 and was never repaired. "
    "Two of the three antennas still work. "
    "The mission was paid for by France and Italy. "
    "The signal takes about 80 minutes to reach Earth. "
    "The second probe is lighter than the first. "
    "The team in Toulouse controls the probe, whereas the team in Rome analyses the data. "
    "Solar panels produce less power at Saturn than at Mars. "
    "The agency cancelled the lander because of its cost."
)


def wrong_still(kind: str, document: str, said: str, reason: str) -> ParameterSet:
    """A case that is judged wrongly, and why."""
    return pytest.param(kind, document, said, marks=pytest.mark.xfail(reason=reason, strict=True))
