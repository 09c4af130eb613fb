"""The fidelity robot: is our engine still equal to a vLLM of choice, on scenarios nobody has seen before?

Optional and heavy (about 4 GB); nothing of it runs before a change lands, except its own tests.
"""
