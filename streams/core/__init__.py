"""The pure core: stdlib only; no clock, no random source, no environment, no log."""
