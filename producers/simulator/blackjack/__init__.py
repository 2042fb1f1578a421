"""Blackjack dealt from a shoe, as 2.6 has it, with the choices that it leaves to the house."""
