"""The policies, each after the product it is named for; which were run and which only read:
docs/fidelity.md."""
