"""Caribbean stud and four card poker, dealt from the hand."""
