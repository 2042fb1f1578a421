"""What the games dealt from the hand share: 16.8 and 27.8 run side by side."""
