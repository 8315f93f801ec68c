"""A made-up town: its documents, edits that change answers, and pairs of questions.

Everything is written for this benchmark. Of a pair that asks something else, the second question must never be
served the answer to the first; of a rewording, it may.
"""

from __future__ import annotations

DOCUMENTS = {
    "library": (
        "The Orme Public Library opens at 9:00 on Monday and at 11:00 on Sunday. It closes at 18:00 on "
        "weekdays. A library card costs 12 euros a year for adults. Children under 14 get a card for free."
    ),
    "library-loans": (
        "Members of the Orme Public Library may borrow 10 books at a time. Books are lent for 28 days. "
        "Films are lent for 7 days. The fine for a late book is 20 cents a day."
    ),
    "museum": (
        "The Orme Maritime Museum was founded by Clara Hagen in 1904. Its present director is Tomas Brandt. "
        "The director before him was Ilse Verhoef, until 2016. The museum holds 3,400 objects."
    ),
    "museum-visit": (
        "A ticket for the Orme Maritime Museum costs 8 euros. Pupils pay 3 euros. The museum is closed on "
        "Tuesday. Dogs are not allowed in the museum. Photographs without flash are permitted in the "
        "museum."
    ),
    "bridge": (
        "The Harbour Bridge in Orme was opened on 3 May 1932. It was designed by the engineer Paul "
        "Sorensen. The Harbour Bridge is 412 metres long and 34 metres high. It carries 21,000 cars a day."
    ),
    "mill-bridge": (
        "The Mill Bridge in Orme was opened on 9 June 1877. It was designed by Agnes Thorne. The Mill "
        "Bridge is 58 metres long. Lorries above 7 tonnes may not cross the Mill Bridge."
    ),
    "ferry": (
        "The ferry from Orme to Skerry Island leaves at 7:30 in the morning. The last ferry from Skerry "
        "Island to Orme leaves at 19:15. The crossing takes 45 minutes. A single fare on the ferry is 6 "
        "euros."
    ),
    "pool": (
        "The Eastgate Swimming Pool is 25 metres long. The water of the Eastgate Swimming Pool has 27 "
        "degrees. Children under 10 must be accompanied by an adult in the pool. The pool is cleaned every "
        "Thursday."
    ),
    "parking": (
        "Parking in the centre of Orme costs 2 euros an hour from 8:00 to 20:00. After 20:00 parking is "
        "free. The longest stay in the centre is 3 hours. Residents may park with a permit, which costs 90 "
        "euros a year."
    ),
    "waste": (
        "The paper bin is emptied on the first Wednesday of each month in Orme. The glass bin is emptied on "
        "the second Friday. Bulky waste is collected after registration by telephone. The fee for bulky "
        "waste is 15 euros."
    ),
    "market": (
        "The weekly market of Orme is held on Saturday on Chapel Square. It opens at 7:00 and ends at "
        "13:00. About 60 traders sell on the market. A stall on the market costs 24 euros a day."
    ),
    "mayor": (
        "The mayor of Orme is Henrik Vale, who was elected in 2021. His predecessor was Greta Lindqvist, "
        "who was mayor from 2009 to 2021. The town council of Orme has 31 members. The deputy mayor is "
        "Samuel Okoro."
    ),
    "school": (
        "Northfield School in Orme has 640 pupils and 48 teachers. It was built in 1968. The head teacher "
        "of Northfield School is Maria Dunne. Lessons at Northfield School begin at 8:10."
    ),
    "school-south": (
        "Southfield School in Orme has 390 pupils and 29 teachers. It was built in 1994. The head teacher "
        "of Southfield School is Peter Quill. Lessons at Southfield School begin at 8:30."
    ),
    "hospital": (
        "Orme Hospital has 210 beds. Visiting hours at Orme Hospital are from 14:00 to 19:00. The emergency "
        "department of Orme Hospital never closes. The hospital was extended in 2011 for 18 million euros."
    ),
    "tower": (
        "The lighthouse on Gull Point was built in 1851. It is 38 metres high and has 164 steps. The light "
        "of the lighthouse on Gull Point can be seen for 22 miles. Visitors may climb the lighthouse in "
        "summer only."
    ),
    "railway": (
        "Trains from Orme to Calder take 52 minutes. Trains from Calder to Orme take 57 minutes. The "
        "railway station of Orme was opened in 1889. Bicycles are carried free of charge after 9:00 on the "
        "trains."
    ),
    "bus": (
        "Bus 4 runs from the station to the hospital every 12 minutes. Bus 7 runs from the station to the "
        "beach every 30 minutes. A day ticket for the buses of Orme costs 5 euros. The night bus runs on "
        "Friday and Saturday only."
    ),
    "theatre": (
        "The Lantern Theatre in Orme has 480 seats. It was founded by Rosa Engel in 1923. Tickets for the "
        "Lantern Theatre may be returned until two days before the performance. The theatre has no car "
        "park."
    ),
    "water": (
        "The drinking water of Orme comes from Lake Hollin. The water of Orme has a hardness of 9 degrees. "
        "The price of water is 1.80 euros a cubic metre. The waterworks of Orme supply 31,000 people."
    ),
    "beach": (
        "Dogs are allowed on Long Beach from October to March. Dogs are forbidden on Long Beach from April "
        "to September. Lifeguards watch Long Beach from 10:00 to 18:00. Fires are not permitted on the "
        "beach."
    ),
    "brewery": (
        "Tarn Brewery was founded in 1866 by Jonas Tarn. Tarn Brewery acquired Fell Brewery in 2004. Tarn "
        "Brewery employs 75 people. A tour of Tarn Brewery takes 90 minutes and costs 11 euros."
    ),
    "marriage": (
        "The registry office of Orme marries couples on Friday and Saturday. A wedding at the registry "
        "office costs 70 euros. Two witnesses are not required. Couples must register 6 weeks before the "
        "wedding."
    ),
    "passport": (
        "A passport costs 60 euros at the citizens' office of Orme. It is issued within 4 weeks. An express "
        "passport costs 92 euros and is issued within 3 days. The citizens' office is on the second floor "
        "of the town hall."
    ),
    "football": (
        "Orme Rovers beat Calder United by 3 goals to 1 in the cup final of 2019. Calder United beat Orme "
        "Rovers in the cup final of 2022. The stadium of Orme Rovers has 9,200 seats. The coach of Orme "
        "Rovers is Lena Marsh."
    ),
    "archive": (
        "The town archive of Orme keeps documents since 1342. The archive opens on Wednesday from 10:00 to "
        "16:00. Users must register before their first visit. Copies in the archive cost 50 cents a page."
    ),
}

# A question, the document that answers it, the words of the answer, and what they are changed to.
EDITS = (
    ("When does the library open on Sunday?", "library", "11:00", "12:30"),
    ("How much does a library card cost?", "library", "12 euros", "15 euros"),
    ("How many books may members borrow at a time?", "library-loans", "10 books", "6 books"),
    ("Who is the director of the Maritime Museum?", "museum", "Tomas Brandt", "Nora Fields"),
    ("Who founded the Orme Maritime Museum?", "museum", "Clara Hagen", "Clara Boyle"),
    ("How much does a ticket for the Maritime Museum cost?", "museum-visit", "8 euros", "9 euros"),
    ("On which day is the museum closed?", "museum-visit", "Tuesday", "Monday"),
    ("When was the Harbour Bridge opened?", "bridge", "3 May 1932", "5 May 1932"),
    ("How long is the Harbour Bridge?", "bridge", "412 metres", "421 metres"),
    ("Who designed the Mill Bridge?", "mill-bridge", "Agnes Thorne", "Agnes Mayhew"),
    ("How long does the crossing take?", "ferry", "45 minutes", "55 minutes"),
    ("How long is the Eastgate Swimming Pool?", "pool", "25 metres", "50 metres"),
    ("How much does parking in the centre cost?", "parking", "2 euros", "3 euros"),
    ("What is the fee for bulky waste?", "waste", "15 euros", "18 euros"),
    ("On which day is the weekly market held?", "market", "Saturday", "Thursday"),
    ("Who is the mayor of Orme?", "mayor", "Henrik Vale", "Dora Stein"),
    ("How many members does the town council have?", "mayor", "31 members", "27 members"),
    ("Who is the head teacher of Northfield School?", "school", "Maria Dunne", "Hugo Ferris"),
    ("How many beds does Orme Hospital have?", "hospital", "210 beds", "180 beds"),
    ("How high is the lighthouse on Gull Point?", "tower", "38 metres", "36 metres"),
    ("How long do trains from Orme to Calder take?", "railway", "52 minutes", "49 minutes"),
    ("How many seats does the Lantern Theatre have?", "theatre", "480 seats", "450 seats"),
    ("Who founded Tarn Brewery?", "brewery", "Jonas Tarn", "Edith Tarn"),
    ("How much does a passport cost?", "passport", "60 euros", "64 euros"),
)

# Two questions of which the second asks something else: numbers, names, negation, scope, tense, roles.
DIFFERENT = (
    # numbers and dates
    ("Can children under 14 get a library card for free?", "Can children under 15 get a library card for free?"),
    ("When does the library open on Sunday?", "When does the library open on Monday?"),
    ("Who won the cup final of 2019?", "Who won the cup final of 2022?"),
    ("How often does bus 4 run?", "How often does bus 7 run?"),
    ("Must children under 10 be accompanied in the pool?", "Must children under 12 be accompanied in the pool?"),
    ("When is the paper bin emptied?", "When is the glass bin emptied?"),
    ("May lorries above 7 tonnes cross the Mill Bridge?", "May lorries above 5 tonnes cross the Mill Bridge?"),
    ("What does parking cost before 20:00?", "What does parking cost after 20:00?"),
    ("Who was mayor in 2010?", "Who was mayor in 2022?"),
    ("Is the museum closed on Tuesday?", "Is the museum closed on Thursday?"),
    # names
    ("When was the Harbour Bridge opened?", "When was the Mill Bridge opened?"),
    ("Who designed the Harbour Bridge?", "Who designed the Mill Bridge?"),
    ("How many pupils does Northfield School have?", "How many pupils does Southfield School have?"),
    ("Who is the head teacher of Northfield School?", "Who is the head teacher of Southfield School?"),
    ("When do lessons at Northfield School begin?", "When do lessons at Southfield School begin?"),
    ("Who founded the Lantern Theatre?", "Who founded the Maritime Museum?"),
    ("How long is the Harbour Bridge?", "How long is the Mill Bridge?"),
    ("When was Northfield School built?", "When was Southfield School built?"),
    ("Who founded Tarn Brewery?", "Who founded Fell Brewery?"),
    ("Who is the coach of Orme Rovers?", "Who is the coach of Calder United?"),
    ("How many seats does the Lantern Theatre have?", "How many seats does the stadium of Orme Rovers have?"),
    ("How many teachers does Northfield School have?", "How many pupils does Northfield School have?"),
    # roles and directions
    ("How long do trains from Orme to Calder take?", "How long do trains from Calder to Orme take?"),
    (
        "When does the ferry from Orme to Skerry Island leave?",
        "When does the ferry from Skerry Island to Orme leave?",
    ),
    ("Did Tarn Brewery acquire Fell Brewery?", "Did Fell Brewery acquire Tarn Brewery?"),
    ("Did Orme Rovers beat Calder United in 2019?", "Did Calder United beat Orme Rovers in 2019?"),
    ("Who is the mayor of Orme?", "Who is the deputy mayor of Orme?"),
    ("Is Northfield School older than Southfield School?", "Is Southfield School older than Northfield School?"),
    ("When was Tarn Brewery founded?", "When was Tarn Brewery sold?"),
    ("Which brewery was acquired in 2004?", "Which brewery acquired in 2004?"),
    # negation
    ("Are dogs allowed in the museum?", "Are dogs not allowed in the museum?"),
    ("Are dogs allowed on Long Beach?", "Are dogs forbidden on Long Beach?"),
    ("Are two witnesses required?", "Are two witnesses not required?"),
    (
        "Are photographs with flash permitted in the museum?",
        "Are photographs without flash permitted in the museum?",
    ),
    ("Which day is the museum open?", "Which day is the museum closed?"),
    ("Does the theatre have a car park?", "Does the theatre have no car park?"),
    ("Are fires permitted on the beach?", "Are fires prohibited on the beach?"),
    ("When is parking free?", "When is parking not free?"),
    ("May visitors climb the lighthouse?", "May visitors never climb the lighthouse?"),
    ("Must users register before their first visit?", "Must users register after their first visit?"),
    # scope
    ("How much does a library card cost for adults?", "How much does a library card cost for children?"),
    ("How much does a ticket for the museum cost?", "How much does a ticket for the museum cost for pupils?"),
    ("How long are books lent?", "How long are films lent?"),
    ("When does the night bus run?", "When does the bus run?"),
    ("How much does a passport cost?", "How much does an express passport cost?"),
    ("What does a day ticket for the buses cost?", "What does a year ticket for the buses cost?"),
    ("When may visitors climb the lighthouse?", "When may only residents climb the lighthouse?"),
    ("Are all dogs allowed on Long Beach?", "Are some dogs allowed on Long Beach?"),
    ("When is the first ferry from Orme?", "When is the last ferry from Orme?"),
    ("What does parking cost an hour?", "What does parking cost a day?"),
    ("When does the market open?", "When does the market end?"),
    ("How high is the Harbour Bridge?", "How long is the Harbour Bridge?"),
    ("Where does the drinking water of Orme come from?", "When does the drinking water of Orme come?"),
    # tense and mood
    ("Who is the director of the Maritime Museum?", "Who was the director of the Maritime Museum?"),
    ("Who is the mayor of Orme?", "Who was the mayor of Orme?"),
    ("Who is the mayor of Orme?", "Who will be the mayor of Orme?"),
    ("How much does a stall on the market cost?", "How much did a stall on the market cost?"),
    ("May residents park with a permit?", "Must residents park with a permit?"),
    ("When is Orme Hospital extended?", "When was Orme Hospital extended?"),
    ("How many people does Tarn Brewery employ?", "How many people did Tarn Brewery employ?"),
)

# Two questions that ask the same in other words.
REWORDED = (
    ("When was the Harbour Bridge opened?", "Could you tell me when the Harbour Bridge was opened?"),
    ("Who designed the Mill Bridge?", "Do you know who designed the Mill Bridge?"),
    ("How much does a library card cost?", "What does a library card cost?"),
    ("How much does a library card cost?", "What is the price of a library card?"),
    ("When does the library open on Sunday?", "At what time does the library open on Sunday?"),
    ("When does the library open on Sunday?", "What time does the library open on Sunday?"),
    ("When does the library open on Sunday?", "On Sunday, when does the library open?"),
    ("When does the library open on Sunday?", "When does the library open on Sundays?"),
    ("Who is the director of the Maritime Museum?", "Who's the director of the Maritime Museum?"),
    (
        "Who is the director of the Maritime Museum?",
        "I would like to know who the director of the Maritime Museum is.",
    ),
    ("Who is the director of the Maritime Museum?", "Who is the Maritime Museum's director?"),
    ("Who founded the Orme Maritime Museum?", "Who established the Orme Maritime Museum?"),
    ("Who founded the Orme Maritime Museum?", "Please tell me who founded the Orme Maritime Museum."),
    ("How much does a ticket for the Maritime Museum cost?", "How much is a ticket for the Maritime Museum?"),
    ("Are photographs without flash permitted in the museum?", "Are photos without flash allowed in the museum?"),
    ("How long is the Harbour Bridge?", "What is the length of the Harbour Bridge?"),
    ("How high is the lighthouse on Gull Point?", "What is the height of the lighthouse on Gull Point?"),
    ("How many seats does the Lantern Theatre have?", "How many seats are there in the Lantern Theatre?"),
    ("How many beds does Orme Hospital have?", "Can you tell me how many beds Orme Hospital has?"),
    ("How many pupils does Northfield School have?", "How many pupils are in Northfield School?"),
    ("Who is the head teacher of Northfield School?", "Who is Northfield School's head teacher?"),
    ("When do lessons at Northfield School begin?", "When do lessons at Northfield School start?"),
    ("When do lessons at Southfield School begin?", "What time do lessons at Southfield School begin?"),
    ("Who is the mayor of Orme?", "Tell me who the mayor of Orme is."),
    ("Who is the mayor of Orme?", "Who is Orme's mayor?"),
    ("How many members does the town council have?", "How many members are in the town council?"),
    ("How often does bus 4 run?", "Could you please tell me how often bus 4 runs?"),
    ("How long do trains from Orme to Calder take?", "How long does a train from Orme to Calder take?"),
    ("How much does a passport cost?", "What is the cost of a passport?"),
    ("How much does an express passport cost?", "How much is an express passport?"),
    ("What is the fee for bulky waste?", "How much is the fee for bulky waste?"),
    ("Who founded Tarn Brewery?", "Who was the founder of Tarn Brewery?"),
    ("When was Tarn Brewery founded?", "In what year was Tarn Brewery founded?"),
    ("Who founded the Lantern Theatre?", "By whom was the Lantern Theatre founded?"),
    ("When is the paper bin emptied?", "On which day is the paper bin emptied?"),
    ("When does the market open?", "hello, when does the market open?"),
    ("How long are books lent?", "For how long are books lent?"),
    ("Where does the drinking water of Orme come from?", "From where does the drinking water of Orme come?"),
    ("Who is the coach of Orme Rovers?", "I wonder who the coach of Orme Rovers is."),
    ("What does a day ticket for the buses cost?", "How much does a day ticket for the buses cost?"),
)
