"""What happened to a provider's cache, by the usage that a log reports: turns, resets, the bill.

rules.py      one provider's dated rules: prices of reading and writing, minimum, times to live
turns.py      sessions and their turns, with the pause before each and what should have been readable
sessions.py   the walk through a log: which conversation each turn goes on with
conversations.py  whether what a log calls a session is one conversation
entries.py    what a turn left in the cache, and for how long
resets.py     turns that read less than they should have, and why
lives.py      what turns would have read had all writes stayed for another time
bill.py       what the log cost, and what it would have cost otherwise
summary.py    the same as plain JSON values
"""
