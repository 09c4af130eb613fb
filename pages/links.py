"""The parts of the link, in the order in which they are read and written: each is declared in its own room.

A page with settings of its own brings its part along: one name more in this list.
"""

from __future__ import annotations

from ui.course.mine import MINE
from ui.course.place import PLACE
from ui.course.said import BETS, DICE
from ui.decision.setup import CHOICE
from ui.finish.far import FAR
from ui.frame.link import Parts
from ui.frame.session import LANGUAGE
from ui.interview.talk import TALK
from ui.machine.machine import MACHINE
from ui.moment.link import MOMENT
from ui.monitor.deeds import PLAN
from ui.prefill.link import CARRIED
from ui.stage.record import RECORD
from ui.stage.setup import SETUP
from ui.study.study import STUDY
from ui.teacher.give import LECTURE
from ui.teacher.seq import SEQUENCE
from ui.traffic.setup import TRAFFIC
from ui.usage.setup import USAGE

LINK_PARTS: Parts = (
    SETUP,
    RECORD,
    MACHINE,
    PLAN,
    CHOICE,
    MOMENT,
    FAR,
    STUDY,
    TRAFFIC,
    USAGE,
    CARRIED,
    SEQUENCE,
    LECTURE,
    MINE,
    BETS,
    DICE,
    PLACE,
    TALK,
    LANGUAGE,
)
