"""Runs inside the environment that has vLLM: drives its real code and writes down what it did."""
