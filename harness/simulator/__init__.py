"""A simulator of a tensor-parallel server: real processes, real log lines, an OpenAI-compatible API, known truth.

`python -m harness.simulator`. No model is loaded and nothing it prints is a measurement of a model: whatever shows its
numbers says "simulator". docs/simulator.md lists every option and fault.
"""
