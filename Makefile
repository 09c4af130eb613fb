# Short names for run.py; nothing happens only here.
.PHONY: run test fast check
run:   ; python3 run.py
test:  ; python3 run.py test
fast:  ; python3 run.py test --fast
check: ; python3 run.py check
