"""A visitor's own prefix cache, judged against recorded scenarios: `python -m core.demo.judge my_cache.py`.

The visitor's class is asked what our engine was asked, in the same order (``script``), in a process of its
own (``play`` starts it, ``child`` is what runs there). The first answer that differs is told in words, with
the rule behind it (``why``) and a link to that step on the stage (``address``). Behind the recorded scenarios
(``cases``) come hidden ones, made anew from a seed, so that an answer learnt by heart fails.

It runs on the visitor's own machine, started by hand. No page of the app imports or runs a visitor's code.
"""
